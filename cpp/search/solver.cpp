#include "search/solver.hpp"

#include <algorithm>

namespace thriftree {

namespace {

CacheKey key_of(const Hash128& rows, TreeBudget budget) {
  return {rows, static_cast<std::uint32_t>(budget.depth), static_cast<std::uint32_t>(budget.leaves)};
}

}  // namespace

void Solver::look(const NodeBits& node, TreeBudget budget, KernelAnswer& answer) {
  const int levels = std::min(budget.depth, 3);
  ++(levels == 3 ? statistics.triple_kernels : statistics.pair_kernels);
  kernel_.run(node, levels, poll_, answer);
}

SearchValue Solver::side_value(const KernelAnswer& answer, std::size_t column, int side, int leaves) const {
  SearchValue best = kNoTree;
  const auto& cost = answer.side[2 * column + static_cast<std::size_t>(side)];
  for (int k = 1; k <= std::min(leaves, 4); ++k)
    best = std::min(best, value_of(cost[static_cast<std::size_t>(k - 1)], k));
  return best;
}

SearchValue Solver::best_looked_at(const KernelAnswer& answer, TreeBudget budget) const {
  SearchValue best = leaf_value(answer.node_cost);
  const int most = budget.leaves;
  for (std::size_t c = 0; c < answer.side.size() / 2; ++c) {
    if (most >= 8) {
      best = std::min(best, side_value(answer, c, 0, 4) + side_value(answer, c, 1, 4));
      continue;
    }
    for (int k = 1; k <= std::min(4, most - 1); ++k)
      best = std::min(best, side_value(answer, c, 1, k) + side_value(answer, c, 0, most - k));
  }
  return best;
}

std::vector<RootOption> Solver::options(const NodeBits& node, const KernelAnswer& answer, TreeBudget budget,
                                        SearchValue target) const {
  const SearchValue leaf = shared_.units.leaf();
  const auto& use = shared_.switches;
  std::vector<RootOption> made;
  for (std::size_t c = 0; c < node.n_columns(); ++c) {
    RootOption option;
    option.column = c;
    if (answer.side[2 * c][0] >= kNoCost || answer.side[2 * c + 1][0] >= kNoCost) continue;
    for (int side = 0; side < 2; ++side) {
      const SearchValue looked = side_value(answer, c, side, 4);
      option.guess += looked;
      // A side that is no tree of the kernel's has three levels, and so four leaves.
      option.side[side] = use.after_kernel ? std::min(looked, 4 * leaf) : leaf;
    }
    const SearchValue l0 = option.side[0], l1 = option.side[1], four = 4 * leaf;
    option.lower_bound =
        use.one_side_four ? std::min(std::max(l0, four) + l1, l0 + std::max(l1, four)) : l0 + l1;
    if (option.lower_bound < target) made.push_back(option);
  }
  (void)budget;
  std::stable_sort(made.begin(), made.end(),
                   [](const RootOption& a, const RootOption& b) { return a.guess < b.guess; });
  return made;
}

SearchAnswer Solver::solve(const NodeBits& node, const Hash128& hash, TreeBudget budget, SearchValue target) {
  ++statistics.nodes;
  const auto& use = shared_.switches;
  const SearchValue leaf = shared_.units.leaf();
  const std::int64_t cost = leaf_cost(node, shared_.nodes.channels());
  const SearchValue as_leaf = leaf_value(cost);
  if (cost == 0 || budget.depth <= 0 || budget.leaves < 2 || node.n_columns() == 0) return {as_leaf, true};
  if (use.one_split) {
    if (as_leaf <= 2 * leaf) return {as_leaf, true};
    if (2 * leaf >= target) return {2 * leaf, false};
  }
  const CacheKey key = key_of(hash, budget);
  if (use.cache) {
    if (const KnownValue* known = shared_.cache.find(key)) {
      if (known->exact || known->value >= target) {
        ++statistics.cache_hits;
        return {known->value, known->exact};
      }
    }
    if (known_slack_ > 0 && budget.depth < kAnyDepth) {
      const int depth = known_slack_ >= kAnyDepth ? kAnyDepth : budget.depth + known_slack_;
      const KnownValue* known = shared_.cache.find(key_of(hash, TreeBudget::of(depth, budget.leaves)));
      if (known && known->value >= target) return {known->value, false};
    }
  }
  poll_();
  KernelAnswer answer;
  look(node, budget, answer);
  const SearchAnswer found = branch(node, answer, budget, target);
  if (use.cache) shared_.cache.keep(key, {found.value, found.exact});
  return found;
}

SearchAnswer Solver::branch(const NodeBits& node, const KernelAnswer& answer, TreeBudget budget,
                            SearchValue target) {
  const auto& use = shared_.switches;
  const SearchValue leaf = shared_.units.leaf();
  SearchValue best = best_looked_at(answer, budget);
  if (budget.depth <= 3) return {best, true};
  if (use.after_kernel) {
    if (best <= 5 * leaf) return {best, true};
    if (std::min(best, 5 * leaf) >= target) return {std::min(best, 5 * leaf), false};
  }
  if (use.leaf_budget) {
    // Below the target there is room for so many leaves; a tree of five levels has at least six, and so on.
    const SearchValue most = (std::min(target, best) - 1) / leaf;
    if (most < 5)
      return best < target ? SearchAnswer{best, true}
                           : SearchAnswer{std::min(best, (most + 1) * leaf), false};
  }
  // What no option can be below.
  SearchValue unproved = std::min(best, target);
  for (RootOption& option : options(node, answer, budget, std::min(best, target))) {
    const SearchValue goal = std::min(best, target);
    if (option.lower_bound >= goal) continue;
    const SearchAnswer found = try_option(node, option, budget, goal);
    if (found.exact) best = std::min(best, found.value);
  }
  if (best < target) return {best, true};
  return {unproved, false};
}

SearchAnswer Solver::solve_pair(const NodeBits& node, const RootOption& option, TreeBudget first,
                                TreeBudget second, SearchValue target) {
  // The dearer side first: it is the likelier to show that the option is in vain.
  const int begin = option.side[1] >= option.side[0] ? 1 : 0;
  const TreeBudget budget[2] = {second, first};
  SearchValue sum = 0;
  for (int turn = 0; turn < 2; ++turn) {
    const int side = turn == 0 ? begin : 1 - begin;
    const SearchValue rest = turn == 0 ? option.side[1 - begin] : sum;
    const NodeBits child = shared_.nodes.child(node, option.column, side);
    const SearchAnswer found = solve(child, shared_.nodes.hash(child), budget[side], target - rest);
    if (found.value + rest >= target) return {found.value + rest, false};
    sum += found.value;
  }
  return {sum, true};
}

SearchAnswer Solver::try_option(const NodeBits& node, const RootOption& option, TreeBudget budget,
                                SearchValue target) {
  const int depth = budget.depth_below();
  if (budget.any_leaves()) {
    const TreeBudget below = TreeBudget::of(depth, kAnyLeaves);
    return solve_pair(node, option, below, below, target);
  }
  const int most = TreeBudget::of(depth, kAnyLeaves).most_leaves();
  SearchAnswer best{kNoTree, false};
  for (int first = std::max(1, budget.leaves - most); first <= std::min(most, budget.leaves - 1); ++first) {
    const SearchAnswer found = solve_pair(node, option, TreeBudget::of(depth, first),
                                          TreeBudget::of(depth, budget.leaves - first), target);
    if (found.exact) {
      best = found;
      target = found.value;
    } else if (!best.exact) {
      best.value = std::min(best.value, found.value);
    }
  }
  return best;
}

}  // namespace thriftree
