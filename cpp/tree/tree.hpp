// The tree: flat arrays, made once and never changed. Nodes are in preorder: node 0 is the root, and a node's
// descendants follow it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace thriftree {

enum class TestKind : std::uint8_t { leaf, ordered, category };

// One node's test, the form in which tests are made and read; Tree stores them flat.
//   ordered:  keys = m ascending cuts, to = m+1 branches; a number x goes to to[#{cuts < x}] (so x <= keys[0]
//   goes to to[0]).
//             m = 0 is the test "is it missing": every known value goes to to[0].
//   category: keys = m ascending category codes, to = m branches; a code not among the keys goes to `other`.
// A missing value goes to `missing`; a value that the column's code book does not hold goes to `other`.
struct Test {
  TestKind kind = TestKind::leaf;
  std::int32_t column = -1;
  std::vector<double> keys;
  std::vector<std::int32_t> to;
  std::int32_t missing = 0;
  std::int32_t other = 0;
};

struct Tree {
  std::int32_t n_columns = 0;
  std::int32_t n_classes = 0;  // 0: the target is a number

  // Per node. A leaf has column -1, kind leaf and no children, keys or to.
  std::vector<std::int32_t> parent;  // -1 for the root
  std::vector<TestKind> kind;
  std::vector<std::int32_t> column;
  std::vector<std::int32_t> missing;  // branch index, 0 at leaves
  std::vector<std::int32_t> other;    // branch index, 0 at leaves

  // Offsets, one longer than the number of nodes: node i owns [x_begin[i], x_begin[i + 1]).
  std::vector<std::int32_t> child_begin, children;
  std::vector<std::int32_t> key_begin;
  std::vector<double> keys;
  std::vector<std::int32_t> to_begin, to;

  // What was seen at the node in training.
  std::vector<std::int64_t> rows;     // rows of positive weight
  std::vector<std::int64_t> objects;  // groups of equal rows; equals rows where objects are off
  std::vector<double> weight;         // sum of sample_weight
  // Classification: n_nodes * n_classes sums of sample_weight * class_weight. Regression: n_nodes * 2:
  // weighted mean of the target, and weighted mean squared deviation from it.
  std::vector<double> value;
  std::vector<double> impurity;  // by the criterion the tree was grown with
  std::vector<double> score;     // the chosen test's score; NaN at leaves
  // Classification: the class the node would predict as a leaf (least expected error cost, ties to the
  // first). Regression: 0.
  std::vector<std::int32_t> label;

  std::size_t n_nodes() const { return parent.size(); }
  std::size_t value_width() const { return n_classes > 0 ? static_cast<std::size_t>(n_classes) : 2; }
};

}  // namespace thriftree
