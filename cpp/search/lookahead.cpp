#include "search/lookahead.hpp"

#include <algorithm>

namespace thriftree {

namespace {

FoundTree one_leaf(SearchValue value) { return {{{-1}, {-1}, {-1}, {}}, value}; }

std::int32_t append(SearchTree& tree, const SearchTree& branch) {
  const auto at = static_cast<std::int32_t>(tree.test.size());
  const auto moved = [at](std::int32_t child) { return child < 0 ? child : child + at; };
  for (std::size_t i = 0; i < branch.test.size(); ++i) {
    tree.test.push_back(branch.test[i]);
    tree.left.push_back(moved(branch.left[i]));
    tree.right.push_back(moved(branch.right[i]));
  }
  return at;
}

}  // namespace

FoundTree Lookahead::grow(const NodeBits& node, TreeBudget budget, int level) {
  const std::int64_t cost = leaf_cost(node, solver_.shared().nodes.channels());
  FoundTree best = one_leaf(solver_.leaf_value(cost));
  if (cost == 0 || budget.depth <= 0 || budget.leaves < 2 || node.n_columns() == 0) return best;
  KernelAnswer answer;
  if (budget.depth <= levels_) {
    solver_.look(node, budget, answer);
    const SearchValue value = solver_.best_looked_at(answer, budget);
    return {Rebuild(solver_, entries_).build(node, budget, value, &answer), value};
  }
  solver_.look(node, TreeBudget::of(levels_, budget.leaves), answer);
  const SearchValue looked = solver_.best_looked_at(answer, TreeBudget::of(levels_, budget.leaves));
  if (looked <= (answer.levels + 2) * solver_.shared().units.leaf()) {
    // No deeper tree is better.
    const TreeBudget within = TreeBudget::of(levels_, budget.leaves);
    return {Rebuild(solver_, entries_).build(node, within, looked, &answer), looked};
  }
  for (const Plan& plan : plans(answer, budget, level < kBeamLevels ? beam_ : 1)) {
    FoundTree found = grow_from(node, plan, budget, level);
    if (found.value < best.value) best = std::move(found);
  }
  return best;
}

std::vector<Lookahead::Plan> Lookahead::plans(const KernelAnswer& answer, TreeBudget budget, int beam) const {
  std::vector<Plan> made;
  const int most = std::min(8, budget.leaves);
  for (std::size_t c = 0; c < answer.side.size() / 2; ++c) {
    Plan plan{c, kNoTree, 1, 1};
    for (int first = 1; first <= std::min(4, most - 1); ++first) {
      const SearchValue value =
          solver_.side_value(answer, c, 1, first) + solver_.side_value(answer, c, 0, most - first);
      if (value < plan.value) plan = {c, value, first, std::min(4, most - first)};
    }
    if (plan.value < kNoTree) made.push_back(plan);
  }
  const auto n = std::min(made.size(), static_cast<std::size_t>(beam));
  std::partial_sort(made.begin(), made.begin() + static_cast<std::ptrdiff_t>(n), made.end(),
                    [](const Plan& a, const Plan& b) {
                      return std::pair(a.value, a.column) < std::pair(b.value, b.column);
                    });
  made.resize(n);
  return made;
}

FoundTree Lookahead::grow_from(const NodeBits& node, const Plan& plan, TreeBudget budget, int level) {
  const NodeMaker& nodes = solver_.shared().nodes;
  const int depth = budget.depth_below();
  const auto below = [&](int leaves) {
    return TreeBudget::of(depth, budget.any_leaves() ? kAnyLeaves : leaves);
  };
  // Leaves that the plan leaves over go to the first side, and what that does not use to the second.
  const NodeBits yes = nodes.child(node, plan.column, 1), no = nodes.child(node, plan.column, 0);
  const FoundTree first = grow(yes, below(budget.leaves - plan.second), level + 1);
  const auto used = static_cast<int>((first.tree.test.size() + 1) / 2);
  const FoundTree second = grow(no, below(budget.leaves - used), level + 1);
  FoundTree made;
  made.value = first.value + second.value;
  made.tree.test.push_back(entries_.test[static_cast<std::size_t>(node.column[plan.column])]);
  made.tree.left.push_back(-1);
  made.tree.right.push_back(-1);
  made.tree.left[0] = append(made.tree, first.tree);
  made.tree.right[0] = append(made.tree, second.tree);
  return made;
}

}  // namespace thriftree
