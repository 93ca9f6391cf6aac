// Filters of an impurity or a score that has none of its own: exact, and slower.
#pragma once

#include <algorithm>
#include <array>
#include <limits>
#include <vector>

#include "criterion/node_sums.hpp"
#include "criterion/threshold_batch.hpp"

namespace thriftree {

// Every threshold by its decrease.
template <class Measure>
void filter_by_decrease(const Measure& measure, const NodeSums& node, const PrefixBatch& batch, double* q) {
  const std::size_t width = measure.width(node);
  std::vector<double> both(2 * width);
  for (int i = 0; i < batch.m; ++i) {
    const double* left = batch.left + static_cast<std::size_t>(i) * width;
    for (std::size_t k = 0; k < width; ++k) {
      both[k] = left[k];
      both[width + k] = node.sums[k] - left[k];
    }
    const double totals[2] = {batch.left_total[i], node.total - batch.left_total[i]};
    q[i] = totals[0] > 0 && totals[1] > 0 ? node.total * measure.decrease(node, {both, totals})
                                          : -std::numeric_limits<double>::infinity();
  }
}

// Rows by the sums left of each threshold that may follow them.
template <class Measure>
void filter_by_prefixes(const Measure& measure, const NodeSums& node, StreamBatch& batch, double* q) {
  const std::size_t width = measure.width(node);
  std::vector<double> left(static_cast<std::size_t>(batch.m) * width);
  std::array<double, kBatch> left_total, found;
  std::array<int, kBatch> row;
  int m = 0;
  for (int i = 0; i < batch.m; ++i) {
    const double w = batch.weight ? batch.weight[i] : 1.0;
    if (batch.moment) {
      batch.left[0] += w;
      batch.left[1] += batch.moment[i];
    } else {
      batch.left[batch.label[i]] += w;
    }
    batch.left_total += w;
    if (!batch.boundary[i]) continue;
    const auto at = static_cast<std::size_t>(m++);
    std::copy(batch.left.begin(), batch.left.end(), left.begin() + static_cast<std::ptrdiff_t>(at * width));
    left_total[at] = batch.left_total;
    row[at] = i;
  }
  measure.filter_prefixes(node, {m, left.data(), left_total.data()}, found.data());
  for (std::size_t at = 0; at < static_cast<std::size_t>(m); ++at) q[row[at]] = found[at];
}

}  // namespace thriftree
