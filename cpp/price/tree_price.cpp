#include "price/tree_price.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <utility>

#include "run/control.hpp"
#include "tree/route.hpp"

namespace thriftree {

namespace {

using Node = std::size_t;

// Per node, one more than the last node below it.
std::vector<Node> subtree_ends(const Tree& tree) {
  std::vector<Node> end(tree.n_nodes());
  for (Node node = end.size(); node-- > 0;) {
    end[node] = std::max(end[node], node + 1);
    if (tree.parent[node] < 0) continue;
    Node& above = end[static_cast<Node>(tree.parent[node])];
    above = std::max(above, end[node]);
  }
  return end;
}

// How a node divides its column's values, branches numbered by first appearance.
using Split = std::tuple<std::int32_t, TestKind, std::vector<double>, std::vector<std::int32_t>>;

Split split_of(const Tree& tree, Node node) {
  const auto part = [&](const auto& values, const auto& begin) {
    return std::vector(values.begin() + begin[node], values.begin() + begin[node + 1]);
  };
  std::vector<std::int32_t> to = part(tree.to, tree.to_begin);
  std::map<std::int32_t, std::int32_t> number;
  for (std::int32_t& branch : to)
    branch = number.emplace(branch, static_cast<std::int32_t>(number.size())).first->second;
  return {tree.column[node], tree.kind[node], part(tree.keys, tree.key_begin), std::move(to)};
}

// The columns of the tests in [node, end): of equal splits the first only, where each test is paid.
std::vector<std::size_t> columns_below(const Tree& tree, Node node, Node end, bool pay_once) {
  std::vector<std::size_t> columns;
  std::map<Split, bool> seen;
  for (; node < end; ++node) {
    if (tree.column[node] < 0) continue;
    if (pay_once || seen.emplace(split_of(tree, node), true).second)
      columns.push_back(static_cast<std::size_t>(tree.column[node]));
  }
  return columns;
}

// What tests add, and what arriving has bought.
struct Purchases {
  std::vector<double> fixed;
  std::vector<std::int64_t> times;  // node x slot
};

Purchases purchases(const Tree& tree, const Prices& prices, TreePrice& result) {
  const std::size_t n = tree.n_nodes(), n_outcomes = result.n_outcomes;
  const std::vector<Node> end = subtree_ends(tree);
  Purchases added{std::vector<double>(n), std::vector<std::int64_t>(n * n_outcomes)};
  std::vector<PathState> after(n);
  for (Node node = 0; node < n; ++node) {
    if (tree.parent[node] >= 0) result.arrived[node] = after[static_cast<Node>(tree.parent[node])];
    if (tree.column[node] < 0) continue;
    after[node] = result.arrived[node];
    PathState here;
    const auto still_open = [&] { return columns_below(tree, node, end[node], prices.rules().pay_once); };
    const auto pay = [&](std::size_t column, const Prices::Due& due) {
      if (const std::int32_t slot = prices.outcome_slot(column); slot >= 0) {
        ++added.times[node * n_outcomes + static_cast<std::size_t>(slot)];
        result.varies[node] = true;
      } else {
        added.fixed[node] += prices.rules().own[column];
      }
      added.fixed[node] += due.setup;
      result.bought[node] += !here.has(column);
      here.add(column);
    };
    prices.ask(after[node], static_cast<std::size_t>(tree.column[node]), still_open, pay);
  }
  return added;
}

// From what tests add to what arriving has paid; `width` figures a node.
template <class T>
std::vector<T> accumulated(const Tree& tree, const std::vector<T>& added, std::size_t width) {
  std::vector<T> total(added.size());
  for (Node node = 1; node < tree.n_nodes(); ++node) {
    const Node above = static_cast<Node>(tree.parent[node]);
    for (std::size_t k = 0; k < width; ++k)
      total[node * width + k] = total[above * width + k] + added[above * width + k];
  }
  return total;
}

double highest_of(const OutcomePrices& outcomes, const std::vector<double>& alive) {
  if (alive.empty()) return outcomes.highest();  // tests contradict each other
  double highest = 0;
  for (const double outcome : alive) highest = std::max(highest, outcomes.of(outcome));
  return highest;
}

// highest[node x slot] = the highest price of the slot's column among the outcomes that can reach the node.
void find_highest(const Tree& tree, const PriceRules& rules, std::size_t slot, std::vector<double>& highest) {
  const auto& [column, outcomes] = rules.outcomes[slot];
  std::vector<double> cuts;
  for (Node node = 0; node < tree.n_nodes(); ++node) {
    if (tree.column[node] != static_cast<std::int32_t>(column)) continue;
    cuts.insert(cuts.end(), tree.keys.begin() + tree.key_begin[node],
                tree.keys.begin() + tree.key_begin[node + 1]);
  }
  // Depth first, so that only the outcomes of one path and its siblings are held.
  using Alive = std::shared_ptr<const std::vector<double>>;
  std::vector<std::pair<Node, Alive>> open;
  const auto arrive = [&](Node node, Alive alive) {
    highest[node * rules.outcomes.size() + slot] = highest_of(outcomes, *alive);
    open.emplace_back(node, std::move(alive));
  };
  arrive(0, std::make_shared<const std::vector<double>>(outcomes.representatives(cuts)));
  while (!open.empty()) {
    const auto [node, alive] = std::move(open.back());
    open.pop_back();
    const auto first = static_cast<Node>(tree.child_begin[node]);
    const std::size_t n_branches = static_cast<Node>(tree.child_begin[node + 1]) - first;
    std::vector<std::vector<double>> parts(n_branches);
    const bool tested = tree.column[node] == static_cast<std::int32_t>(column);
    for (std::size_t i = 0; tested && i < alive->size(); ++i) {
      const double outcome = (*alive)[i];
      const auto branch = route(tree, static_cast<std::int32_t>(node), outcome, outcomes.has_codes());
      parts[static_cast<std::size_t>(branch)].push_back(outcome);
    }
    for (std::size_t b = 0; b < n_branches; ++b) {
      const auto child = static_cast<Node>(tree.children[first + b]);
      arrive(child, tested ? std::make_shared<const std::vector<double>>(std::move(parts[b])) : alive);
    }
  }
}

// fixed + the sum of times * highest, node by node.
std::vector<double> with_outcomes(const std::vector<double>& fixed, const std::vector<std::int64_t>& times,
                                  const std::vector<double>& highest) {
  const std::size_t width = times.size() / fixed.size();
  std::vector<double> prices(fixed.size());
  for (Node node = 0; node < fixed.size(); ++node) {
    double sum = 0;
    for (std::size_t k = node * width; k < (node + 1) * width; ++k)
      sum += static_cast<double>(times[k]) * highest[k];
    prices[node] = fixed[node] + sum;
  }
  return prices;
}

}  // namespace

TreePrice price_tree(const Tree& tree, const Prices& prices) {
  const std::size_t n = tree.n_nodes();
  for (const std::int32_t column : tree.column) {
    if (column >= 0 && static_cast<std::size_t>(column) >= prices.n_columns())
      throw BadInput("the tree tests column " + std::to_string(column) + ", which has no price");
  }
  TreePrice result;
  result.n_outcomes = prices.rules().outcomes.size();
  result.bought.resize(n);
  result.varies.resize(n);
  result.arrived.resize(n);
  Purchases added = purchases(tree, prices, result);
  result.fixed = accumulated(tree, added.fixed, 1);
  result.times = accumulated(tree, added.times, result.n_outcomes);
  if (std::find(result.varies.begin(), result.varies.end(), true) == result.varies.end()) {
    result.paid = result.fixed;
    result.marginal = std::move(added.fixed);
    return result;
  }
  std::vector<double> highest(n * result.n_outcomes);
  for (std::size_t slot = 0; slot < result.n_outcomes; ++slot)
    find_highest(tree, prices.rules(), slot, highest);
  result.paid = with_outcomes(result.fixed, result.times, highest);
  result.marginal = with_outcomes(added.fixed, added.times, highest);
  return result;
}

double TreePrice::worst_case(const Tree& tree) const {
  double worst = 0;
  for (Node node = 0; node < tree.n_nodes(); ++node) {
    if (tree.column[node] < 0) worst = std::max(worst, paid[node]);
  }
  return worst;
}

double TreePrice::expected(const Tree& tree) const {
  double sum = 0, weight = 0;
  for (Node node = 0; node < tree.n_nodes(); ++node) {
    if (tree.column[node] >= 0) continue;
    for (std::size_t k = node * n_outcomes; k < (node + 1) * n_outcomes; ++k) {
      if (times[k] > 0)
        throw BadInput(
            "prices depend on outcomes, which the leaves' weights do not tell: average the prices over the "
            "rows");
    }
    sum += tree.weight[node] * paid[node];
    weight += tree.weight[node];
  }
  if (weight == 0) throw BadInput("no leaf has weight, so no price is expected");
  return sum / weight;
}

std::vector<double> price_rows(const TreePrice& tree, const PriceRules& rules,
                               std::span<const std::int64_t> leaf,
                               std::span<const std::span<const double>> outcomes) {
  std::vector<double> prices(leaf.size());
  for (std::size_t i = 0; i < leaf.size(); ++i) prices[i] = tree.fixed[static_cast<Node>(leaf[i])];
  for (std::size_t slot = 0; slot < tree.n_outcomes; ++slot) {
    for (std::size_t i = 0; i < leaf.size(); ++i) {
      const std::int64_t times = tree.times[static_cast<Node>(leaf[i]) * tree.n_outcomes + slot];
      if (times > 0)
        prices[i] += static_cast<double>(times) * rules.outcomes[slot].second.of(outcomes[slot][i]);
    }
  }
  return prices;
}

}  // namespace thriftree
