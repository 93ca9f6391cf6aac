// What a node and the branches of a candidate have summed up to, as impurities and scores see them.
//
// Sums are `width` doubles: the weight of each class, or {weight, sum of weight * y} for numbers (y is
// centred, see Target), then whatever else a score asks the row store for (Statistics). A node of numbers has
// one more at the end, the sum of weight * y^2.
#pragma once

#include <cstddef>
#include <span>

namespace thriftree {

// A node's sums, as every score at that node sees them.
struct NodeSums {
  std::span<const double> sums;
  double total = 0;   // weight of the node: the sum of the class weights, or sums[0] for numbers
  double pairs = -1;  // of its objects, those of different classes or bins; -1: not known
};

// The branches of one candidate: the sums of each, and each one's total weight.
class BranchSums {
 public:
  // `sums` holds as many per branch as there are; an impurity inside a score sees the first `width` of them.
  BranchSums(std::span<const double> sums, std::span<const double> branch_totals)
      : totals(branch_totals), sums_(sums), stride_(sums.size() / branch_totals.size()), width_(stride_) {}
  BranchSums first(std::size_t width) const {
    BranchSums part = *this;
    part.width_ = width;
    return part;
  }
  std::span<const double> branch(std::size_t v) const { return sums_.subspan(v * stride_, width_); }

  std::span<const double> totals;

 private:
  std::span<const double> sums_;
  std::size_t stride_, width_;
};

}  // namespace thriftree
