// What a subtree may have.
#pragma once

#include <algorithm>

namespace thriftree {

constexpr int kAnyDepth = 1 << 20;
constexpr int kAnyLeaves = 1 << 30;

// Levels of tests below a node and leaves; each is kAny... where the other limit already says as much, so
// that equal problems have equal budgets.
struct TreeBudget {
  int depth = kAnyDepth;
  int leaves = kAnyLeaves;

  static TreeBudget of(int depth, int leaves) {
    if (leaves < kAnyLeaves && leaves - 1 < depth) depth = leaves - 1;
    if (depth < 30 && leaves >= 1 << depth) leaves = kAnyLeaves;
    return {depth, leaves};
  }
  bool any_leaves() const { return leaves == kAnyLeaves; }
  // The most leaves that a tree within the budget has, as far as it tells.
  int most_leaves() const { return depth < 30 ? std::min(leaves, 1 << depth) : leaves; }
  int depth_below() const { return depth == kAnyDepth ? kAnyDepth : depth - 1; }
  friend bool operator==(const TreeBudget&, const TreeBudget&) = default;
};

}  // namespace thriftree
