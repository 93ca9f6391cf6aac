#include "tree/validate.hpp"

#include <cmath>
#include <limits>
#include <string>

#include "run/control.hpp"

namespace thriftree {
namespace {

constexpr double kLargestCode = std::numeric_limits<std::int32_t>::max();

[[noreturn]] void refuse(std::size_t node, const std::string& what) {
  throw BadInput("node " + std::to_string(node) + ": " + what);
}

void require_size(const char* array, std::size_t size, std::size_t expected) {
  if (size == expected) return;
  throw BadInput(std::string("the tree's array '") + array + "' has " + std::to_string(size) +
                 " entries instead of " + std::to_string(expected));
}

void check_offsets(const char* array, const std::vector<std::int32_t>& begin, std::size_t end) {
  bool good = begin.front() == 0 && static_cast<std::size_t>(begin.back()) == end;
  for (std::size_t i = 1; good && i < begin.size(); ++i) good = begin[i] >= begin[i - 1];
  if (!good) {
    throw BadInput(std::string("the tree's offsets '") + array + "' must start at 0, never fall and end at " +
                   std::to_string(end));
  }
}

void check_sizes_of_structure(const Tree& tree) {
  const std::size_t n = tree.n_nodes();
  if (tree.n_columns < 0 || tree.n_classes < 0)
    throw BadInput("n_columns and n_classes must not be negative");
  if (n == 0) throw BadInput("a tree has at least one node");
  if (n >= static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max()))
    throw BadInput("a tree has fewer than 2147483647 nodes");
  require_size("kind", tree.kind.size(), n);
  require_size("column", tree.column.size(), n);
  require_size("missing", tree.missing.size(), n);
  require_size("other", tree.other.size(), n);
  require_size("child_begin", tree.child_begin.size(), n + 1);
  require_size("key_begin", tree.key_begin.size(), n + 1);
  require_size("to_begin", tree.to_begin.size(), n + 1);
  require_size("children", tree.children.size(), n - 1);
  require_size("weight", tree.weight.size(), n);
  check_offsets("child_begin", tree.child_begin, tree.children.size());
  check_offsets("key_begin", tree.key_begin, tree.keys.size());
  check_offsets("to_begin", tree.to_begin, tree.to.size());
}

void check_sizes_of_seen(const Tree& tree) {
  const std::size_t n = tree.n_nodes();
  require_size("rows", tree.rows.size(), n);
  require_size("objects", tree.objects.size(), n);
  require_size("value", tree.value.size(), n * tree.value_width());
  require_size("impurity", tree.impurity.size(), n);
  require_size("score", tree.score.size(), n);
  require_size("label", tree.label.size(), n);
}

// Walks the tree from the root. Each step must meet the next number, so a cycle, a shared child or a node
// out of preorder stops the walk at once.
void check_shape(const Tree& tree) {
  if (tree.parent[0] != -1) refuse(0, "the root's parent must be -1");
  std::vector<std::int32_t> open{0};
  std::int32_t next = 0;
  while (!open.empty()) {
    const std::int32_t node = open.back();
    open.pop_back();
    if (node != next) {
      refuse(static_cast<std::size_t>(next), "nodes must be in preorder, each the child of one earlier node");
    }
    ++next;
    for (std::int32_t k = tree.child_begin[node + 1]; k-- > tree.child_begin[node];) {
      const std::int32_t child = tree.children[k];
      if (child <= node || static_cast<std::size_t>(child) >= tree.n_nodes())
        refuse(node, "child " + std::to_string(child) + " is not a later node of the tree");
      if (tree.parent[child] != node)
        refuse(child, "its parent is given as " + std::to_string(tree.parent[child]) + ", but node " +
                          std::to_string(node) + " has it as a child");
      open.push_back(child);
    }
  }
}

void check_keys(const Tree& tree, std::size_t node) {
  const bool category = tree.kind[node] == TestKind::category;
  const std::int32_t begin = tree.key_begin[node], end = tree.key_begin[node + 1];
  for (std::int32_t k = begin; k < end; ++k) {
    const double key = tree.keys[k];
    if (!std::isfinite(key)) refuse(node, "a key is not a finite number");
    if (k > begin && !(tree.keys[k - 1] < key)) refuse(node, "keys must rise, without repetition");
    if (category && (key < 0 || key > kLargestCode || key != std::floor(key)))
      refuse(node, "a category key must be a whole number from 0 up");
  }
  const std::size_t n_keys = end - begin;
  const std::size_t n_to = tree.to_begin[node + 1] - tree.to_begin[node];
  if (category && n_keys == 0) refuse(node, "a category test needs at least one key");
  if (n_to != n_keys + (category ? 0 : 1)) {
    refuse(node, category ? "a category test needs one entry of 'to' for each key"
                          : "an ordered test needs one more entry of 'to' than keys");
  }
}

// `reached` is scratch, one flag a branch.
void check_branches(const Tree& tree, std::size_t node, std::vector<char>& reached) {
  const std::int32_t n_branches = tree.child_begin[node + 1] - tree.child_begin[node];
  if (n_branches < 2) refuse(node, "a test needs at least two branches");
  reached.assign(n_branches, 0);
  const auto mark = [&](const char* what, std::int32_t branch) {
    if (branch < 0 || branch >= n_branches) {
      refuse(node, std::string("'") + what + "' names branch " + std::to_string(branch) + ", but there are " +
                       std::to_string(n_branches));
    }
    reached[branch] = 1;
  };
  for (std::int32_t k = tree.to_begin[node]; k < tree.to_begin[node + 1]; ++k) mark("to", tree.to[k]);
  mark("missing", tree.missing[node]);
  mark("other", tree.other[node]);
  for (std::int32_t b = 0; b < n_branches; ++b) {
    if (!reached[b]) refuse(node, "no answer leads to branch " + std::to_string(b));
  }
}

void check_leaf(const Tree& tree, std::size_t node) {
  if (tree.child_begin[node] != tree.child_begin[node + 1]) refuse(node, "a leaf has no children");
  if (tree.key_begin[node] != tree.key_begin[node + 1] || tree.to_begin[node] != tree.to_begin[node + 1])
    refuse(node, "a leaf has no keys and no 'to'");
  if (tree.column[node] != -1 || tree.missing[node] != 0 || tree.other[node] != 0)
    refuse(node, "a leaf has column -1, missing 0 and other 0");
}

// `reached` is scratch.
void check_test(const Tree& tree, std::size_t node, std::vector<char>& reached) {
  switch (tree.kind[node]) {
    case TestKind::leaf:
      return check_leaf(tree, node);
    case TestKind::ordered:
    case TestKind::category:
      if (tree.column[node] < 0 || tree.column[node] >= tree.n_columns)
        refuse(node, "column " + std::to_string(tree.column[node]) + " is not one of the tree's " +
                         std::to_string(tree.n_columns));
      check_keys(tree, node);
      return check_branches(tree, node, reached);
  }
  refuse(node, "kind must be 0 (leaf), 1 (ordered) or 2 (category)");
}

void check_weight(const Tree& tree, std::size_t node) {
  if (!std::isfinite(tree.weight[node]) || tree.weight[node] < 0)
    refuse(node, "weight must be finite and not negative");
}

void check_seen(const Tree& tree, std::size_t node) {
  if (tree.rows[node] < 0 || tree.objects[node] < 0) refuse(node, "rows and objects must not be negative");
  check_weight(tree, node);
  if (!std::isfinite(tree.impurity[node])) refuse(node, "impurity must be finite");
  if (std::isinf(tree.score[node])) refuse(node, "score must be finite, or NaN where it is not known");
  const std::size_t width = tree.value_width();
  for (std::size_t k = 0; k < width; ++k) {
    const double value = tree.value[node * width + k];
    const bool may_be_negative = tree.n_classes == 0 && k == 0;  // the mean of a numeric target
    if (!std::isfinite(value) || (value < 0 && !may_be_negative))
      refuse(node, "class weights and squared deviations must be finite and not negative, means finite");
  }
  const std::int32_t n_labels = tree.n_classes > 0 ? tree.n_classes : 1;
  if (tree.label[node] < 0 || tree.label[node] >= n_labels)
    refuse(node, "label " + std::to_string(tree.label[node]) + " is not one of the " +
                     std::to_string(n_labels) + " classes");
}

}  // namespace

void validate(const Tree& tree) {
  check_sizes_of_structure(tree);
  check_sizes_of_seen(tree);
  check_shape(tree);
  std::vector<char> reached;
  for (std::size_t node = 0; node < tree.n_nodes(); ++node) {
    check_seen(tree, node);
    check_test(tree, node, reached);
    if (tree.kind[node] == TestKind::leaf && !std::isnan(tree.score[node]))
      refuse(node, "a leaf has no score (NaN)");
  }
}

void validate_structure(const Tree& tree) {
  check_sizes_of_structure(tree);
  check_shape(tree);
  std::vector<char> reached;
  for (std::size_t node = 0; node < tree.n_nodes(); ++node) {
    check_weight(tree, node);
    check_test(tree, node, reached);
  }
}

}  // namespace thriftree
