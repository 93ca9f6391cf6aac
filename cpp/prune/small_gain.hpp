// "Grow fully, then prune what gains little on validation" (paper 003, section 5.4).
#pragma once

#include <span>

#include "criterion/impurity.hpp"
#include "tree/tree.hpp"

namespace thriftree {

// Bottom-up, a test whose branches are all leaves (from the start, or by now) is undone when it lowers the
// impurity of the validation rows at its node by less than min_gain. So a test of little gain stays while a
// test of more gain needs it. A node that no validation row reaches gains 0. `validation` is
// node_class_weights or, for squared error, node_moments.
Tree prune_small_gain(const Tree& tree, std::span<const double> validation, const Impurity& impurity,
                      double min_gain);

}  // namespace thriftree
