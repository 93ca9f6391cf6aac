// Entropy in bits, and its logarithm.
#pragma once

#include <vector>

#include "criterion/entropy_bound.hpp"
#include "criterion/impurity.hpp"

namespace thriftree {

// x * log2(x), 0 at 0; relative error below 1e-14. Has no branches, so loops over it become vector code.
double x_log2_x(double x);

class Entropy final : public Impurity {
 public:
  std::string summary() const override { return "bits needed to name the class: -sum p log2 p"; }
  void prepare(std::size_t n_rows, bool unit) override;
  double of(const NodeSums& node) const override;
  double largest_decrease(const NodeSums& node) const override { return all_of(node); }
  double decrease(const NodeSums& node, const BranchSums& branches) const override;
  void filter_prefixes(const NodeSums& node, const PrefixBatch& batch, double* q) const override;
  void filter_stream(const NodeSums& node, StreamBatch& batch, double* q) const override;
  double filter_error(const NodeSums& node) const override;
  const ThresholdBound* bound() const override { return &bound_; }

 private:
  bool tabled(const NodeSums& node) const { return node.total < static_cast<double>(table_.size()); }

  EntropyBound bound_;
  std::vector<double> table_;  // table_[x] = x * log2(x) for whole x; filled only when every row weighs 1
};

}  // namespace thriftree
