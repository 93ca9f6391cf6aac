#include "prune/rebuild.hpp"

#include <iterator>
#include <limits>
#include <string>

#include "run/control.hpp"

namespace thriftree {
namespace {

// Appends old[begin[i], begin[i + 1]) and closes the new range.
template <class T>
void append_range(const std::vector<std::int32_t>& old_begin, const std::vector<T>& old, std::size_t i,
                  std::vector<T>& out, std::vector<std::int32_t>& out_begin) {
  out.insert(out.end(), old.begin() + old_begin[i], old.begin() + old_begin[i + 1]);
  out_begin.push_back(static_cast<std::int32_t>(out.size()));
}

void append_statistics(const Tree& tree, std::size_t i, Tree& out) {
  out.rows.push_back(tree.rows[i]);
  out.objects.push_back(tree.objects[i]);
  out.weight.push_back(tree.weight[i]);
  const auto width = static_cast<std::ptrdiff_t>(tree.value_width());
  const auto value = tree.value.begin() + static_cast<std::ptrdiff_t>(i) * width;
  out.value.insert(out.value.end(), value, value + width);
  out.impurity.push_back(tree.impurity[i]);
  out.label.push_back(tree.label[i]);
}

void append_leaf(Tree& out) {
  out.kind.push_back(TestKind::leaf);
  out.column.push_back(-1);
  out.missing.push_back(0);
  out.other.push_back(0);
  out.score.push_back(std::numeric_limits<double>::quiet_NaN());
  out.child_begin.push_back(static_cast<std::int32_t>(out.children.size()));
  out.key_begin.push_back(static_cast<std::int32_t>(out.keys.size()));
  out.to_begin.push_back(static_cast<std::int32_t>(out.to.size()));
}

void append_test(const Tree& tree, std::size_t i, Tree& out) {
  out.kind.push_back(tree.kind[i]);
  out.column.push_back(tree.column[i]);
  out.missing.push_back(tree.missing[i]);
  out.other.push_back(tree.other[i]);
  out.score.push_back(tree.score[i]);
  append_range(tree.key_begin, tree.keys, i, out.keys, out.key_begin);
  append_range(tree.to_begin, tree.to, i, out.to, out.to_begin);
  // The children get their new numbers when they are reached.
  const auto n_children = static_cast<std::size_t>(tree.child_begin[i + 1] - tree.child_begin[i]);
  out.children.insert(out.children.end(), n_children, -1);
  out.child_begin.push_back(static_cast<std::int32_t>(out.children.size()));
}

}  // namespace

Rebuilt rebuild(const Tree& tree, std::int32_t root, const Edits& edits) {
  Rebuilt built;
  Tree& out = built.tree;
  out.n_columns = tree.n_columns;
  out.n_classes = tree.n_classes;
  out.child_begin = out.key_begin = out.to_begin = {0};

  struct Visit {
    std::int32_t node;    // in the old tree
    std::int32_t parent;  // in the new tree
    std::size_t slot;     // where in `children` the new number goes
  };
  std::vector<Visit> open{{root, -1, 0}};
  while (!open.empty()) {
    const Visit visit = open.back();
    open.pop_back();
    const auto old = static_cast<std::size_t>(edits.standing_for(visit.node));
    const auto number = static_cast<std::int32_t>(out.n_nodes());
    out.parent.push_back(visit.parent);
    built.origin.push_back(static_cast<std::int32_t>(old));
    if (visit.parent >= 0) out.children[visit.slot] = number;
    append_statistics(tree, old, out);
    if (is_leaf(tree, old) || edits.make_leaf[old]) {
      append_leaf(out);
      continue;
    }
    const std::size_t first_slot = out.children.size();
    append_test(tree, old, out);
    const auto* first = children_begin(tree, old);
    for (auto n = static_cast<std::size_t>(children_end(tree, old) - first); n-- > 0;) {
      open.push_back({first[n], number, first_slot + n});
    }
  }
  return built;
}

Tree collapse(const Tree& tree, const std::vector<bool>& make_leaf) {
  if (make_leaf.size() != tree.n_nodes()) {
    throw BadInput("make_leaf has " + std::to_string(make_leaf.size()) + " entries, but the tree has " +
                   std::to_string(tree.n_nodes()) + " nodes: give one entry a node");
  }
  Edits edits(tree.n_nodes());
  edits.make_leaf = make_leaf;
  return rebuild(tree, 0, edits).tree;
}

}  // namespace thriftree
