#include "search/sweep_tree.hpp"

#include <algorithm>
#include <tuple>

namespace thriftree {

namespace {

void append(SweepTree& tree, const SweepTree& part) {
  const auto shift = static_cast<std::int32_t>(tree.size());
  for (std::size_t i = 0; i < part.size(); ++i) {
    const bool is_leaf = part.column[i] < 0;
    tree.column.push_back(part.column[i]);
    tree.cut.push_back(part.cut[i]);
    tree.left.push_back(is_leaf ? -1 : part.left[i] + shift);
    tree.right.push_back(is_leaf ? -1 : part.right[i] + shift);
    tree.label.push_back(part.label[i]);
  }
}

// Two leaves under this split of the rows, or one leaf.
SweepTree stump_of(const SweepContext& context, const SweepRows& rows, int leaves, const SweepTest& test) {
  if (leaves == 1) return leaf_tree(leaf_of(rows.label_cost).label);
  std::vector<std::int64_t> left(rows.label_cost.size(), 0), right = rows.label_cost;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (context.table.rank(static_cast<std::size_t>(test.column), rows.rows[i]) > test.cut) continue;
    for (std::size_t p = 0; p < left.size(); ++p) {
      const std::int64_t cost =
          rows.weight_of(i) * context.table.cost(rows.labels[i], static_cast<std::int32_t>(p));
      left[p] += cost, right[p] -= cost;
    }
  }
  return joined(test.column, test.cut, leaf_tree(leaf_of(left).label), leaf_tree(leaf_of(right).label));
}

}  // namespace

SweepTree leaf_tree(std::int32_t label) { return {{-1}, {0}, {-1}, {-1}, {label}}; }

SweepTree joined(std::int32_t column, std::int32_t cut, const SweepTree& left, const SweepTree& right) {
  SweepTree tree{{column}, {cut}, {1}, {static_cast<std::int32_t>(left.size()) + 1}, {0}};
  append(tree, left);
  append(tree, right);
  return tree;
}

SweepTree subtree(const SweepTree& tree, std::int32_t node) {
  const auto at = static_cast<std::size_t>(node);
  if (tree.column[at] < 0) return leaf_tree(tree.label[at]);
  return joined(tree.column[at], tree.cut[at], subtree(tree, tree.left[at]), subtree(tree, tree.right[at]));
}

std::int32_t depth_of(const SweepTree& tree, std::int32_t node) {
  const auto at = static_cast<std::size_t>(node);
  if (tree.column[at] < 0) return 0;
  return 1 + std::max(depth_of(tree, tree.left[at]), depth_of(tree, tree.right[at]));
}

bool precedes(const SweepTree& a, const SweepTree& b) {
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    if (a.column[i] != b.column[i]) return a.column[i] < b.column[i];
    if (a.column[i] >= 0 && a.cut[i] != b.cut[i]) return a.cut[i] < b.cut[i];
  }
  return false;
}

SweepTree tree_of(const SweepContext& context, const SweepRows& rows, int leaves, const SweepTest& test,
                  Team* team) {
  if (leaves <= 2) return stump_of(context, rows, leaves, test);
  std::vector<std::uint8_t> marks;
  mark_sides(context.table, rows, test.column, test.cut, marks);
  SweepRows sides[2];
  divide(context.table, rows, marks, sides, team);
  const auto& [left, right] = sides;
  SplitScan on_left, on_right;
  scan_splits(context.table, left, context.options, on_left, team);
  scan_splits(context.table, right, context.options, on_right, team);
  const int left_leaves = leaves == 4 || leaf_of(left.label_cost).cost + on_right.best.cost != test.cost ||
                                  !is_large_enough(context.options, left.size(), left.weight)
                              ? 2
                              : 1;
  return joined(test.column, test.cut, stump_of(context, left, left_leaves, on_left.best),
                stump_of(context, right, leaves - left_leaves, on_right.best));
}

}  // namespace thriftree
