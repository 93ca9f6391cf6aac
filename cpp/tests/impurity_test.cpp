// Impurities: decreases against their definition, filters against decreases.
#include <array>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "criterion/impurity_registry.hpp"
#include "criterion/information.hpp"
#include "run/control.hpp"
#include "testing.hpp"

using namespace thriftree;

namespace {

enum class RowWeights { unit, whole, fractional };

// StreamedRows in the order of some column, with everything a stream would hold.
struct StreamedRows {
  std::vector<std::uint16_t> label;
  std::vector<double> weight, moment;
  std::vector<double> sums;  // of all rows, as a node holds them
  double total = 0;
  NodeSums node() const { return {sums, total}; }
  std::size_t size() const { return weight.size(); }
};

StreamedRows random_rows(std::mt19937& random, std::size_t n, std::size_t n_classes, RowWeights weights) {
  std::uniform_real_distribution<double> uniform(0, 1);
  std::normal_distribution<double> normal(0, 3);
  StreamedRows rows;
  rows.sums.assign(n_classes > 0 ? n_classes : 3, 0.0);
  for (std::size_t i = 0; i < n; ++i) {
    const double w = weights == RowWeights::unit    ? 1.0
                     : weights == RowWeights::whole ? static_cast<double>(1 + random() % 5)
                                                    : std::pow(10.0, 4 * uniform(random) - 2);
    const double y = normal(random);
    rows.weight.push_back(w);
    rows.moment.push_back(w * y);
    rows.label.push_back(static_cast<std::uint16_t>(n_classes > 0 ? random() % n_classes : 0));
    rows.total += w;
    if (n_classes > 0) {
      rows.sums[rows.label.back()] += w;
    } else {
      rows.sums[0] += w;
      rows.sums[1] += w * y;
      rows.sums[2] += w * y * y;
    }
  }
  return rows;
}

std::size_t width_of(const Impurity& impurity, const StreamedRows& rows) {
  return impurity.for_numbers() ? 2 : rows.sums.size();
}

void add_row(const Impurity& impurity, const StreamedRows& rows, std::size_t i, std::vector<double>& left,
             double& total) {
  if (impurity.for_numbers()) {
    left[0] += rows.weight[i];
    left[1] += rows.moment[i];
  } else {
    left[rows.label[i]] += rows.weight[i];
  }
  total += rows.weight[i];
}

double decrease_of_left(const Impurity& impurity, const StreamedRows& rows, const std::vector<double>& left,
                        double total) {
  std::vector<double> both = left;
  for (std::size_t k = 0; k < left.size(); ++k) both.push_back(rows.sums[k] - left[k]);
  const std::array<double, 2> totals{total, rows.total - total};
  return impurity.decrease(rows.node(), {both, totals});
}

// Runs check(impurity, rows) over impurities, sizes, numbers of classes and kinds of weight.
template <class Check>
void for_many(const Check& check) {
  std::mt19937 random(7);
  for (const std::string& name : impurity_names()) {
    const bool numbers = make_impurity(name)->for_numbers();
    for (std::size_t n_classes : {2, 3, 17}) {
      for (RowWeights weights : {RowWeights::unit, RowWeights::whole, RowWeights::fractional}) {
        for (std::size_t n : {2, 9, 255, 256, 257, 700}) {
          const StreamedRows rows = random_rows(random, n, numbers ? 0 : n_classes, weights);
          const auto impurity = make_impurity(name);
          impurity->prepare(n, weights == RowWeights::unit);
          check(*impurity, rows, weights);
        }
      }
    }
  }
}

}  // namespace

