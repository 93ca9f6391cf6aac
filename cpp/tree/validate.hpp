// What makes a Tree a tree. Every Tree that leaves the builder or the binding has passed here, so nothing
// after it checks.
#pragma once

#include "tree/tree.hpp"

namespace thriftree {

// Throws BadInput, naming the node and the rule it breaks, unless: the arrays have matching sizes; nodes are
// in preorder and form one tree; each test has an existing column, at least two branches, each reached by
// some answer, finite ascending keys (categories: whole numbers >= 0) and branches in range; what was seen at
// a node is finite and not negative; labels name classes; a leaf has no test and no score. Takes time and
// memory linear in the arrays, whatever they hold.
void validate(const Tree& tree);

// The same for what a tree asks and weighs; what else was seen at its nodes may be missing.
void validate_structure(const Tree& tree);

}  // namespace thriftree
