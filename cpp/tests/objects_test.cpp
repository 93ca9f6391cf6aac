// Rows to objects, against a map from code tuples.
#include "table/objects.hpp"

#include <chrono>
#include <cmath>
#include <limits>
#include <map>
#include <random>
#include <thread>
#include <vector>

#include "grow_table.hpp"
#include "rows/rows_behind.hpp"
#include "testing.hpp"

using namespace thriftree;
using namespace thriftree::testing;

namespace {

using Codes = std::vector<std::uint32_t>;

Codes codes_of(const Table& table, std::size_t row) {
  Codes codes;
  for (std::size_t j = 0; j < table.columns.size(); ++j) codes.push_back(table.code(row, j));
  return codes;
}

// The rows of each object, objects in order of first appearance.
std::vector<std::vector<std::size_t>> group_slowly(const Table& table) {
  std::map<Codes, std::size_t> number;
  std::vector<std::vector<std::size_t>> groups;
  for (std::size_t row = 0; row < table.n_rows; ++row) {
    const auto [at, is_new] = number.try_emplace(codes_of(table, row), groups.size());
    if (is_new) groups.emplace_back();
    groups[at->second].push_back(row);
  }
  return groups;
}

double growth_of(const Target& target, std::size_t row) {
  return target.weighted() ? static_cast<double>(target.growth[row]) * target.growth_unit : 1;
}

double sample_of(const Target& target, std::size_t row) {
  if (!target.sample.empty()) return static_cast<double>(target.sample[row]) * target.sample_unit;
  return target.unit_samples ? 1 : growth_of(target, row);
}

bool close_to(double a, double b) { return std::abs(a - b) <= 1e-12 * std::abs(b) + 1e-300; }

void check_table(const Table& objects, const Table& rows,
                 const std::vector<std::vector<std::size_t>>& groups) {
  CHECK(objects.n_rows == groups.size());
  for (std::size_t i = 0; i < groups.size(); ++i) CHECK(codes_of(objects, i) == codes_of(rows, groups[i][0]));
  CHECK(objects.sorted.size() == rows.sorted.size());
  for (std::size_t w = 0; w < objects.wide.size(); ++w)
    CHECK(objects.sorted[w] == (rows.sorted[w].empty() ? Codes{} : sorted_rows(objects.wide[w])));
}

std::uint32_t heaviest_label(const Target& rows, const std::vector<std::size_t>& group) {
  std::map<std::uint32_t, double> weight;
  for (std::size_t row : group) weight[rows.labels[row]] += growth_of(rows, row);
  std::uint32_t best = weight.begin()->first;
  for (const auto& [label, w] : weight) {
    if (w > weight[best] * (1 + 1e-12)) best = label;
  }
  return best;
}

// Weights of objects may have been divided by what all of them weigh: `factor` undoes it.
void check_target(const Target& objects, const Target& rows,
                  const std::vector<std::vector<std::size_t>>& groups) {
  CHECK(objects.n_rows == groups.size() && objects.labels.size() == groups.size());
  CHECK(objects.n_classes == rows.n_classes && objects.n_bins == rows.n_bins);
  std::vector<double> growth, sample;
  for (const auto& group : groups) {
    growth.push_back(0);
    sample.push_back(0);
    for (std::size_t row : group) {
      growth.back() += growth_of(rows, row);
      sample.back() += sample_of(rows, row);
    }
  }
  const double factor = objects.weighted() ? 1 : growth[0];
  const double sample_factor = objects.sample.empty() && objects.unit_samples ? sample[0] : 1;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    CHECK(objects.labels[i] == heaviest_label(rows, groups[i]));
    CHECK(close_to(growth_of(objects, i) * factor, growth[i]));
    if (objects.sample.empty() && !objects.unit_samples) {
      CHECK(close_to(growth_of(objects, i), sample[i]));
    } else {
      CHECK(close_to(sample_of(objects, i) * sample_factor, sample[i]));
    }
    if (!objects.multiplicity.empty()) CHECK(objects.multiplicity[i] == groups[i].size());
    if (rows.n_classes > 0) continue;
    long double moment = 0, square = 0, size = 0;
    for (std::size_t row : groups[i]) {
      moment += static_cast<long double>(rows.moment[row]) * rows.moment_unit;
      square += static_cast<long double>(rows.square[row]) * rows.square_unit;
      size += std::abs(static_cast<long double>(rows.moment[row]) * rows.moment_unit);
    }
    CHECK(std::abs(static_cast<double>(objects.moment[i]) * objects.moment_unit * factor -
                   static_cast<double>(moment)) <= 1e-12 * static_cast<double>(size));
    CHECK(close_to(static_cast<double>(objects.square[i]) * objects.square_unit * factor,
                   static_cast<double>(square)));
  }
}

