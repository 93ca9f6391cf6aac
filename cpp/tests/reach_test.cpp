// What thresholds gain at most, seen from afar, against all thresholds.
#include "rows/reach.hpp"

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "criterion/impurity_registry.hpp"
#include "rows/histogram.hpp"
#include "spanned_rows.hpp"
#include "testing.hpp"

using namespace thriftree;
using namespace thriftree::testing;

namespace {

constexpr double kReachUnit = 0x1p-40, kReachStep = 0x1p-4;

// One column: the spans are its codes, and perhaps the last of them that of missing values.
struct CountedSpans {
  std::size_t n_known, n_codes;
  std::vector<std::uint32_t> rows;    // by class
  std::vector<std::int64_t> weights;  // by class
  std::vector<NumberSums> numbers;

  CountedSpans(const SpannedRows& spanned, std::size_t n_classes, bool has_missing)
      : n_known(spanned.ends.size() - (has_missing ? 2 : 1)),
        n_codes(spanned.ends.size() - 1),
        rows(n_classes * n_codes),
        weights(n_classes * n_codes),
        numbers(n_codes) {
    for (std::size_t code = 0; code < n_codes; ++code) {
      for (std::size_t i = spanned.ends[code]; i < spanned.ends[code + 1]; ++i) {
        const BoundedRow& row = spanned.rows[i];
        const auto weight = std::llround(row.weight / kReachUnit);
        if (n_classes > 0) {
          ++rows[row.label * n_codes + code];
          weights[row.label * n_codes + code] += weight;
          continue;
        }
        const auto moment = std::llround(row.weight * row.y / kReachUnit);
        const auto steps = static_cast<std::uint64_t>(row.weight * row.y * row.y / kReachStep) + 1;
        numbers[code].low += static_cast<std::uint32_t>(moment);
        numbers[code].high += static_cast<std::uint64_t>(moment >> 32);
        numbers[code].squares += (steps << 32) + 1;
        numbers[code].weight += weight;
      }
    }
  }
};

// The most that any threshold gains: missing values are the last rows, and join either side.
double most_gained(const Impurity& impurity, const SpannedRows& spanned, std::size_t n_known, double least) {
  const bool numbers = impurity.for_numbers();
  const std::size_t width = numbers ? 2 : spanned.sums.size(), known = spanned.ends[n_known];
  double most = -1;
  for (const bool missing_left : {false, true}) {
    std::vector<double> left(width);
    double total = 0;
    const auto add = [&](const BoundedRow& row) {
      total += row.weight;
      left[numbers ? 0 : row.label] += row.weight;
      if (numbers) left[1] += row.weight * row.y;
    };
    for (std::size_t i = known; missing_left && i < spanned.rows.size(); ++i) add(spanned.rows[i]);
    for (std::size_t i = 0; i < known; ++i) {
      add(spanned.rows[i]);
      if (total < least || spanned.total - total < least || spanned.total - total < 1e-9 * spanned.total)
        continue;
      std::vector<double> both = left;
      for (std::size_t k = 0; k < width; ++k) both.push_back(spanned.sums[k] - left[k]);
      const double totals[2] = {total, spanned.total - total};
      most = std::max(most, spanned.total * impurity.decrease(spanned.node(), {both, totals}));
    }
  }
  return most;
}

double reach(const SpannedRows& spanned, const CountedSpans& counted, const AfarNode& node, bool weighted,
             bool has_missing) {
  ReachScratch scratch;
  const std::size_t n_codes = counted.n_codes;
  if (node.bound.share.empty())
    return reach_of(NumberCounts{counted.numbers.data(), counted.n_known, has_missing, true, kReachUnit,
                                 kReachUnit, kReachStep},
                    node, scratch);
  if (!weighted)
    return reach_of(
        ClassCounts<std::uint32_t>{counted.rows.data(), n_codes, counted.n_known, has_missing, 0, 1}, node,
        scratch);
  int shift = 0;
  while (std::ldexp(spanned.total / kReachUnit, -shift) >= 0x1p30) ++shift;
  return reach_of(ClassCounts<std::int64_t>{counted.weights.data(), n_codes, counted.n_known, has_missing,
                                            shift, std::ldexp(kReachUnit, shift)},
                  node, scratch);
}

}  // namespace

TEST(no_threshold_of_a_column_gains_more_than_is_seen_from_afar) {
  std::mt19937 random(17);
  for (const std::string name : {"gini", "entropy", "squared_error"}) {
    const auto impurity = make_impurity(name);
    const bool numbers = impurity->for_numbers();
    for (int trial = 0; trial < 2000; ++trial) {
      const std::size_t n_classes = numbers ? 0 : std::vector<std::size_t>{2, 3, 7, 20}[random() % 4];
      SpannedRows spanned = random_spans(random, n_classes, trial % 3);
      const bool has_missing = random() % 3 == 0 && spanned.ends.size() > 2;
      bool weighted = false;
      double largest = 0;
      for (const BoundedRow& row : spanned.rows) {
        weighted = weighted || row.weight != 1;
        largest = std::max(largest, std::abs(row.y));
      }
      const CountedSpans counted(spanned, n_classes, has_missing);
      const double least = random() % 2 == 0 ? 0 : spanned.total * 0.2;
      const AfarNode node{*impurity->bound()->from_afar(spanned.node()), spanned.total, least, largest};
      for (const bool as_weights : {false, true}) {
        if (!as_weights && weighted) continue;
        const double seen = reach(spanned, counted, node, as_weights, has_missing);
        for (int order = 0; order < 4; ++order) {
          for (std::size_t span = 0; span + 1 < spanned.ends.size(); ++span)
            reorder(spanned, span, order, numbers, random);
          const double most = most_gained(*impurity, spanned, counted.n_known, least);
          CHECK(most < 0 || most <= seen * (1 + 1e-9) + 1e-9 * spanned.total);
        }
      }
    }
  }
}

TEST(from_afar_a_column_that_says_little_is_told_from_one_that_says_much) {
  std::mt19937 random(5);
  for (const std::string name : {"gini", "entropy", "squared_error"}) {
    const auto impurity = make_impurity(name);
    const std::size_t n_classes = impurity->for_numbers() ? 0 : 7;
    double seen[2];
    for (const bool says_much : {false, true}) {
      SpannedRows spanned;
      spanned.sums.assign(n_classes > 0 ? n_classes : 3, 0.0);
      spanned.ends = {0};
      const std::size_t n = 10'000;
      for (std::size_t i = 0; i < n; ++i) {
        const std::size_t label = says_much && random() % 3 == 0 ? i * 7 / n : random() % 7;
        const auto y = static_cast<double>(label) - 3;
        spanned.rows.push_back({label, 1.0, y});
        if (n_classes > 0) {
          spanned.sums[label] += 1;
        } else {
          spanned.sums[0] += 1;
          spanned.sums[1] += y;
          spanned.sums[2] += y * y;
        }
        if ((i + 1) % 40 == 0) spanned.ends.push_back(i + 1);
      }
      spanned.total = static_cast<double>(n);
      const CountedSpans counted(spanned, n_classes, false);
      const AfarNode node{*impurity->bound()->from_afar(spanned.node()), spanned.total, 100, 3};
      seen[says_much] = reach(spanned, counted, node, false, false);
      const double most = most_gained(*impurity, spanned, counted.n_known, 100);
      if (says_much) CHECK(seen[0] < most);
      CHECK(!says_much || seen[1] < 3 * most);
    }
    CHECK(seen[0] < seen[1] / 2);
  }
}
