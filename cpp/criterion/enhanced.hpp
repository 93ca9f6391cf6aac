// The enhanced score of paper 000: balance, efficiency and discrimination.
#pragma once

#include <memory>

#include "criterion/object_sums.hpp"
#include "criterion/score.hpp"

namespace thriftree {

struct EnhancedRates;
struct SplitPairs;

// The three terms of paper 000, Eq. (2), in units of weight.
struct EnhancedTerms {
  double balance = 0, efficiency = 0, discrimination = 0;
};

// B + E + lambda * D. B and E go by the weight of objects, D by that weight times the factors of their
// classes (Statistics::class_factors). With lambda infinite, D alone. The scores of one fit, which differ in
// lambda only, are a family.
class Enhanced final : public Score, public ScoreFamily, private ThresholdBound {
 public:
  // `scale` multiplies D: 1 for classes, 2 / range^2 for numbers.
  Enhanced(std::unique_ptr<Impurity> impurity, double trade_off, double scale, const Statistics& statistics,
           const ObjectWeights& weights);

  EnhancedTerms terms(const NodeSums& node, const BranchSums& branches) const;

  double decrease(const NodeSums& node, const BranchSums& branches) const override;
  double score(double decrease, const NodeSums& node, const BranchSums& branches) const override;
  double of_impurity(double amount, const NodeSums& node) const override {
    return amount * counted_share(node) * (is_plain() ? 1 : trade_off_ * scale_);
  }
  // B is positive for every test; where D alone counts, the impurity decides.
  double refused() const override { return is_plain() ? impurity().refused() : Score::refused(); }
  void filter_prefixes(const NodeSums& node, const PrefixBatch& batch, double* q) const override;
  void filter_stream(const NodeSums& node, StreamBatch& batch, double* q) const override;
  double filter_error(const NodeSums& node) const override;

  const ThresholdBound* bound() const override;
  const ScoreFamily* family() const override { return this; }
  SharedTerms shared_terms(const NodeSums& node, const BranchSums& branches) const override;
  double decrease_from(const SharedTerms& terms, const NodeSums& node) const override;

 private:
  struct Here;     // what is the same for all candidates at a node
  struct Side;     // one branch of a candidate
  struct Columns;  // the left sides of many candidates
  Here here(const NodeSums& node) const;
  Side side(const Here& here, std::span<const double> sums, double weight) const;
  EnhancedRates rates(const NodeSums& node) const;
  bool is_plain() const;  // D alone
  // Of a unit of the node's weight, what D counts: the mean factor of its classes.
  double counted_share(const NodeSums& node) const;
  // See ThresholdBound.
  void look(const NodeSums& node, const SpanEnds& ends, double enough, double* q,
            double* upper) const override;
  EnhancedTerms balance_and_efficiency(const NodeSums& node, const BranchSums& branches) const;
  // Adds B + E of many thresholds to lambda * D, which q has without its factor.
  void complete(const NodeSums& node, const SplitPairs& pairs, const Columns& left, int m, double* q) const;

  double trade_off_, scale_;
  ObjectWeights weights_;
};

}  // namespace thriftree