// Of all objects, none, and every second one.
void check_rows_behind(const Objects& objects, const Target& rows,
                       const std::vector<std::vector<std::size_t>>& groups) {
  for (std::size_t step : {std::size_t{1}, std::size_t{2}, groups.size() + 1}) {
    std::vector<std::uint32_t> some;
    std::vector<double> sums(static_cast<std::size_t>(rows.n_classes > 0 ? rows.n_classes : 1), 0.0);
    double weight = 0;
    std::int64_t n = 0;
    for (std::size_t i = step - 1; i < groups.size(); i += step) {
      some.push_back(static_cast<std::uint32_t>(i));
      for (std::size_t row : groups[i]) {
        sums[rows.n_classes > 0 ? rows.labels[row] : 0] += growth_of(rows, row);
        weight += sample_of(rows, row);
        ++n;
      }
    }
    const RowTotals totals = totals_of_rows(some, objects, rows);
    CHECK(totals.rows == n);
    CHECK(close_to(totals.weight, weight));
    for (std::size_t k = 0; k < sums.size(); ++k) CHECK(close_to(totals.sums[k], sums[k]));
  }
}

void check_coalesce(const Table& table, const Target& target, int n_threads) {
  Control control;
  control.n_threads = n_threads;
  Team team(control);
  const Objects objects = coalesce(table, target, control, team);
  const auto groups = group_slowly(table);
  CHECK(objects.table.has_value() == (groups.size() < table.n_rows));
  if (objects.table) check_table(*objects.table, table, groups);
  check_target(objects.target, target, groups);
  if (objects.rows.empty()) {
    CHECK(groups.size() == table.n_rows && objects.target.weighted() == target.weighted());
    return;
  }
  CHECK(objects.begin.size() == groups.size() + 1);
  for (std::size_t i = 0; i < groups.size(); ++i) {
    CHECK(std::vector<std::size_t>(objects.rows.begin() + objects.begin[i],
                                   objects.rows.begin() + objects.begin[i + 1]) == groups[i]);
  }
  check_rows_behind(objects, target, groups);
}

Target with_bins(Target target, std::mt19937& random, std::int32_t n_bins) {
  target.n_bins = n_bins;
  for (std::size_t i = 0; i < target.n_rows; ++i)
    target.labels.push_back(static_cast<std::uint32_t>(random() % static_cast<unsigned>(n_bins)));
  return target;
}

std::vector<Target> targets(std::mt19937& random, std::size_t n) {
  std::vector<std::int32_t> labels;
  std::vector<double> weight;
  for (std::size_t i = 0; i < n; ++i) {
    labels.push_back(static_cast<std::int32_t>(random() % 3));
    weight.push_back(static_cast<double>(1 + random() % 3) / 3);
  }
  return {random_classes(random, n, 2, false),
          random_classes(random, n, 3, true),
          make_class_target(labels.data(), n, 3, {}, {1, 2, 3}, {}),
          make_class_target(labels.data(), n, 3, {}, {5, 5, 5}, {}),
          make_class_target(labels.data(), n, 3, weight, {2, 1, 0.5}, {}),
          make_class_target(labels.data(), n, 3, std::vector<double>(n, 0.3), {}, {}),
          with_bins(random_numbers(random, n, false), random, 4),
          with_bins(random_numbers(random, n, true), random, 2),
          with_bins(random_numbers(random, n, false), random, 1)};
}

}  // namespace

TEST(rows_of_equal_codes_are_one_object) {
  std::mt19937 random(41);
  for (std::size_t n : {1, 2, 60, 300}) {
    std::vector<Table> tables{
        make_table({random_column(random, n, 3, true), random_column(random, n, 2, false)}),
        make_table({random_column(random, n, 1, false)}),  // all equal
        make_table({random_column(random, n, 300, true), random_column(random, n, 2, true)}),
        make_table({random_column(random, n, 400, true, ColumnKind::category),
                    random_column(random, n, 2, false, ColumnKind::category)})};
    CodeColumn distinct{ColumnKind::ordered, 1000, false, {}};
    for (std::uint32_t i = 0; i < n; ++i) distinct.codes.push_back(999 - 3 * i);
    tables.push_back(make_table({random_column(random, n, 2, false), distinct}));
    std::vector<CodeColumn> many;  // more than a block, and a block of one column
    for (int j = 0; j < 17; ++j) many.push_back(random_column(random, n, j % 5 == 0 ? 2 : 1, false));
    tables.push_back(make_table(many));
    for (const Table& table : tables) {
      for (const Target& target : targets(random, n)) check_coalesce(table, target, n == 60 ? 3 : 1);
    }
  }
}

