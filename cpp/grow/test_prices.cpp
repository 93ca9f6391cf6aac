#include "grow/test_prices.hpp"

#include <cmath>
#include <string>

#include "run/control.hpp"

namespace thriftree {

bool PriceRules::some_may_be_free() const {
  if (asking > 0) return false;
  if (pay_once) return true;
  for (std::size_t j = 0; j < own.size(); ++j) {
    if (known[j] || own[j] == 0) return true;
  }
  return false;
}

TestPrices::TestPrices(PriceRules rules) : rules_(std::move(rules)) {
  const std::size_t n = rules_.own.size();
  if (rules_.group.size() != n || rules_.known.size() != n) {
    throw BadInput("own, group and known must have one entry per column");
  }
  const auto check = [](double price, const std::string& place) {
    if (!(price >= 0) || !std::isfinite(price))
      throw BadInput(place + " must be a price: finite and not negative");
  };
  for (std::size_t j = 0; j < n; ++j) {
    check(rules_.own[j], "own[" + std::to_string(j) + "]");
    if (rules_.group[j] < -1 || rules_.group[j] >= static_cast<std::int64_t>(rules_.setup.size())) {
      throw BadInput("group[" + std::to_string(j) + "] is not a group: it has no set-up price");
    }
  }
  for (std::size_t g = 0; g < rules_.setup.size(); ++g)
    check(rules_.setup[g], "setup[" + std::to_string(g) + "]");
  check(rules_.asking, "asking");
}

void TestPrices::marginal(std::span<const PathStep> path, std::span<double> prices) const {
  std::vector<bool> bought(rules_.own.size(), false), opened(rules_.setup.size(), false);
  for (const PathStep& step : path) {
    if (rules_.known[step.column]) continue;
    bought[step.column] = true;
    if (rules_.group[step.column] >= 0) opened[static_cast<std::size_t>(rules_.group[step.column])] = true;
  }
  for (std::size_t j = 0; j < prices.size(); ++j) {
    prices[j] = rules_.asking;
    if (rules_.known[j] || (rules_.pay_once && bought[j])) continue;
    prices[j] += rules_.own[j];
    const std::int32_t group = rules_.group[j];
    if (group >= 0 && !opened[static_cast<std::size_t>(group)])
      prices[j] += rules_.setup[static_cast<std::size_t>(group)];
  }
}

}  // namespace thriftree
