// What an impurity is: how mixed a node is, from its plain sums. One impurity, one file;
// impurity_registry.cpp lists them. An impurity must give `of`; everything else has a default that follows
// from it. The two filters exist for speed: they look at many thresholds at once, approximately, and the few
// that may be best are then scored by `decrease`, so a filter can never change a tree.
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <string>

#include "criterion/node_sums.hpp"
#include "criterion/threshold_batch.hpp"
#include "criterion/threshold_bound.hpp"

namespace thriftree {

// A decrease up to this is none: docs/decisions/002, ties.
inline constexpr double kNoDecrease = 1e-12;

class Impurity {
 public:
  virtual ~Impurity() = default;

  // One line for users: what it measures.
  virtual std::string summary() const { return ""; }

  virtual bool for_numbers() const { return false; }

  // Does every test decrease it whose branches differ in their shares of the classes (in their means)? Where
  // it does not, many tests gain nothing and tie, and the first of them peels off a row: none is made.
  virtual bool strictly_concave() const { return true; }
  // Is a test of this decrease made, where the impurity alone decides? Of a strictly concave one all are,
  // also those that gain nothing, since a later test may need them (as in exclusive or).
  bool admits(double decrease) const { return decrease > refused(); }
  // The largest decrease of a test that is not made.
  double refused() const {
    return strictly_concave() ? -std::numeric_limits<double>::infinity() : kNoDecrease;
  }

  // Sums of a branch; a node of numbers has one more, the sum of weight * y^2.
  std::size_t width(const NodeSums& node) const { return node.sums.size() - (for_numbers() ? 1 : 0); }

  // Called once before a fit: no node will hold more than `n_rows` rows. `unit`: every row weighs 1.
  virtual void prepare(std::size_t n_rows, bool unit);

  // Per unit of weight. For numbers the last entry of `node.sums` is the sum of weight * y^2.
  virtual double of(const NodeSums& node) const = 0;

  // Of the node minus the weighted mean of its branches; never negative for a concave impurity. Written so
  // that small decreases keep their digits, because ties are decided at 1e-12.
  virtual double decrease(const NodeSums& node, const BranchSums& branches) const;

  // No decrease that is computed of the node is larger; infinity where nobody knows.
  virtual double largest_decrease(const NodeSums&) const { return std::numeric_limits<double>::infinity(); }

  // q[i] = node.total * decrease of threshold i, or another number that orders thresholds alike, within
  // filter_error. Entries without a boundary may hold anything.
  virtual void filter_prefixes(const NodeSums& node, const PrefixBatch& batch, double* q) const;
  virtual void filter_stream(const NodeSums& node, StreamBatch& batch, double* q) const;
  virtual double filter_error(const NodeSums& node) const { return 1e-13 * node.total; }

  // What thresholds between counted ones gain at most; null where it cannot say: then all are counted.
  virtual const ThresholdBound* bound() const { return nullptr; }

 protected:
  // The impurity of classes, and room for what it and a decrease, sums over classes both, are rounded by.
  double all_of(const NodeSums& node) const {
    const double impurity = of(node), n_terms = static_cast<double>(node.sums.size()) + 8;
    return impurity + 4e-15 * n_terms * std::max(1.0, impurity);
  }
};

}  // namespace thriftree
