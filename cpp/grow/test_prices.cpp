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

TestPrices::Paid TestPrices::paid(std::span<const PathStep> path) const {
  Paid paid{std::vector<bool>(rules_.own.size(), false), std::vector<bool>(rules_.setup.size(), false)};
  for (const PathStep& step : path) {
    if (rules_.known[step.column]) continue;
    paid.bought[step.column] = true;
    if (rules_.group[step.column] >= 0)
      paid.opened[static_cast<std::size_t>(rules_.group[step.column])] = true;
  }
  return paid;
}

void TestPrices::marginal(std::span<const PathStep> path, std::span<double> prices) const {
  const Paid paid = this->paid(path);
  for (std::size_t j = 0; j < prices.size(); ++j) {
    prices[j] = rules_.asking;
    if (rules_.known[j] || (rules_.pay_once && paid.bought[j])) continue;
    prices[j] += rules_.own[j];
    const std::int32_t group = rules_.group[j];
    if (group >= 0 && !paid.opened[static_cast<std::size_t>(group)])
      prices[j] += rules_.setup[static_cast<std::size_t>(group)];
  }
}

std::vector<Bundle> TestPrices::bundles(std::span<const PathStep> path) const {
  const Paid paid = this->paid(path);
  std::vector<Bundle> bundles(rules_.setup.size());
  for (std::uint32_t j = 0; j < rules_.own.size(); ++j) {
    if (rules_.group[j] < 0 || rules_.known[j] || paid.bought[j]) continue;
    Bundle& bundle = bundles[static_cast<std::size_t>(rules_.group[j])];
    bundle.columns.push_back(j);
    bundle.own.push_back(rules_.own[j]);
  }
  for (std::size_t g = 0; g < bundles.size(); ++g) bundles[g].setup = paid.opened[g] ? 0 : rules_.setup[g];
  return bundles;
}

}  // namespace thriftree
