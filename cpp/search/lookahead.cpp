#include "search/lookahead.hpp"

#include <algorithm>
#include <tuple>

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

bool Lookahead::is_settled(const NodeBits& node, TreeBudget budget, KernelAnswer& answer, FoundTree& best) {
  const std::int64_t cost = leaf_cost(node, solver_.shared().nodes.channels());
  best = one_leaf(solver_.leaf_value(cost));
  if (cost == 0 || budget.depth <= 0 || budget.leaves < 2 || node.n_columns() == 0) return true;
  const int levels = std::min(levels_, solver_.most_levels(node));
  const TreeBudget within = TreeBudget::of(std::min(budget.depth, std::max(1, levels)), budget.leaves);
  solver_.look(node, within, answer);
  const SearchValue looked = solver_.best_looked_at(answer, within);
  // No deeper tree is allowed, or none is better.
  const bool settled = budget.depth <= levels || looked <= solver_.beyond(answer);
  if (settled) best = {Rebuild(solver_, entries_).build(node, within, looked, &answer), looked};
  return settled;
}

FoundTree Lookahead::grow(const NodeBits& node, TreeBudget budget, int beam, int level) {
  KernelAnswer answer;
  FoundTree best;
  if (is_settled(node, budget, answer, best)) return best;
  const GrowChild below = [&](const NodeBits& child, TreeBudget left) {
    return grow(child, left, beam, level + 1);
  };
  for (const Plan& plan : plans(answer, budget, level < kBeamLevels ? static_cast<std::size_t>(beam) : 1)) {
    FoundTree found = grow_from(node, plan, budget, below);
    if (found.value < best.value) best = std::move(found);
  }
  return best;
}

FoundTree Lookahead::grow_within(const NodeBits& node, TreeBudget budget, std::int64_t work,
                                 const Better& better) {
  const std::int64_t begin = solver_.work, end = begin + work;
  KernelAnswer answer;
  FoundTree best;
  const auto tell = [&] {
    if (better) better(best);
  };
  const bool settled = is_settled(node, budget, answer, best);
  tell();
  if (settled) return best;
  if (budget.depth == answer.levels + 1 && budget.any_leaves()) {
    grow_exactly_below(node, budget, answer, end, best);
    tell();
    return best;
  }
  const auto consider = [&](FoundTree found) {
    if (found.value >= best.value) return;
    best = std::move(found);
    tell();
  };
  std::vector<Plan> tried = plans(answer, budget, node.n_columns());
  std::size_t n_tried = 0;
  for (; n_tried < tried.size() && (n_tried == 0 || solver_.work < begin + work * 3 / 5); ++n_tried) {
    FoundTree found = grow_from(node, tried[n_tried], budget,
                                [&](const NodeBits& child, TreeBudget left) { return grow(child, left, 1); });
    tried[n_tried].value = found.value;
    consider(std::move(found));
  }
  tried.resize(n_tried);
  std::stable_sort(tried.begin(), tried.end(),
                   [](const Plan& a, const Plan& b) { return a.value < b.value; });
  for (std::size_t i = 0; i < n_tried && solver_.work < end; ++i) {
    // Each side has its share of what is left.
    const std::int64_t share =
        (end - solver_.work) / (2 * std::max<std::int64_t>(1, kRefined - static_cast<std::int64_t>(i)));
    consider(grow_from(node, tried[i], budget, [&](const NodeBits& child, TreeBudget left) {
      return grow_within(child, left, share);
    }));
  }
  return best;
}

void Lookahead::grow_exactly_below(const NodeBits& node, TreeBudget budget, const KernelAnswer& answer,
                                   std::int64_t end, FoundTree& best) {
  std::vector<RootOption> all = solver_.options(node, answer);
  const RootOption* chosen = nullptr;
  for (std::size_t i = 0; i < all.size() && (i == 0 || solver_.work < end); ++i) {
    for (std::size_t j = 0; j < i && all[i].lower_bound < best.value; ++j)
      solver_.compare(node, answer, budget, all[j], all[i]);
    if (all[i].lower_bound >= best.value) continue;
    const SearchAnswer found = solver_.try_option(node, all[i], budget, best.value);
    if (!found.exact || found.value >= best.value) continue;
    best.value = found.value;
    chosen = &all[i];
  }
  if (chosen != nullptr) best.tree = Rebuild(solver_, entries_).build_from(node, *chosen, budget, best.value);
}

std::vector<Lookahead::Plan> Lookahead::plans(const KernelAnswer& answer, TreeBudget budget,
                                              std::size_t most_plans) const {
  std::vector<Plan> made;
  const int most = std::min(8, budget.leaves);
  for (std::size_t c = 0; c < answer.side.size() / 2; ++c) {
    Plan plan{c, kNoTree, 1, 1, solver_.shared().units.of_cost(answer.pay_of(c))};
    for (int first = 1; first <= std::min(4, most - 1); ++first) {
      const SearchValue value = solver_.shared().units.of_cost(answer.pay_of(c)) +
                                solver_.side_value(answer, c, 1, first) +
                                solver_.side_value(answer, c, 0, most - first);
      if (value < plan.value) plan = {c, value, first, std::min(4, most - first), plan.pay};
    }
    if (plan.value < kNoTree) made.push_back(plan);
  }
  const std::size_t n = std::min(made.size(), most_plans);
  std::partial_sort(made.begin(), made.begin() + static_cast<std::ptrdiff_t>(n), made.end(),
                    [&](const Plan& a, const Plan& b) {
                      const std::int64_t more = answer.smaller_base(b.column) - answer.smaller_base(a.column);
                      return std::tuple(a.value, more, a.column) < std::tuple(b.value, 0, b.column);
                    });
  made.resize(n);
  return made;
}

FoundTree Lookahead::grow_from(const NodeBits& node, const Plan& plan, TreeBudget budget,
                               const GrowChild& grow_child) const {
  const NodeMaker& nodes = solver_.shared().nodes;
  const int depth = budget.depth_below();
  const auto below = [&](int leaves) {
    return TreeBudget::of(depth, budget.any_leaves() ? kAnyLeaves : leaves);
  };
  // Leaves that the plan leaves over go to the first side, and what that does not use to the second.
  const NodeBits yes = nodes.child(node, plan.column, 1), no = nodes.child(node, plan.column, 0);
  const FoundTree first = grow_child(yes, below(budget.leaves - plan.second));
  const FoundTree second = grow_child(no, below(budget.leaves - first.leaves()));
  FoundTree made;
  made.value = plan.pay + first.value + second.value;
  made.tree.test.push_back(entries_.test[static_cast<std::size_t>(node.column[plan.column])]);
  made.tree.left.push_back(-1);
  made.tree.right.push_back(-1);
  made.tree.left[0] = append(made.tree, first.tree);
  made.tree.right[0] = append(made.tree, second.tree);
  return made;
}

}  // namespace thriftree