TEST(a_prefix_filter_is_the_decrease_within_its_error) {
  for_many([](const Impurity& impurity, const StreamedRows& rows, RowWeights) {
    const std::size_t width = width_of(impurity, rows);
    std::vector<double> left(width), all_left, totals;
    double total = 0;
    for (std::size_t i = 0; i + 1 < rows.size(); ++i) {
      add_row(impurity, rows, i, left, total);
      all_left.insert(all_left.end(), left.begin(), left.end());
      totals.push_back(total);
    }
    for (std::size_t begin = 0; begin < totals.size(); begin += kBatch) {
      const int m = static_cast<int>(std::min<std::size_t>(kBatch, totals.size() - begin));
      std::array<double, kBatch> q;
      impurity.filter_prefixes(rows.node(), {m, all_left.data() + begin * width, totals.data() + begin},
                               q.data());
      for (int i = 0; i < m; ++i) {
        const std::size_t at = begin + static_cast<std::size_t>(i);
        const std::vector<double> here(all_left.begin() + static_cast<std::ptrdiff_t>(at * width),
                                       all_left.begin() + static_cast<std::ptrdiff_t>((at + 1) * width));
        const double exact = rows.total * decrease_of_left(impurity, rows, here, totals[at]);
        CHECK(std::abs(q[static_cast<std::size_t>(i)] - exact) <=
              impurity.filter_error(rows.node()) + 1e-11 * std::abs(exact));
      }
    }
  });
}

TEST(a_stream_filter_is_the_decrease_within_its_error_and_leaves_the_sums_of_its_rows) {
  for_many([](const Impurity& impurity, const StreamedRows& rows, RowWeights weights) {
    const std::size_t width = width_of(impurity, rows);
    std::vector<double> left(width), expected(width);
    double left_total = 0, expected_total = 0;
    std::array<std::uint8_t, kBatch> boundary;
    boundary.fill(1);
    for (std::size_t begin = 0; begin + 1 < rows.size(); begin += kBatch) {
      const int m = static_cast<int>(std::min<std::size_t>(kBatch, rows.size() - 1 - begin));
      StreamBatch batch{m,
                        rows.label.data() + begin,
                        weights == RowWeights::unit ? nullptr : rows.weight.data() + begin,
                        impurity.for_numbers() ? rows.moment.data() + begin : nullptr,
                        boundary.data(),
                        left,
                        left_total};
      std::array<double, kBatch> q;
      impurity.filter_stream(rows.node(), batch, q.data());
      left_total = batch.left_total;
      for (int i = 0; i < m; ++i) {
        add_row(impurity, rows, begin + static_cast<std::size_t>(i), expected, expected_total);
        const double exact = rows.total * decrease_of_left(impurity, rows, expected, expected_total);
        CHECK(std::abs(q[static_cast<std::size_t>(i)] - exact) <=
              impurity.filter_error(rows.node()) + 1e-11 * std::abs(exact));
      }
      CHECK(std::abs(left_total - expected_total) <= 1e-12 * expected_total);
      for (std::size_t k = 0; k < width; ++k)
        CHECK(std::abs(left[k] - expected[k]) <= 1e-12 * rows.total * 10);
    }
  });
}

TEST(ginis_stream_filter_keeps_its_precision_where_the_last_rows_weigh_next_to_nothing) {
  std::mt19937 random(3);
  for (std::size_t n_classes : {2, 5}) {
    StreamedRows rows = random_rows(random, 200, n_classes, RowWeights::whole);
    rows.sums.assign(n_classes, 0.0);
    rows.total = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      rows.weight[i] = i < 197 ? rows.weight[i] * 123456.7 : 1e-3;
      rows.sums[rows.label[i]] += rows.weight[i];
      rows.total += rows.weight[i];
    }
    const auto gini = make_impurity("gini");
    std::vector<double> left(n_classes), expected(n_classes);
    double expected_total = 0;
    std::array<std::uint8_t, kBatch> boundary;
    boundary.fill(1);
    StreamBatch batch{199, rows.label.data(), rows.weight.data(), nullptr, boundary.data(), left, 0};
    std::array<double, kBatch> q;
    gini->filter_stream(rows.node(), batch, q.data());
    for (std::size_t i = 0; i < 199; ++i) {
      add_row(*gini, rows, i, expected, expected_total);
      const double exact = rows.total * decrease_of_left(*gini, rows, expected, expected_total);
      CHECK(std::abs(q[i] - exact) <= 1e-11 * rows.total);
    }
  }
}

