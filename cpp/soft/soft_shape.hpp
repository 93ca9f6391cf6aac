// The structure of a soft tree, and how its numbers lie in one vector.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace thriftree::soft {

// Gates are in preorder: a child comes after its parent, gate 0 is the root; without gates leaf 0 is.
struct SoftShape {
  std::vector<std::int32_t> left, right;   // per gate: a later gate, or ~leaf; each but the root occurs once
  std::vector<std::int32_t> first, count;  // per gate: it weighs the columns [first, first + count)
  std::int32_t n_columns = 0;
  std::int32_t n_outputs = 1;  // per leaf: logits of so many classes; 1: a number
  bool numbers = false;        // whether leaves hold a number

  std::size_t n_gates() const { return left.size(); }
  std::size_t n_leaves() const { return left.size() + 1; }
  // Per gate its weights, then its offset; then the outputs, leaf by leaf.
  std::size_t n_parameters() const { return leaf_begin() + n_leaves() * static_cast<std::size_t>(n_outputs); }
  std::size_t leaf_begin() const;
  std::vector<std::size_t> gate_begins() const;

  // Throws BadInput for what is no tree.
  void check() const;
};

}  // namespace thriftree::soft
