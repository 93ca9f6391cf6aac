#include "soft/soft_shape.hpp"

#include <string>

#include "run/control.hpp"

namespace thriftree::soft {

namespace {

void mark_child(std::int32_t child, std::size_t gate, std::vector<bool>& gates, std::vector<bool>& leaves) {
  const bool is_leaf = child < 0;
  auto& seen = is_leaf ? leaves : gates;
  const std::size_t place = static_cast<std::size_t>(is_leaf ? ~child : child);
  if (place >= seen.size() || (!is_leaf && place <= gate) || seen[place])
    throw BadInput("gate " + std::to_string(gate) +
                   " of the soft tree has a child that is no later gate and " +
                   "no leaf of its own: number gates in preorder and leaves ~0, ~1, ...");
  seen[place] = true;
}

}  // namespace

std::size_t SoftShape::leaf_begin() const {
  std::size_t sum = left.size();
  for (const std::int32_t n : count) sum += static_cast<std::size_t>(n);
  return sum;
}

std::vector<std::size_t> SoftShape::gate_begins() const {
  std::vector<std::size_t> begins(n_gates());
  std::size_t next = 0;
  for (std::size_t g = 0; g < n_gates(); ++g) {
    begins[g] = next;
    next += static_cast<std::size_t>(count[g]) + 1;
  }
  return begins;
}

void SoftShape::check() const {
  if (right.size() != left.size() || first.size() != left.size() || count.size() != left.size())
    throw BadInput("left, right, first and count of a soft tree must have one entry a gate");
  if (n_columns < 0 || n_outputs < 1 || (numbers && n_outputs != 1))
    throw BadInput("a soft tree has 0 or more columns and 1 or more outputs a leaf, 1 for numbers");
  std::vector<bool> gates(n_gates()), leaves(n_leaves());
  for (std::size_t g = 0; g < n_gates(); ++g) {
    mark_child(left[g], g, gates, leaves);
    mark_child(right[g], g, gates, leaves);
    if (first[g] < 0 || count[g] < 0 || first[g] > n_columns - count[g])
      throw BadInput("gate " + std::to_string(g) + " of the soft tree weighs columns that do not exist");
  }
}

}  // namespace thriftree::soft
