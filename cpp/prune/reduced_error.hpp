// Reduced-error pruning (Quinlan 1987): bottom-up, a node becomes a leaf when that does no harm on validation
// rows.
#pragma once

#include <span>

#include "tree/tree.hpp"

namespace thriftree {

// node_error[t] is the error of t as a leaf (see node_class_errors and node_squared_errors); a tree's error
// is the sum over its leaves. The result has the least error of all prunings, and is the smallest of those.
// Errors that differ by less than 1e-12, relative, are equal. Given the training rows' errors, it undoes the
// splits that leave the training error as it was, which C4.5 does while it grows.
Tree prune_reduced_error(const Tree& tree, std::span<const double> node_error);

}  // namespace thriftree
