// Bounds of thresholds that nobody has looked at, against all of them: of every impurity that has a bound.
#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "criterion/impurity_registry.hpp"
#include "spanned_rows.hpp"
#include "testing.hpp"

using namespace thriftree;
using namespace thriftree::testing;

namespace {

void add(const BoundedRow& row, bool numbers, std::vector<double>& left, double& total) {
  total += row.weight;
  if (numbers) {
    left[0] += row.weight;
    left[1] += row.weight * row.y;
  } else {
    left[row.label] += row.weight;
  }
}

double gain(const Impurity& impurity, const SpannedRows& spanned, const std::vector<double>& left,
            double total) {
  std::vector<double> both = left;
  for (std::size_t k = 0; k < left.size(); ++k) both.push_back(spanned.sums[k] - left[k]);
  const double totals[2] = {total, spanned.total - total};
  return spanned.total * impurity.decrease(spanned.node(), {both, totals});
}

// The ends as a bound sees them.
struct LookedAt {
  std::vector<double> left, left_total, squares, q, upper;
  SpanEnds ends;

  LookedAt(const SpannedRows& spanned, bool numbers) {
    const std::size_t m = spanned.ends.size(), width = numbers ? 2 : spanned.sums.size();
    left.resize(width * m);
    left_total.resize(m);
    squares.assign(m, 0.0);
    q.resize(m);
    upper.resize(m);
    std::vector<double> sums(width);
    double total = 0;
    for (std::size_t i = 0; i < m; ++i) {
      for (std::size_t row = i == 0 ? 0 : spanned.ends[i - 1]; row < spanned.ends[i]; ++row) {
        add(spanned.rows[row], numbers, sums, total);
        squares[i - 1] += spanned.rows[row].weight * spanned.rows[row].y * spanned.rows[row].y;
      }
      for (std::size_t k = 0; k < width; ++k) left[k * m + i] = sums[k];
      left_total[i] = total;
    }
    const auto [low, high] = std::minmax_element(spanned.rows.begin(), spanned.rows.end(),
                                                 [](const auto& a, const auto& b) { return a.y < b.y; });
    ends = {static_cast<int>(m), left.data(), m, left_total.data(), low->y, high->y, squares.data()};
  }
};

}  // namespace

TEST(no_threshold_inside_a_span_gains_more_than_its_bound) {
  std::mt19937 random(11);
  for (const std::string& name : impurity_names()) {
    const auto impurity = make_impurity(name);
    const ThresholdBound* bound = impurity->bound();
    if (!bound) continue;
    const bool numbers = impurity->for_numbers();
    for (int trial = 0; trial < 1500; ++trial) {
      const std::size_t n_classes = numbers ? 0 : std::vector<std::size_t>{2, 3, 7, 20}[random() % 4];
      SpannedRows spanned = random_spans(random, n_classes, trial % 3);
      LookedAt seen(spanned, numbers);
      // Told closely everywhere, nowhere, and where it is above what some ends gain.
      const double enough = std::vector<double>{-1e300, 1e300, 0.3 * spanned.total}[random() % 3];
      bound->look(spanned.node(), seen.ends, enough, seen.q.data(), seen.upper.data());
      const double error = 4 * impurity->filter_error(spanned.node());
      for (int order = 0; order < 4; ++order) {
        std::vector<double> left(numbers ? 2 : n_classes);
        double total = 0;
        for (std::size_t span = 0; span + 1 < spanned.ends.size(); ++span) {
          reorder(spanned, span, order, numbers, random);
          const auto begin = spanned.rows.begin() + static_cast<std::ptrdiff_t>(spanned.ends[span]);
          const auto end = spanned.rows.begin() + static_cast<std::ptrdiff_t>(spanned.ends[span + 1]);
          for (auto row = begin; row != end; ++row) {
            add(*row, numbers, left, total);
            if (spanned.total - total <= 1e-9 * spanned.total) continue;  // all rows: no threshold
            const double gained = gain(*impurity, spanned, left, total);
            if (row + 1 != end) {
              CHECK(gained <= seen.upper[span] * (1 + 1e-12) + error);
            } else {
              const double apart = seen.q[span + 1] - gained, close = error + 1e-11 * std::abs(gained);
              CHECK(apart <= close);
              CHECK(gained < enough || -apart <= close);
            }
          }
        }
      }
    }
  }
}

TEST(a_bound_is_no_more_than_a_few_rows_above_the_ends_of_its_span) {
  // A bound that is always large would be true, and every span would be opened.
  std::mt19937 random(3);
  for (const std::string name : {"gini", "entropy"}) {
    const auto impurity = make_impurity(name);
    for (const std::size_t n_classes : {2, 7}) {
      SpannedRows spanned;
      spanned.sums.assign(n_classes, 0.0);
      spanned.ends = {0};
      for (std::size_t i = 0; i < 100'000; ++i) {
        const std::size_t label = random() % 3 == 0 ? i * n_classes / 100'000 : random() % n_classes;
        spanned.rows.push_back({label, 1.0, 0.0});
        spanned.sums[label] += 1;
        if ((i + 1) % 400 == 0) spanned.ends.push_back(i + 1);
      }
      spanned.total = 100'000;
      LookedAt seen(spanned, false);
      impurity->bound()->look(spanned.node(), seen.ends, -1e300, seen.q.data(), seen.upper.data());
      const double best = *std::max_element(seen.q.begin(), seen.q.end());
      const auto opened = std::count_if(seen.upper.begin(), seen.upper.end() - 1,
                                        [&](double upper) { return upper >= best; });
      CHECK(opened >= 1);
      CHECK(opened <= 30);
    }
  }
}
