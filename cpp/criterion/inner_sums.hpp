// What a criterion that stands on an impurity shows it of a node: the plain sums only.
#pragma once

#include <array>

#include "criterion/node_sums.hpp"
#include "criterion/statistics.hpp"
#include "criterion/sum_over.hpp"

namespace thriftree {

class InnerSums {
 public:
  InnerSums(const NodeSums& node, const Statistics& statistics, bool numbers) {
    if (numbers) numbers_ = {node.sums[0], node.sums[1], node.sums.back()};
    view_ = {numbers ? std::span<const double>(numbers_) : node.sums.first(statistics.base), node.total};
  }
  InnerSums(const InnerSums&) = delete;
  InnerSums& operator=(const InnerSums&) = delete;
  const NodeSums& view() const { return view_; }

 private:
  std::array<double, 3> numbers_{};
  NodeSums view_;
};

// Objects per group.
inline std::span<const double> object_counts(std::span<const double> sums, const Statistics& statistics) {
  return statistics.counts ? sums.subspan(statistics.counts_at(), statistics.n_groups)
                           : sums.first(statistics.base);
}

// Objects, and pairs of them in different groups: the sum over i < j of n_i * n_j.
struct ObjectsAndPairs {
  double objects = 0, pairs = 0;
};
inline ObjectsAndPairs objects_and_pairs(std::span<const double> counts) {
  if (counts.size() == 2) return {counts[0] + counts[1], counts[0] * counts[1]};
  const double objects = sum_over(counts.size(), [&](std::size_t k) { return counts[k]; });
  const double squares = sum_over(counts.size(), [&](std::size_t k) { return counts[k] * counts[k]; });
  return {objects, (objects * objects - squares) / 2};
}

}  // namespace thriftree
