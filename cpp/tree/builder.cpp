#include "tree/builder.hpp"

#include <string>
#include <utility>

#include "run/control.hpp"
#include "tree/validate.hpp"

namespace thriftree {
namespace {

void append(Tree& tree, std::int32_t parent, const Test& test, double score, const NodeStats& stats) {
  const bool leaf = test.kind == TestKind::leaf;
  tree.parent.push_back(parent);
  tree.kind.push_back(test.kind);
  tree.column.push_back(leaf ? -1 : test.column);
  tree.missing.push_back(leaf ? 0 : test.missing);
  tree.other.push_back(leaf ? 0 : test.other);
  tree.keys.insert(tree.keys.end(), test.keys.begin(), test.keys.end());
  tree.to.insert(tree.to.end(), test.to.begin(), test.to.end());
  tree.key_begin.push_back(static_cast<std::int32_t>(tree.keys.size()));
  tree.to_begin.push_back(static_cast<std::int32_t>(tree.to.size()));
  tree.rows.push_back(stats.rows);
  tree.objects.push_back(stats.objects);
  tree.weight.push_back(stats.weight);
  tree.value.insert(tree.value.end(), stats.value.begin(), stats.value.end());
  tree.impurity.push_back(stats.impurity);
  tree.score.push_back(leaf ? std::numeric_limits<double>::quiet_NaN() : score);
  tree.label.push_back(stats.label);
}

std::size_t width_of(std::int32_t n_classes) {
  return n_classes > 0 ? static_cast<std::size_t>(n_classes) : 2;
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
  nodes_.push_back({parent, branch, stats, Test{}, std::numeric_limits<double>::quiet_NaN()});
  nodes_.back().stats.value = {};
  values_.insert(values_.end(), stats.value.begin(), stats.value.end());
  return number;
}

void TreeBuilder::set_test(int node, Test test, double score) {
  if (node < 0 || node >= n_nodes()) throw BadInput("node " + std::to_string(node) + " was not added");
  nodes_[node].test = std::move(test);
  nodes_[node].score = score;
}

std::vector<std::vector<int>> TreeBuilder::children_by_branch() const {
  std::vector<std::vector<int>> children(nodes_.size());
  for (int node = 1; node < n_nodes(); ++node) children[nodes_[node].parent].push_back(-1);
  for (int node = 1; node < n_nodes(); ++node) {
    auto& siblings = children[nodes_[node].parent];
    const int branch = nodes_[node].branch;
    if (branch < 0 || branch >= static_cast<int>(siblings.size()) || siblings[branch] != -1) {
      throw BadInput("node " + std::to_string(nodes_[node].parent) + ": its " +
                     std::to_string(siblings.size()) +
                     " children must take the branches 0, 1, ... once each; " + "branch " +
                     std::to_string(branch) + " is out of range or taken");
    }
    siblings[branch] = node;
  }
  return children;
}

Tree TreeBuilder::finish() const {
  std::vector<std::int32_t> number_of;
  return finish(number_of);
}

Tree TreeBuilder::finish(std::vector<std::int32_t>& number_of) const {
  const auto children = children_by_branch();
  Tree tree;
  tree.n_columns = n_columns_;
  tree.n_classes = n_classes_;
  tree.key_begin.push_back(0);
  tree.to_begin.push_back(0);
  number_of.assign(nodes_.size(), -1);
  std::vector<int> order, open;  // builder's numbers: in preorder, and still to place
  if (!nodes_.empty()) open.push_back(0);
  while (!open.empty()) {
    const int at = open.back();
    open.pop_back();
    number_of[at] = static_cast<std::int32_t>(order.size());
    order.push_back(at);
    const Node& node = nodes_[at];
    NodeStats stats = node.stats;
    const std::size_t width = width_of(n_classes_);
    stats.value = std::span(values_).subspan(static_cast<std::size_t>(at) * width, width);
    append(tree, at == 0 ? -1 : number_of[node.parent], node.test, node.score, stats);
    open.insert(open.end(), children[at].rbegin(), children[at].rend());
  }
  tree.child_begin.push_back(0);
  for (const int at : order) {
    for (const int child : children[at]) tree.children.push_back(number_of[child]);
    tree.child_begin.push_back(static_cast<std::int32_t>(tree.children.size()));
  }
  validate(tree);
  return tree;
}

}  // namespace thriftree
