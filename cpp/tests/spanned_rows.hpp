// Rows in the order of a column, counted in spans: what bounds of thresholds are held to.
#pragma once

#include <algorithm>
#include <cstddef>
#include <random>
#include <vector>

#include "criterion/node_sums.hpp"

namespace thriftree::testing {

struct BoundedRow {
  std::size_t label;
  double weight, y;
};

// Rows in the order of a column, and where its spans end.
struct SpannedRows {
  std::vector<BoundedRow> rows;
  std::vector<std::size_t> ends;  // 0, ..., rows.size()
  std::vector<double> sums;       // of all rows, as a node holds them
  double total = 0;
  NodeSums node() const { return {sums, total}; }
};

inline SpannedRows random_spans(std::mt19937& random, std::size_t n_classes, int kind) {
  std::uniform_real_distribution<double> uniform(0, 1);
  std::normal_distribution<double> normal(0, 1);
  SpannedRows result;
  const std::size_t n = 2 + random() % 120;
  const bool few_values = random() % 2 == 0, drifts = random() % 2 == 0;
  const double far = random() % 3 == 0 ? 100 : 0;
  result.sums.assign(n_classes > 0 ? n_classes : 3, 0.0);
  for (std::size_t i = 0; i < n; ++i) {
    const double w = kind == 0   ? 1.0
                     : kind == 1 ? static_cast<double>(1 + random() % 5)
                                 : uniform(random) + 1e-3;
    double y = few_values ? static_cast<double>(random() % 3) : normal(random);
    y += far + (drifts ? 3.0 * static_cast<double>(i) / static_cast<double>(n) : 0);
    std::size_t label = n_classes > 0 ? random() % n_classes : 0;
    if (drifts && n_classes > 0 && uniform(random) < 0.8) label = i * n_classes / n;
    result.rows.push_back({label, w, y});
    result.total += w;
    if (n_classes > 0) {
      result.sums[label] += w;
    } else {
      result.sums[0] += w;
      result.sums[1] += w * y;
      result.sums[2] += w * y * y;
    }
  }
  result.ends = {0};
  const std::size_t longest = 1 + random() % (random() % 2 ? 5 : 60);
  while (result.ends.back() < n)
    result.ends.push_back(std::min(n, result.ends.back() + 1 + random() % longest));
  return result;
}

// Puts the rows of a span into another order: at random, and with classes or numbers in order, up or down;
// the last two reach the corners of the box.
inline void reorder(SpannedRows& spanned, std::size_t span, int order, bool numbers, std::mt19937& random) {
  const auto begin = spanned.rows.begin() + static_cast<std::ptrdiff_t>(spanned.ends[span]);
  const auto end = spanned.rows.begin() + static_cast<std::ptrdiff_t>(spanned.ends[span + 1]);
  std::shuffle(begin, end, random);
  if (order < 2) return;
  std::stable_sort(begin, end, [&](const BoundedRow& a, const BoundedRow& b) {
    const bool less = numbers ? a.y < b.y : a.label < b.label;
    const bool more = numbers ? a.y > b.y : a.label > b.label;
    return order == 2 ? less : more;
  });
}

}  // namespace thriftree::testing
