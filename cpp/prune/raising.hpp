// C4.5's error-based pruning with subtree raising: a node may also be replaced by its largest branch. The
// node's other cases then go down that branch, so raising needs the training rows.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "criterion/impurity.hpp"
#include "tree/tree.hpp"

namespace thriftree {

// The rows of positive weight the tree was grown on.
struct TrainingRows {
  std::span<const std::int32_t> leaf;   // where the tree's apply puts the row
  std::span<const std::int32_t> label;  // position of the class
  std::span<const double> weight;       // sample_weight
};

// How a node's statistics follow from its class sums of sample_weight.
struct NodeRules {
  const Impurity& impurity;
  std::span<const double> class_weight;  // value = sum * class_weight; empty: all 1
  std::span<const double> error_costs;   // [true, predicted] for the label; empty: 0 and 1
};

// For each of `rows` (positions in TrainingRows) the leaf of `branch` that it reaches: the branch's own apply
// on these rows.
using Route =
    std::function<std::vector<std::int32_t>(const Tree& branch, std::span<const std::int32_t> rows)>;

// Bottom-up as in release 8: a leaf if its expected errors are at most those of the subtree and of the
// largest branch (first of equals) with all the node's cases, each with slack 0.1; else that branch if it is
// no worse than the subtree by the same slack, pruned again with its new cases. Nodes of a raised branch get
// new rows, weight, value, impurity and label; their score stays that of the test when it was chosen, and a
// node that no row reaches keeps its label.
Tree prune_error_based_raising(const Tree& tree, const TrainingRows& rows, const NodeRules& rules,
                               const Route& route, double confidence);

}  // namespace thriftree
