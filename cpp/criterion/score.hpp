// What a score is: it says which of many tests is best. One score, one file; score_registry.cpp lists them.
//
// A score stands on an impurity, which the tree reports, and says which sums it needs beside the plain ones
// (Statistics). It must give `decrease`; everything else has a default. What only some scores can do they
// offer by a trait, null where they do not: nothing asks for a score's name.
#pragma once

#include <cstddef>
#include <limits>
#include <memory>
#include <span>

#include "criterion/impurity.hpp"
#include "criterion/statistics.hpp"

namespace thriftree {

// A candidate as every score of a family sees it, whose members differ in one factor only.
struct SharedTerms {
  double fixed = 0, factored = 0;
};

// A family of scores: what its members share of a candidate, and a member's own decrease from that, to the
// last digit that of Score::decrease.
class ScoreFamily {
 public:
  virtual ~ScoreFamily() = default;
  virtual SharedTerms shared_terms(const NodeSums& node, const BranchSums& branches) const = 0;
  virtual double decrease_from(const SharedTerms& terms, const NodeSums& node) const = 0;
};

// A score for which the price of each branch matters: a test of which outcomes differ in price is scored
// by this; cheapness[v] is the test's least price over that of branch v.
class BranchPricing {
 public:
  virtual ~BranchPricing() = default;
  virtual double decrease_at_prices(const NodeSums& node, const BranchSums& branches,
                                    std::span<const double> cheapness) const = 0;
};

// A score that is slow to call and quick for many candidates at once: this replaces decrease and score.
// branches: n_candidates * n_branches * width sums.
class BatchScoring {
 public:
  virtual ~BatchScoring() = default;
  virtual void score_candidates(const NodeSums& node, std::span<const double> branches,
                                std::size_t n_candidates, std::size_t n_branches, double price,
                                std::span<double> scores) const = 0;
};

class Score {
 public:
  Score(std::unique_ptr<Impurity> impurity, const Statistics& statistics);
  virtual ~Score() = default;

  const Impurity& impurity() const { return *impurity_; }
  const Statistics& statistics() const { return statistics_; }
  bool for_numbers() const { return impurity_->for_numbers(); }
  // Sums of a branch.
  std::size_t width(const NodeSums& node) const { return node.sums.size() - (for_numbers() ? 1 : 0); }
  // Called once before a fit: no node will hold more than `n_rows` rows. `unit`: every row weighs 1.
  void prepare(std::size_t n_rows, bool unit) {
    impurity_->prepare(n_rows, unit && statistics_.class_factors.empty());
  }

  // The impurity of a node whose sums are those of the statistics, and its decrease.
  double impurity_of(const NodeSums& node) const;
  double impurity_decrease(const NodeSums& node, const BranchSums& branches) const;
  // A set of rows that weighs `total`, and a unit of the weight of class k in it, as impurities count them.
  double counted(std::span<const double> sums, double total) const;
  double class_factor(std::size_t k) const {
    return statistics_.class_factors.empty() ? 1 : statistics_.class_factors[k];
  }

  // What a candidate gains: of a column's candidates that gain alike, the one of the largest wins.
  virtual double decrease(const NodeSums& node, const BranchSums& branches) const = 0;
  // What a decrease of the node's impurity by this much adds to a candidate's decrease; 0 for scores that do
  // not count by impurity.
  virtual double of_impurity(double, const NodeSums&) const { return 0; }
  // No decrease is larger: once it is reached, the other candidates need no look.
  virtual double largest_decrease() const { return std::numeric_limits<double>::infinity(); }
  // No test of the node has a higher score; infinity where nobody knows.
  virtual double highest_score(const NodeSums&) const { return std::numeric_limits<double>::infinity(); }
  // What candidates of different columns are compared by.
  virtual double score(double decrease, const NodeSums& node, const BranchSums& branches) const;
  // What a test of this score is worth for its price; `cheapest` is the least price of any test at the node.
  virtual double per_price(double score, double price, double cheapest) const;
  // May a test of this decrease be made? Not up to `refused`.
  bool admits(double decrease) const { return decrease > refused(); }
  virtual double refused() const { return -std::numeric_limits<double>::infinity(); }
  // Is the node good enough as it is, whatever a test could gain?
  virtual bool done(const NodeSums& node) const;

  // q[i] = node.total * decrease of threshold i, or another number that orders thresholds alike, within
  // filter_error. Entries without a boundary may hold anything. Rows are filtered only where the statistics
  // are the plain ones.
  virtual void filter_prefixes(const NodeSums& node, const PrefixBatch& batch, double* q) const;
  virtual void filter_stream(const NodeSums& node, StreamBatch& batch, double* q) const;
  virtual double filter_error(const NodeSums& node) const;
  // What a filter says of a threshold of this decrease, but for its error, and of one that gains nothing:
  // what a threshold is worth for its price rises in proportion to how far it is above that.
  virtual double filtered(double decrease, const NodeSums& node) const { return node.total * decrease; }
  virtual double filtered_nothing() const { return 0; }

  // As Impurity::bound, of thresholds of this score. Only scores have one whose `score` is, at a node, the
  // decrease times the same number for all candidates.
  virtual const ThresholdBound* bound() const { return nullptr; }
  virtual const ScoreFamily* family() const { return nullptr; }
  virtual const BranchPricing* branch_pricing() const { return nullptr; }
  virtual const BatchScoring* batch_scoring() const { return nullptr; }

 private:
  std::unique_ptr<Impurity> impurity_;
  Statistics statistics_;
};

}  // namespace thriftree
