#include "tree/builder.hpp"

#include <numeric>
#include <string>

#include "run/control.hpp"
#include "tree/validate.hpp"

namespace thriftree {
namespace {

std::size_t width_of(std::int32_t n_classes) {
  return n_classes > 0 ? static_cast<std::size_t>(n_classes) : 2;
}

// Room for so many nodes in every array that has one entry a node, or one more.
void reserve_nodes(Tree& tree, std::size_t n) {
  for (auto* array : {&tree.parent, &tree.column, &tree.missing, &tree.other, &tree.label, &tree.child_begin,
                      &tree.children, &tree.key_begin, &tree.to_begin})
    array->reserve(n + 1);
  for (auto* array : {&tree.weight, &tree.impurity, &tree.score}) array->reserve(n);
  for (auto* array : {&tree.rows, &tree.objects}) array->reserve(n);
  tree.kind.reserve(n);
  tree.value.reserve(n * tree.value_width());
}

}  // namespace

int TreeBuilder::add_node(int parent, int branch, const NodeStats& stats) {
  const int number = n_nodes();
  if (number == 0 ? parent != -1 : parent < 0 || parent >= number) {
    throw BadInput("node " + std::to_string(number) + ": parent " + std::to_string(parent) +
                   " was not added before it; the first node is the root, with parent -1");
  }
  if (stats.value.size() != width_of(n_classes_)) {
    throw BadInput("node " + std::to_string(number) + ": value has " + std::to_string(stats.value.size()) +
                   " numbers instead of " + std::to_string(width_of(n_classes_)));
  }
  Node node{parent, branch, stats};
  node.stats.value = {};
  nodes_.push_back(node);
  values_.insert(values_.end(), stats.value.begin(), stats.value.end());
  return number;
}

void TreeBuilder::set_test(int node, const Test& test, double score) {
  if (node < 0 || node >= n_nodes()) throw BadInput("node " + std::to_string(node) + " was not added");
  Node& to = nodes_[node];
  to.kind = test.kind;
  to.column = test.column;
  to.missing = test.missing;
  to.other = test.other;
  to.key_begin = keys_.size();
  to.n_keys = test.keys.size();
  to.to_begin = to_.size();
  to.n_to = test.to.size();
  to.score = score;
  keys_.insert(keys_.end(), test.keys.begin(), test.keys.end());
  to_.insert(to_.end(), test.to.begin(), test.to.end());
}

void TreeBuilder::reserve(std::size_t n_nodes) {
  nodes_.reserve(n_nodes);
  values_.reserve(n_nodes * width_of(n_classes_));
}

TreeBuilder::Children TreeBuilder::children_by_branch() const {
  Children children;
  children.begin.assign(nodes_.size() + 1, 0);
  for (int node = 1; node < n_nodes(); ++node) ++children.begin[nodes_[node].parent + 1];
  std::partial_sum(children.begin.begin(), children.begin.end(), children.begin.begin());
  children.list.assign(static_cast<std::size_t>(children.begin.back()), -1);
  for (int node = 1; node < n_nodes(); ++node) {
    const int parent = nodes_[node].parent, branch = nodes_[node].branch;
    const int begin = children.begin[parent], siblings = children.begin[parent + 1] - begin;
    if (branch < 0 || branch >= siblings || children.list[begin + branch] != -1) {
      throw BadInput("node " + std::to_string(parent) + ": its " + std::to_string(siblings) +
                     " children must take the branches 0, 1, ... once each; " + "branch " +
                     std::to_string(branch) + " is out of range or taken");
    }
    children.list[begin + branch] = node;
  }
  return children;
}

// The node becomes the tree's next one.
void TreeBuilder::append(Tree& tree, std::int32_t parent, int at) const {
  const Node& node = nodes_[at];
  const bool leaf = node.kind == TestKind::leaf;
  tree.parent.push_back(parent);
  tree.kind.push_back(node.kind);
  tree.column.push_back(leaf ? -1 : node.column);
  tree.missing.push_back(leaf ? 0 : node.missing);
  tree.other.push_back(leaf ? 0 : node.other);
  const double* keys = keys_.data() + node.key_begin;
  const std::int32_t* to = to_.data() + node.to_begin;
  tree.keys.insert(tree.keys.end(), keys, keys + node.n_keys);
  tree.to.insert(tree.to.end(), to, to + node.n_to);
  tree.key_begin.push_back(static_cast<std::int32_t>(tree.keys.size()));
  tree.to_begin.push_back(static_cast<std::int32_t>(tree.to.size()));
  tree.rows.push_back(node.stats.rows);
  tree.objects.push_back(node.stats.objects);
  tree.weight.push_back(node.stats.weight);
  const std::size_t width = width_of(n_classes_);
  const double* value = values_.data() + static_cast<std::size_t>(at) * width;
  tree.value.insert(tree.value.end(), value, value + width);
  tree.impurity.push_back(node.stats.impurity);
  tree.score.push_back(leaf ? std::numeric_limits<double>::quiet_NaN() : node.score);
  tree.label.push_back(node.stats.label);
}

Tree TreeBuilder::finish() const {
  std::vector<std::int32_t> number_of;
  return finish(number_of);
}

Tree TreeBuilder::finish(std::vector<std::int32_t>& number_of) const {
  const Children children = children_by_branch();
  Tree tree;
  tree.n_columns = n_columns_;
  tree.n_classes = n_classes_;
  reserve_nodes(tree, nodes_.size());
  tree.keys.reserve(keys_.size());
  tree.to.reserve(to_.size());
  tree.key_begin.push_back(0);
  tree.to_begin.push_back(0);
  number_of.assign(nodes_.size(), -1);
  std::vector<int> order, open;  // builder's numbers: in preorder, and still to place
  order.reserve(nodes_.size());
  if (!nodes_.empty()) open.push_back(0);
  while (!open.empty()) {
    const int at = open.back();
    open.pop_back();
    number_of[at] = static_cast<std::int32_t>(order.size());
    order.push_back(at);
    append(tree, at == 0 ? -1 : number_of[nodes_[at].parent], at);
    for (int k = children.begin[at + 1]; k-- > children.begin[at];) open.push_back(children.list[k]);
  }
  tree.child_begin.push_back(0);
  for (const int at : order) {
    for (int k = children.begin[at]; k < children.begin[at + 1]; ++k)
      tree.children.push_back(number_of[children.list[k]]);
    tree.child_begin.push_back(static_cast<std::int32_t>(tree.children.size()));
  }
  validate(tree);
  return tree;
}

}  // namespace thriftree
