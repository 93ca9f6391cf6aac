// The one primitive of all pruning: a new tree from an old one and a list of edits.
#pragma once

#include <cstdint>
#include <vector>

#include "tree/tree.hpp"

namespace thriftree {

// What to change, per node of the old tree. A node with both edits is first replaced.
struct Edits {
  explicit Edits(std::size_t n_nodes) : make_leaf(n_nodes, false), replaced_by(n_nodes, -1) {}

  std::vector<bool> make_leaf;            // the node becomes a leaf; what lies under it vanishes
  std::vector<std::int32_t> replaced_by;  // the descendant that takes the node's place, -1: none

  // The node that stands where `node` stood, after all replacements.
  std::int32_t standing_for(std::int32_t node) const {
    while (replaced_by[static_cast<std::size_t>(node)] >= 0)
      node = replaced_by[static_cast<std::size_t>(node)];
    return node;
  }
};

struct Rebuilt {
  Tree tree;
  std::vector<std::int32_t> origin;  // the old number of each new node
};

// The subtree under `root` after the edits, in preorder. Nodes keep their statistics; a new leaf keeps its
// own value and label, and loses its test's score (NaN).
Rebuilt rebuild(const Tree& tree, std::int32_t root, const Edits& edits);

// The tree in which every node marked in `make_leaf` is a leaf.
Tree collapse(const Tree& tree, const std::vector<bool>& make_leaf);

// The children of a node, as pointers into the tree's array.
inline const std::int32_t* children_begin(const Tree& tree, std::size_t node) {
  return tree.children.data() + tree.child_begin[node];
}
inline const std::int32_t* children_end(const Tree& tree, std::size_t node) {
  return tree.children.data() + tree.child_begin[node + 1];
}
inline bool is_leaf(const Tree& tree, std::size_t node) { return tree.kind[node] == TestKind::leaf; }

}  // namespace thriftree
