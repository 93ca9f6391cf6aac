#include "price/price_parts.hpp"

#include <algorithm>

#include "run/control.hpp"

namespace thriftree {

std::vector<PricePart> price_parts(const Prices& prices) {
  const PriceRules& rules = prices.rules();
  if (!rules.outcomes.empty()) throw BadInput("prices that depend on an outcome are no sum over tests");
  if (std::find(rules.delayed.begin(), rules.delayed.end(), true) != rules.delayed.end())
    throw BadInput("prices of delayed results depend on later tests, so they are no sum over tests");
  std::vector<PricePart> parts;
  std::vector<PricePart> setups(rules.setup.size());
  const PathState nothing;
  for (std::uint32_t column = 0; column < prices.n_columns(); ++column) {
    const Prices::Due due = prices.due(nothing, column);
    if (!due.own) continue;
    if (rules.own[column] > 0) parts.push_back({rules.own[column], {column}, rules.pay_once});
    if (due.setup > 0) {
      PricePart& setup = setups[static_cast<std::size_t>(rules.group[column])];
      setup.price = due.setup;
      setup.columns.push_back(column);
    }
  }
  for (PricePart& setup : setups)
    if (!setup.columns.empty()) parts.push_back(std::move(setup));
  return parts;
}

}  // namespace thriftree
