#include "search/rebuild.hpp"

#include <algorithm>
#include <stdexcept>

namespace thriftree {

SearchTree Rebuild::build(const NodeBits& node, TreeBudget budget, SearchValue value,
                          const KernelAnswer* looked) {
  SearchTree tree;
  add(node, budget, value, looked, tree);
  return tree;
}

SearchTree Rebuild::build_from(const NodeBits& node, const RootOption& option, TreeBudget budget,
                               SearchValue value) {
  SearchTree tree;
  if (!option.order.empty()) {
    add(solver_.shared().nodes.ordered(node, option.order), budget, value - option.pay, nullptr, tree);
    return tree;
  }
  Division division;
  if (!find_deeper(node, option, budget, value, division))
    throw std::logic_error("the search has no tree for the value that it found");
  divide(node, division, tree);
  return tree;
}

std::int32_t Rebuild::divide(const NodeBits& node, const Division& division, SearchTree& tree) {
  const auto at = static_cast<std::int32_t>(tree.test.size());
  tree.test.push_back(entries_.test[static_cast<std::size_t>(node.column[division.column])]);
  tree.left.push_back(-1);
  tree.right.push_back(-1);
  const NodeMaker& nodes = solver_.shared().nodes;
  const std::int32_t left =
      add(nodes.child(node, division.column, 1), division.first, division.first_value, nullptr, tree);
  tree.left[static_cast<std::size_t>(at)] = left;
  const std::int32_t right =
      add(nodes.child(node, division.column, 0), division.second, division.second_value, nullptr, tree);
  tree.right[static_cast<std::size_t>(at)] = right;
  return at;
}

std::int32_t Rebuild::add(const NodeBits& node, TreeBudget budget, SearchValue value,
                          const KernelAnswer* looked, SearchTree& tree) {
  if (solver_.leaf_value(leaf_cost(node, solver_.shared().nodes.channels())) == value) {
    tree.test.push_back(-1);
    tree.left.push_back(-1);
    tree.right.push_back(-1);
    return static_cast<std::int32_t>(tree.test.size()) - 1;
  }
  KernelAnswer own;
  if (looked == nullptr) solver_.look(node, budget, own);
  const KernelAnswer& answer = looked == nullptr ? own : *looked;
  Division found;
  if (budget.depth <= answer.levels) {
    if (!find_looked_at(node, answer, budget, value, found))
      throw std::logic_error("the search has no tree for the value that it found");
    return divide(node, found, tree);
  }
  // Deeper trees and the kernel's own, column by column, so that the smallest test wins.
  std::vector<RootOption> deeper = solver_.options(node, answer);
  std::erase_if(deeper, [&](const RootOption& option) { return option.lower_bound > value; });
  const std::vector<RootOption> orders = take_orders(deeper);
  std::sort(deeper.begin(), deeper.end(),
            [](const RootOption& a, const RootOption& b) { return a.column < b.column; });
  std::size_t next = 0;
  for (std::size_t c = 0; c < node.n_columns(); ++c) {
    KernelAnswer of_column;
    of_column.side.assign(2 * (c + 1), {kNoCost, kNoCost, kNoCost, kNoCost});
    of_column.side[2 * c] = answer.side[2 * c];
    of_column.side[2 * c + 1] = answer.side[2 * c + 1];
    if (!answer.pay.empty()) of_column.pay.assign(c + 1, answer.pay[c]);
    while (next < deeper.size() && deeper[next].column < c) ++next;
    const bool may_be_deeper = next < deeper.size() && deeper[next].column == c;
    if (find_looked_at(node, of_column, budget, value, found)) {
      // The children's budgets are those of the whole problem: a deeper tree of theirs may come first.
      if (!may_be_deeper && budget.any_leaves()) return divide(node, found, tree);
      RootOption option;
      option.column = c;
      option.pay = solver_.shared().units.of_cost(answer.pay_of(c));
      option.side[0] = option.side[1] = solver_.shared().units.leaf();
      if (find_deeper(node, option, budget, value, found)) return divide(node, found, tree);
    } else if (may_be_deeper && find_deeper(node, deeper[next], budget, value, found)) {
      return divide(node, found, tree);
    }
  }
  for (const RootOption& option : orders) {
    const NodeBits after = solver_.shared().nodes.ordered(node, option.order);
    const SearchAnswer below = solver_.solve(after, budget, value - option.pay + 1);
    if (below.exact && below.value + option.pay == value)
      return add(after, budget, below.value, nullptr, tree);
  }
  throw std::logic_error("the search has no tree for the value that it found");
}

// The orders among the options, small ones first.
std::vector<RootOption> Rebuild::take_orders(std::vector<RootOption>& options) {
  std::vector<RootOption> orders;
  for (const RootOption& option : options) {
    if (!option.order.empty()) orders.push_back(option);
  }
  std::erase_if(options, [](const RootOption& option) { return !option.order.empty(); });
  std::sort(orders.begin(), orders.end(), [](const RootOption& a, const RootOption& b) {
    return a.order.size() != b.order.size() ? a.order.size() < b.order.size() : a.order < b.order;
  });
  return orders;
}

bool Rebuild::find_looked_at(const NodeBits&, const KernelAnswer& answer, TreeBudget budget,
                             SearchValue value, Division& found) {
  const int depth = budget.depth_below();
  const int most = std::min(8, budget.leaves);
  for (std::size_t c = 0; c < answer.side.size() / 2; ++c) {
    for (int first = budget.any_leaves() ? 4 : 1; first <= std::min(4, most - 1); ++first) {
      const SearchValue a = solver_.side_value(answer, c, 1, first);
      const int second = budget.any_leaves() ? 4 : most - first;
      const SearchValue b = solver_.side_value(answer, c, 0, second);
      if (solver_.shared().units.of_cost(answer.pay_of(c)) + a + b != value) continue;
      const auto below = [&](int leaves) {
        return TreeBudget::of(depth, budget.any_leaves() ? kAnyLeaves : leaves);
      };
      found = {c, below(first), below(second), a, b};
      return true;
    }
  }
  return false;
}

bool Rebuild::find_pair(const NodeBits& node, const RootOption& option, TreeBudget first, TreeBudget second,
                        SearchValue value, Division& found) {
  value -= option.pay;
  // A search that has left an option out knows both sides, and need not know either exactly.
  const SearchValue one = std::max(option.side[1], solver_.known_bound(node, option.column, 1, first));
  const SearchValue zero = std::max(option.side[0], solver_.known_bound(node, option.column, 0, second));
  if (one + zero > value) return false;
  const SearchAnswer a = solver_.solve_child(node, option.column, 1, first, value - zero + 1);
  if (!a.exact || a.value + zero > value) return false;
  const SearchAnswer b = solver_.solve_child(node, option.column, 0, second, value - a.value + 1);
  if (!b.exact || a.value + b.value != value) return false;
  found = {option.column, first, second, a.value, b.value};
  return true;
}

bool Rebuild::find_deeper(const NodeBits& node, const RootOption& option, TreeBudget budget,
                          SearchValue value, Division& found) {
  const int depth = budget.depth_below();
  if (budget.any_leaves()) {
    const TreeBudget below = TreeBudget::of(depth, kAnyLeaves);
    return find_pair(node, option, below, below, value, found);
  }
  const int most = TreeBudget::of(depth, kAnyLeaves).most_leaves();
  for (int first = std::max(1, budget.leaves - most); first <= std::min(most, budget.leaves - 1); ++first) {
    if (find_pair(node, option, TreeBudget::of(depth, first), TreeBudget::of(depth, budget.leaves - first),
                  value, found))
      return true;
  }
  return false;
}

}  // namespace thriftree
