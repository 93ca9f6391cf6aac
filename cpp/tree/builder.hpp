// The one way to make a Tree: nodes are added parent before child, in any other order, and numbered in
// preorder at the end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "tree/tree.hpp"

namespace thriftree {

// What training saw at a node; the fields are those of Tree.
struct NodeStats {
  std::int64_t rows = 0;
  std::int64_t objects = 0;
  double weight = 0;
  double impurity = 0;
  std::int32_t label = 0;
  std::span<const double>
      value;  // n_classes class weights, or {mean, mean squared deviation}; copied by add_node
};

// A node is a leaf until set_test gives it a test; a node with a test has one child for each branch by the
// time of finish.
//
//   TreeBuilder builder(n_columns, n_classes);
//   const int root = builder.add_node(-1, 0, stats);
//   builder.set_test(root, test, score);
//   builder.add_node(root, 0, left_stats);
//   builder.add_node(root, 1, right_stats);
//   Tree tree = builder.finish();
class TreeBuilder {
 public:
  TreeBuilder(std::int32_t n_columns, std::int32_t n_classes)
      : n_columns_(n_columns), n_classes_(n_classes) {}

  // Returns the node's number in this builder: 0 for the root (the first node, parent -1), then 1, 2, ...
  // Throws BadInput for a parent that was not added or a value of the wrong width.
  int add_node(int parent, int branch, const NodeStats& stats);

  // Gives a node its test; a second call replaces the first. `score` may stay NaN where it is not known.
  void set_test(int node, const Test& test, double score = std::numeric_limits<double>::quiet_NaN());

  // So many nodes will be added.
  void reserve(std::size_t n_nodes);

  // The valid tree. Throws BadInput if a branch is absent or given twice, or as validate() does. The builder
  // keeps its nodes.
  Tree finish() const;

  // As finish(), and `number_of[i]` is the place in the tree of the node that add_node called i.
  Tree finish(std::vector<std::int32_t>& number_of) const;

  int n_nodes() const { return static_cast<int>(nodes_.size()); }

 private:
  // A caller waits while a tree of a hundred thousand nodes is made, maybe after Ctrl-C: so no node has
  // memory of its own, and all lists lie side by side.
  struct Node {
    int parent;
    int branch;
    NodeStats stats;  // its `value` is empty: the numbers are in values_
    TestKind kind = TestKind::leaf;
    std::int32_t column = -1, missing = 0, other = 0;
    std::size_t key_begin = 0, n_keys = 0;  // in keys_
    std::size_t to_begin = 0, n_to = 0;     // in to_
    double score = std::numeric_limits<double>::quiet_NaN();
  };

  // By the builder's numbers: node i's child at branch b is list[begin[i] + b].
  struct Children {
    std::vector<int> begin, list;
  };
  Children children_by_branch() const;
  void append(Tree& tree, std::int32_t parent, int at) const;

  std::int32_t n_columns_;
  std::int32_t n_classes_;
  std::vector<Node> nodes_;
  std::vector<double> values_;  // value_width numbers a node
  std::vector<double> keys_;    // of all tests; those that were replaced are not named any more
  std::vector<std::int32_t> to_;
};

}  // namespace thriftree
