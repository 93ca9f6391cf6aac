// What a criterion is: it turns sums into a score. One criterion, one file; registry.cpp lists them.
//
// Sums are `width` doubles: the weight of each class, or {weight, sum of weight * y} for numbers (y is
// centred, see Target), then whatever else the criterion asks the row store for (Channels). A criterion must
// give `impurity`; everything else has a default that follows from it.
// The two filters exist for speed: they score many thresholds at once, approximately, and the few that may be
// best are then scored by `decrease`, so a filter can never change a tree.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace thriftree {

inline constexpr int kBatch = 256;  // thresholds a filter sees at once

// A node's sums, as every score at that node sees them.
struct NodeSums {
  std::span<const double> sums;
  double total = 0;   // weight of the node: the sum of the class weights, or sums[0] for numbers
  double pairs = -1;  // of its objects, those of different classes or bins; -1: not known
};

// The branches of one candidate: the sums of each, and each one's total weight.
class BranchSums {
 public:
  // `sums` holds as many per branch as there are; a criterion inside another sees the first `width` of them.
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

// Thresholds after each of `m` runs of codes. left[i * width ..] are the sums of everything on the left of
// threshold i.
struct PrefixBatch {
  int m = 0;
  const double* left = nullptr;
  const double* left_total = nullptr;
};

// Thresholds after each of `m` single rows in order of a column's values.
struct StreamBatch {
  int m = 0;
  const std::uint16_t* label = nullptr;    // classes: each row's class
  const double* weight = nullptr;          // each row's weight; null: 1
  const double* moment = nullptr;          // numbers: each row's weight * y
  const std::uint8_t* boundary = nullptr;  // 1 where a threshold may follow row i
  // Sums of everything on the left before row 0. A filter leaves them as they are after row m - 1.
  std::span<double> left;
  double left_total = 0;
};

// A candidate as every criterion of a family sees it, whose members differ in one factor only.
struct SharedTerms {
  double fixed = 0, factored = 0;
};

class Criterion {
 public:
  virtual ~Criterion() = default;

  // One line for users: what it measures.
  virtual std::string summary() const { return ""; }

  virtual bool for_numbers() const { return false; }

  // Sums of a branch; a node of numbers has one more, the sum of weight * y^2.
  std::size_t width(const NodeSums& node) const { return node.sums.size() - (for_numbers() ? 1 : 0); }

  // How many of these are the plain ones, which every criterion sees: they come first.
  virtual std::size_t plain_width(const NodeSums& node) const { return width(node); }

  // Called once before a fit: no node will hold more than `n_rows` rows. `unit`: every row weighs 1.
  virtual void prepare(std::size_t n_rows, bool unit);

  // Is the node good enough as it is, whatever a test could gain?
  virtual bool done(const NodeSums& node) const {
    (void)node;
    return false;
  }

  // Must a test gain something to be taken?
  virtual bool needs_gain() const { return false; }

  // Impurity per unit of weight. For numbers the last entry of `node.sums` is the sum of weight * y^2.
  virtual double impurity(const NodeSums& node) const = 0;

  // impurity(node) minus the weighted mean of its branches' impurities; never negative for a concave
  // impurity. Written so that small decreases keep their digits, because ties are decided at 1e-12.
  virtual double decrease(const NodeSums& node, const BranchSums& branches) const;

  // No decrease is larger: once it is reached, the other candidates need no look.
  virtual double largest_decrease() const { return std::numeric_limits<double>::infinity(); }

  // For a family of criteria: what its members share of a candidate, and a member's own decrease from that,
  // to the last digit the one above.
  virtual std::optional<SharedTerms> shared_terms(const NodeSums& node, const BranchSums& branches) const {
    (void)node, (void)branches;
    return {};
  }
  virtual double decrease_from(const SharedTerms& terms, const NodeSums& node) const {
    (void)node;
    return terms.factored;
  }

  // What candidates of different columns are compared by.
  virtual double score(double decrease, const NodeSums& node, const BranchSums& branches) const;

  // What a test of this score is worth for its price; `cheapest` is the least price of any test at the node.
  virtual double per_price(double score, double price, double cheapest) const {
    (void)cheapest;
    return score / price;
  }

  // Does it matter which branch is how dear? Then a test of which outcomes differ in price is scored by
  // `decrease_at_prices`; cheapness[v] is the test's least price over that of branch v.
  virtual bool prices_branches() const { return false; }
  virtual double decrease_at_prices(const NodeSums& node, const BranchSums& branches,
                                    std::span<const double> cheapness) const {
    (void)cheapness;
    return decrease(node, branches);
  }

  // q[i] = node.total * decrease of threshold i, or another number that orders thresholds alike, within
  // filter_error. Entries without a boundary may hold anything.
  virtual void filter_prefixes(const NodeSums& node, const PrefixBatch& batch, double* q) const;
  virtual void filter_stream(const NodeSums& node, StreamBatch& batch, double* q) const;
  virtual double filter_error(const NodeSums& node) const { return 1e-13 * node.total; }
  // Can thresholds be filtered from a walk over rows? Not where sums are asked for that rows do not show.
  virtual bool reads_streams() const { return true; }

  // Does `score_candidates` replace decrease and score? (A user's own function is called for many candidates
  // at once.)
  virtual bool scores_in_batches() const { return false; }
  // branches: n_candidates * n_branches * width sums.
  virtual void score_candidates(const NodeSums& node, std::span<const double> branches,
                                std::size_t n_candidates, std::size_t n_branches, double price,
                                std::span<double> scores) const;
};

}  // namespace thriftree
