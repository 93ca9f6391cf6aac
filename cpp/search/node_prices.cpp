#include "search/node_prices.hpp"

namespace thriftree {

PricesAtNode prices_of(const NodeBits& node, const NodeMaker& nodes) {
  const SearchPrices& prices = *nodes.prices();
  const PriceRules& rules = prices.rules().rules();
  const std::vector<std::uint32_t> features = nodes.features(node);
  const auto opens = [&](std::size_t feature) { return rules.known[feature] ? -1 : rules.group[feature]; };
  PricesAtNode made;
  made.left = node.paid.left;
  made.columns.resize(node.n_columns());
  for (std::size_t c = 0; c < node.n_columns(); ++c) {
    const std::size_t feature = nodes.feature(node, c);
    PricesAtNode::Column& column = made.columns[c];
    if (c > 0 && nodes.feature(node, c - 1) == feature) {
      column = made.columns[c - 1];
      continue;
    }
    column.feature = static_cast<std::int32_t>(feature);
    column.group = opens(feature);
    PathState path = node.paid.bought;
    column.alone = column.beside_group = prices.ask(path, feature);
    column.again = prices.charge(path, feature);
    for (const std::uint32_t mate : features) {
      if (mate == feature || column.group < 0 || opens(mate) != column.group) continue;
      PathState beside = node.paid.bought;
      prices.ask(beside, mate);
      column.beside_group = prices.charge(beside, feature);
      break;
    }
  }
  std::vector<std::vector<std::size_t>> of_group(rules.setup.size());
  for (std::size_t c = 0; c < made.columns.size(); ++c) {
    const PricesAtNode::Column& column = made.columns[c];
    if (column.group >= 0) {
      of_group[static_cast<std::size_t>(column.group)].push_back(c);
    } else if (c > 0 && made.columns[c - 1].feature == column.feature) {
      made.related.back().push_back(c);
    } else {
      made.related.push_back({c});
    }
  }
  for (std::vector<std::size_t>& columns : of_group) {
    if (!columns.empty()) made.related.push_back(std::move(columns));
  }
  return made;
}

}  // namespace thriftree
