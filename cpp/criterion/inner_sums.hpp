// What a criterion that stands on an impurity shows it of a node: the plain sums only, those of classes times
// their factors.
#pragma once

#include <array>
#include <vector>

#include "criterion/node_sums.hpp"
#include "criterion/statistics.hpp"
#include "criterion/sum_over.hpp"

namespace thriftree {

class InnerSums {
 public:
  InnerSums(const NodeSums& node, const Statistics& statistics, bool numbers) {
    if (numbers) numbers_ = {node.sums[0], node.sums[1], node.sums.back()};
    view_ = {numbers ? std::span<const double>(numbers_) : node.sums.first(statistics.base), node.total};
    if (statistics.class_factors.empty()) return;
    counted_.resize(statistics.base);
    view_ = {counted_, count(node.sums, statistics, counted_)};
  }
  InnerSums(const InnerSums&) = delete;
  InnerSums& operator=(const InnerSums&) = delete;
  const NodeSums& view() const { return view_; }

  // The plain sums times the factors of their classes; returns their total.
  static double count(std::span<const double> sums, const Statistics& statistics, std::span<double> out) {
    double total = 0;
    for (std::size_t k = 0; k < statistics.base; ++k) total += out[k] = sums[k] * statistics.class_factors[k];
    return total;
  }

 private:
  std::array<double, 3> numbers_{};
  std::vector<double> counted_;
  NodeSums view_;
};

// The same of the branches of a candidate.
class InnerBranches {
 public:
  InnerBranches(const BranchSums& branches, const Statistics& statistics)
      : sums_(statistics.base * branches.totals.size()), totals_(branches.totals.size()) {
    for (std::size_t v = 0; v < totals_.size(); ++v)
      totals_[v] = InnerSums::count(branches.branch(v), statistics,
                                    std::span(sums_).subspan(v * statistics.base, statistics.base));
  }
  BranchSums view() const { return {sums_, totals_}; }

 private:
  std::vector<double> sums_, totals_;
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
