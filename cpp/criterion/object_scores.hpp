// Scores that count objects: the enhanced score of paper 000, and its two baselines. Each stands on an
// impurity, which it reports and, for the enhanced score, adds.
#pragma once

#include <memory>

#include "criterion/channels.hpp"
#include "criterion/criterion.hpp"

namespace thriftree {

// How the objects of a fit weigh.
struct ObjectWeights {
  double total = 1;        // of all objects
  double theta = 0;        // a node of at most this weight may stay as it is
  bool unit = false;       // every object weighs 1, so that counts are weights
  bool all_heavy = false;  // every object weighs more than theta
};

// What the enhanced score needs to know of objects, where a node of the share `theta` of all weight may stay
// as it is. Throws BadInput where `theta` is negative or not a number.
struct ObjectSums {
  Channels channels;
  ObjectWeights weights;
};
ObjectSums object_sums(const TargetHeader& target, double theta);

// The three terms of paper 000, Eq. (2), in units of weight.
struct EnhancedTerms {
  double balance = 0, efficiency = 0, discrimination = 0;
};

// B + E + lambda * D. With lambda infinite, D alone.
class Enhanced final : public Criterion {
 public:
  // `scale` multiplies D: 1 for classes, 2 / range^2 for numbers.
  Enhanced(std::unique_ptr<Criterion> impurity, double trade_off, double scale, const Channels& channels,
           const ObjectWeights& weights);

  EnhancedTerms terms(const NodeSums& node, const BranchSums& branches) const;

  bool for_numbers() const override { return impurity_->for_numbers(); }
  std::size_t plain_width(const NodeSums&) const override { return channels_.base; }
  void prepare(std::size_t n_rows, bool unit) override { impurity_->prepare(n_rows, unit); }
  double impurity(const NodeSums& node) const override;
  double decrease(const NodeSums& node, const BranchSums& branches) const override;
  std::optional<SharedTerms> shared_terms(const NodeSums& node, const BranchSums& branches) const override;
  double decrease_from(const SharedTerms& terms, const NodeSums& node) const override;
  double score(double decrease, const NodeSums& node, const BranchSums& branches) const override;
  void filter_prefixes(const NodeSums& node, const PrefixBatch& batch, double* q) const override;
  double filter_error(const NodeSums& node) const override;
  bool reads_streams() const override { return false; }

 private:
  struct Here;  // what is the same for all candidates at a node
  struct Side;  // one branch of a candidate
  Here here(const NodeSums& node) const;
  Side side(const Here& here, std::span<const double> sums, double weight) const;
  bool is_plain() const;  // D alone
  double impurity_decrease(const NodeSums& node, const BranchSums& branches) const;
  EnhancedTerms balance_and_efficiency(const NodeSums& node, const BranchSums& branches) const;

  std::unique_ptr<Criterion> impurity_;
  double trade_off_, scale_;
  Channels channels_;
  ObjectWeights weights_;
};

// Pairs of objects of different classes that a test separates; `weighted`: each pair counts p_i * p_j.
std::unique_ptr<Criterion> make_impure_pairs(std::unique_ptr<Criterion> impurity, const Channels& channels,
                                             bool weighted);
// The weight outside the heaviest branch: the most even split.
std::unique_ptr<Criterion> make_balance(std::unique_ptr<Criterion> impurity, const Channels& channels);

}  // namespace thriftree
