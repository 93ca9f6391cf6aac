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
  bool linear = false;         // whether outputs weigh all columns, beside an offset of their own

  std::size_t n_gates() const { return left.size(); }
  std::size_t n_leaves() const { return left.size() + 1; }
  // Weights of an output.
  std::size_t output_width() const { return linear ? static_cast<std::size_t>(n_columns) : 0; }
  // Over all leaves.
  std::size_t all_outputs() const { return n_leaves() * static_cast<std::size_t>(n_outputs); }
  // Per gate its weights, then its offset; then the outputs, leaf by leaf: their weights, if they have any,
  // and the offset.
  std::size_t n_parameters() const { return leaf_begin() + all_outputs() * (output_width() + 1); }
  // The place of a child among the gates, then the leaves.
  std::size_t node_of(std::int32_t child) const {
    return child >= 0 ? static_cast<std::size_t>(child) : n_gates() + static_cast<std::size_t>(~child);
  }
  std::size_t leaf_begin() const;
  std::vector<std::size_t> gate_begins() const;

  // Throws BadInput for what is no tree.
  void check() const;
};

}  // namespace thriftree::soft
