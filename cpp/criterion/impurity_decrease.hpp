// The score of CART and ID3: what a test takes from the impurity.
#pragma once

#include "criterion/score.hpp"

namespace thriftree {

class ImpurityDecrease : public Score {
 public:
  using Score::Score;
  double decrease(const NodeSums& node, const BranchSums& branches) const override {
    return impurity().decrease(node, branches);
  }
  double of_impurity(double amount, const NodeSums&) const override { return amount; }
  double highest_score(const NodeSums& node) const override { return impurity().largest_decrease(node); }
  double refused() const override { return impurity().refused(); }
  void filter_prefixes(const NodeSums& node, const PrefixBatch& batch, double* q) const override {
    impurity().filter_prefixes(node, batch, q);
  }
  void filter_stream(const NodeSums& node, StreamBatch& batch, double* q) const override {
    impurity().filter_stream(node, batch, q);
  }
  double filter_error(const NodeSums& node) const override { return impurity().filter_error(node); }
  const ThresholdBound* bound() const override { return impurity().bound(); }
};

}  // namespace thriftree