TEST(objects_of_sample_weight_leave_class_weights_to_impurities) {
  std::mt19937 random(45);
  Control control;
  Team team(control);
  for (const std::uint32_t n_codes : {3U, 300U}) {
    const std::size_t n = 60;
    CodeColumn distinct{ColumnKind::ordered, 1000, false, {}};
    for (std::uint32_t i = 0; i < n; ++i) distinct.codes.push_back(n_codes == 3 ? 0 : i);
    const Table table = make_table({random_column(random, n, n_codes, true), distinct});
    for (const Target& target : targets(random, n)) {
      if (target.class_factors.empty()) continue;
      const auto groups = group_slowly(table);
      const Objects objects = coalesce(table, target, control, team, ObjectsWeigh::samples);
      double samples = 0, counted = 0;
      for (std::size_t row = 0; row < n; ++row) {
        samples += sample_of(target, row);
        counted += sample_of(target, row) * objects.target.class_factors[target.labels[row]];
      }
      CHECK(objects.target.factors_apart && close_to(counted, samples));
      const double ratio = objects.target.class_factors[0] / objects.target.class_factors[2];
      CHECK(close_to(ratio, target.class_factors[0] / target.class_factors[2]));
      const bool unit = !objects.target.weighted();
      for (std::size_t i = 0; i < groups.size(); ++i) {
        double sample = 0;
        for (std::size_t row : groups[i]) sample += sample_of(target, row);
        CHECK(close_to(growth_of(objects.target, i), unit ? 1 : sample));
        CHECK(objects.target.labels[i] == heaviest_label(target, groups[i]));
      }
      CHECK(!objects.rows.empty());  // trees tell of growth weights
      check_rows_behind(objects, target, groups);
    }
  }
}

TEST(of_labels_of_equal_weight_the_first_is_the_objects) {
  Control control;
  Team team(control);
  const Table table = make_table({{ColumnKind::ordered, 2, false, {0, 0, 0, 1, 1, 1}}});
  // Three times 0.1 is 0.3 but for the last digit.
  const std::vector<std::int32_t> labels{2, 1, 2, 0, 1, 0};
  const std::vector<double> weight{0.1, 0.3, 0.2, 0.1, 0.3, 0.2};
  const Target target = make_class_target(labels.data(), 6, 3, weight, {}, {});
  const Objects objects = coalesce(table, target, control, team);
  CHECK((objects.target.labels == std::vector<std::uint32_t>{1, 0}));
}

TEST(moments_of_objects_that_need_more_than_64_bits_are_rounded) {
  // Every row's moment is near the largest that fits, so that of a thousand does not.
  const std::size_t n = 3000;
  std::vector<double> y;
  CodeColumn column{ColumnKind::ordered, 3, false, {}};
  for (std::uint32_t i = 0; i < n; ++i) {
    column.codes.push_back(i % 3);
    y.push_back(i % 3 == 0 ? -1 : 1);
  }
  std::mt19937 random(42);
  check_coalesce(make_table({column}), with_bins(make_number_target(y.data(), n, {}), random, 2), 1);
}

TEST(an_interrupt_ends_the_search_for_equal_rows) {
  std::mt19937 random(43);
  const Table table = make_table({random_column(random, 500, 7, false)});
  const Target target = random_classes(random, 500, 2, false);
  Control control;
  int looks = 0;
  control.interrupted = [&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(25));  // the next look is due at once
    return ++looks >= 3;                                         // two are before and after the hashing
  };
  Team team(control);
  bool interrupted = false;
  try {
    coalesce(table, target, control, team);
  } catch (const Interrupted&) {
    interrupted = true;
  }
  CHECK(interrupted);
}

TEST(objects_that_would_pass_the_memory_limit_are_refused) {
  std::mt19937 random(44);
  const Table table = make_table({random_column(random, 5000, 7, false)});
  const Target target = random_classes(random, 5000, 2, false);
  Control control;
  control.memory_limit_bytes = 50000;
  Team team(control);
  bool refused = false;
  try {
    coalesce(table, target, control, team);
  } catch (const MemoryLimitReached&) {
    refused = true;
  }
  CHECK(refused);
}

TEST(bins_that_do_not_fit_a_target_are_refused) {
  std::mt19937 random(45);
  const auto refused = [&](const std::vector<std::int32_t>& bins, std::int32_t n_bins) {
    Target target = random_numbers(random, 3, false);
    try {
      set_bins(target, bins, n_bins);
    } catch (const BadInput&) {
      CHECK(target.labels.empty() && target.n_bins == 0);
      return true;
    }
    return false;
  };
  CHECK(!refused({0, 1, 65535}, 65536));
  CHECK(refused({0, 1}, 2));
  CHECK(refused({0, 1, 2}, 2));
  CHECK(refused({0, 1, -1}, 2));
  CHECK(refused({0, 0, 0}, 0));
  CHECK(refused({0, 1, 1}, std::numeric_limits<std::int32_t>::max()));
}
