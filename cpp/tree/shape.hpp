// Facts that follow from a tree's arrays.
#pragma once

#include <cstdint>
#include <vector>

#include "tree/tree.hpp"

namespace thriftree {

// Per node: tests above it; 0 at the root.
std::vector<std::int32_t> depths(const Tree& tree);

std::int32_t n_leaves(const Tree& tree);

// The same arrays, value for value; NaN equals NaN.
bool equal(const Tree& a, const Tree& b);

}  // namespace thriftree
