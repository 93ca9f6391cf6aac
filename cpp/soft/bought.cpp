#include "soft/bought.hpp"

#include <algorithm>

#include "run/control.hpp"

namespace thriftree::soft {

namespace {

using Bought = std::vector<std::vector<std::uint32_t>>;

void check_bought(const SoftShape& shape, const Prices& prices, const Bought& bought) {
  if (bought.size() != shape.n_gates() + shape.n_leaves())
    throw BadInput("bought must have one list for each gate and each leaf");
  for (const auto& columns : bought)
    for (const std::uint32_t column : columns)
      if (column >= prices.n_columns())
        throw BadInput("the soft tree buys column " + std::to_string(column) + ", which has no price");
  const auto& delayed = prices.rules().delayed;
  if (!prices.rules().pay_once && std::find(delayed.begin(), delayed.end(), true) != delayed.end())
    throw BadInput("a soft tree has no price where delayed tests are paid each time: pay once, or no delay");
}

// The columns that are bought here or further down, each once.
std::vector<std::size_t> columns_from(const SoftShape& shape, const Bought& bought, std::size_t node) {
  std::vector<std::size_t> found, open{node};
  while (!open.empty()) {
    const std::size_t at = open.back();
    open.pop_back();
    found.insert(found.end(), bought[at].begin(), bought[at].end());
    if (at >= shape.n_gates()) continue;
    open.push_back(shape.node_of(shape.left[at]));
    open.push_back(shape.node_of(shape.right[at]));
  }
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

}  // namespace

NodePrices price_nodes(const SoftShape& shape, const Prices& prices, const Bought& bought) {
  check_bought(shape, prices, bought);
  const std::size_t n = bought.size(), n_outcomes = prices.rules().outcomes.size();
  NodePrices found{std::vector<double>(n), std::vector<std::int64_t>(n * n_outcomes)};
  std::vector<PathState> path(n);  // on arrival, then with what the node buys
  for (std::size_t node = 0; node < n; ++node) {
    const auto pay = [&](std::size_t column, const Prices::Due& due) {
      const std::int32_t slot = prices.outcome_slot(column);
      if (slot >= 0)
        ++found.times[node * n_outcomes + static_cast<std::size_t>(slot)];
      else
        found.fixed[node] += prices.rules().own[column];
      found.fixed[node] += due.setup;
    };
    for (const std::uint32_t column : bought[node])
      prices.ask(path[node], column, [&] { return columns_from(shape, bought, node); }, pay);
    if (node >= shape.n_gates()) continue;
    path[shape.node_of(shape.left[node])] = path[node];
    path[shape.node_of(shape.right[node])] = path[node];
  }
  return found;
}

}  // namespace thriftree::soft
