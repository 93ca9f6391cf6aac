// C4.5's error-based pruning, release 8 (Quinlan 1993, chapter 4, and the program's source for what the book
// leaves open): a node's error rate on unseen cases is taken to be an upper confidence limit of its rate on
// the training cases.
#pragma once

#include <span>

#include "tree/tree.hpp"

namespace thriftree {

// The errors that C4.5 adds to `errors` seen among `cases`, at confidence level `confidence` in (0, 1]. Below
// one error it interpolates between the exact limit at 0 and the approximate one at 1.
double added_errors(double cases, double errors, double confidence);

// C4.5 prefers the smaller tree even when it is expected to make this many more errors.
inline constexpr double error_slack = 0.1;

// Subtree replacement: bottom-up, a node becomes a leaf when it is expected to make no more errors than its
// branches together. `class_weights` are the training cases per node, n_nodes * n_classes sums of
// sample_weight; the errors of a node are the cases that are not of its label.
Tree prune_error_based(const Tree& tree, std::span<const double> class_weights, double confidence);

// Throws BadInput unless 0 < confidence <= 1 and the tree has classes.
void check_error_based(const Tree& tree, double confidence);

// The errors expected of a leaf with these cases and this label.
double expected_leaf_errors(std::span<const double> class_weights, std::int32_t label, double confidence);

}  // namespace thriftree