TEST(a_decrease_is_the_impurity_lost) {
  for_many([](const Impurity& impurity, const StreamedRows& rows, RowWeights) {
    if (impurity.for_numbers()) return;  // its branches lack the squares that impurity needs
    const std::size_t n_branches = 4, width = rows.sums.size();
    std::vector<double> sums(n_branches * width), totals(n_branches);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      sums[i % n_branches * width + rows.label[i]] += rows.weight[i];
      totals[i % n_branches] += rows.weight[i];
    }
    if (rows.size() < n_branches) return;
    double after = 0;
    for (std::size_t v = 0; v < n_branches; ++v) {
      after += totals[v] / rows.total * impurity.of({std::span(sums).subspan(v * width, width), totals[v]});
    }
    const double decrease = impurity.decrease(rows.node(), {sums, totals});
    CHECK(std::abs(decrease - (impurity.of(rows.node()) - after)) < 1e-12);
    CHECK(decrease > -1e-15);  // concave, but the default formula rounds
  });
}

TEST(a_split_into_like_parts_decreases_nothing) {
  for (const std::string& name : impurity_names()) {
    const auto impurity = make_impurity(name);
    if (impurity->for_numbers()) continue;
    const std::vector<double> node{10, 20, 30}, branches{3, 6, 9, 7, 14, 21};
    const std::vector<double> totals{18, 42};
    CHECK(std::abs(impurity->decrease({node, 60}, {branches, totals})) < 1e-15);
  }
}

// For numbers the shares are means.
TEST(branches_of_other_shares_decrease_what_is_strictly_concave_and_it_alone) {
  for (const std::string& name : impurity_names()) {
    const auto impurity = make_impurity(name);
    // Of 40 rows of the first class and 20 of the second, 19 and 11 go left: the label stays the same.
    const std::vector<double> node =
        impurity->for_numbers() ? std::vector<double>{60, 20, 20} : std::vector<double>{40, 20};
    const std::vector<double> branches =
        impurity->for_numbers() ? std::vector<double>{30, 11, 30, 9} : std::vector<double>{19, 11, 21, 9};
    const std::vector<double> totals{30, 30};
    const double decrease = impurity->decrease({node, 60}, {branches, totals});
    CHECK(impurity->strictly_concave() == (decrease > 1e-6));
    CHECK(impurity->admits(decrease) == impurity->strictly_concave());
    CHECK(impurity->admits(0) == impurity->strictly_concave());
    CHECK(impurity->admits(1e-9));
  }
}

TEST(squared_error_is_the_variance) {
  const auto impurity = make_impurity("squared_error");
  const std::vector<double> node{4, 10, 30};  // y = 1, 2, 3, 4
  CHECK(std::abs(impurity->of({node, 4}) - 1.25) < 1e-15);
  const std::vector<double> branches{2, 3, 2, 7}, totals{2, 2};
  CHECK(std::abs(impurity->decrease({node, 4}, {branches, totals}) - 1.0) < 1e-15);
}

TEST(the_fast_logarithm_is_exact_to_fourteen_digits) {
  CHECK(x_log2_x(0) == 0);
  CHECK(x_log2_x(1) == 0);
  std::mt19937_64 random(1);
  for (int i = 0; i < 20000; ++i) {
    const double x =
        std::ldexp(1 + static_cast<double>(random() >> 11) * 0x1p-53, static_cast<int>(random() % 120) - 60);
    const double exact =
        static_cast<double>(static_cast<long double>(x) * std::log2(static_cast<long double>(x)));
    CHECK(std::abs(x_log2_x(x) - exact) <= 1e-14 * std::abs(exact) + 1e-15 * x);
  }
}

TEST(an_unknown_impurity_is_an_error_that_lists_the_known_ones) {
  bool listed = false;
  try {
    make_impurity("ginny");
  } catch (const BadInput& error) {
    listed = std::string(error.what()).find("gini, entropy") != std::string::npos;
  }
  CHECK(listed);
}
