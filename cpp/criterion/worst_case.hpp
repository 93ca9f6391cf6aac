// GreedyTree (paper 001): a test is as good as its worst outcome. The test with the least
// max over outcomes of price / (F(S) - F(S_v)) is the one with the largest ln(F(S) / max F(S_v)), as long as
// prices are equal; `per_price` sees to it where they are not.
#pragma once

#include <cmath>
#include <memory>

#include "criterion/score.hpp"
#include "criterion/set_function.hpp"

namespace thriftree {

class WorstCase final : public Score, public BranchPricing, public BatchScoring, private ThresholdBound {
 public:
  // The tree reports `impurity`. A node of F at most `tolerance` is not divided.
  WorstCase(std::unique_ptr<SetFunction> function, std::unique_ptr<Impurity> impurity,
            const Statistics& statistics, double tolerance);

  bool done(const NodeSums& node) const override;
  double refused() const override { return 0; }
  double decrease(const NodeSums& node, const BranchSums& branches) const override;
  double largest_decrease() const override { return kAllGone; }
  double highest_score(const NodeSums&) const override { return kAllGone; }
  const BranchPricing* branch_pricing() const override { return this; }
  double decrease_at_prices(const NodeSums& node, const BranchSums& branches,
                            std::span<const double> cheapness) const override;
  double per_price(double score, double price, double cheapest) const override;
  void filter_prefixes(const NodeSums& node, const PrefixBatch& batch, double* q) const override;
  void filter_stream(const NodeSums& node, StreamBatch& batch, double* q) const override;
  double filter_error(const NodeSums&) const override { return 2e-12; }
  // Filters tell the largest share of F that is left, and less of it is better.
  double filtered(double decrease, const NodeSums&) const override { return -std::exp(-decrease); }
  double filtered_nothing() const override { return -1; }
  const ThresholdBound* bound() const override { return function_->in_batches() ? nullptr : this; }
  const BatchScoring* batch_scoring() const override { return function_->in_batches() ? this : nullptr; }
  void score_candidates(const NodeSums& node, std::span<const double> branches, std::size_t n_candidates,
                        std::size_t n_branches, double price, std::span<double> scores) const override;

 private:
  // F is monotone: inside a span a branch has at least what lies surely in it.
  void look(const NodeSums& node, const SpanEnds& ends, double enough, double* q,
            double* upper) const override;

  std::unique_ptr<SetFunction> function_;
  double tolerance_;
};

}  // namespace thriftree
