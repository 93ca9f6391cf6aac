#include "price/test_prices.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

#include "run/control.hpp"

namespace thriftree {

namespace {

constexpr double kRounding = 1e-9;  // of a budget: prices are sums

}  // namespace

bool PriceRules::some_may_be_free() const {
  if (asking > 0) return false;
  if (pay_once) return true;
  for (std::size_t j = 0; j < own.size(); ++j) {
    if (known[j] || own[j] == 0) return true;
    if (j < by_code.size() && std::count(by_code[j].begin(), by_code[j].end(), 0.0) > 0) return true;
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
  if (!(rules_.budget >= 0)) throw BadInput("budget must be a number of at least 0, or infinity");
  if (!rules_.by_code.empty() && rules_.by_code.size() != n)
    throw BadInput("by_code must be empty or have one list per column");
  for (std::size_t j = 0; j < rules_.by_code.size(); ++j) {
    for (const double price : rules_.by_code[j]) {
      check(price, "by_code[" + std::to_string(j) + "]");
      if (price > rules_.own[j])
        throw BadInput("by_code[" + std::to_string(j) + "] has a price above own, which is the dearest");
    }
  }
}

bool TestPrices::is_free(const Paid& paid, std::size_t j) const {
  return rules_.known[j] || (rules_.pay_once && paid.bought[j]);
}

double TestPrices::setup(const Paid& paid, std::size_t j) const {
  const std::int32_t group = rules_.group[j];
  if (group < 0 || paid.opened[static_cast<std::size_t>(group)]) return 0;
  return rules_.setup[static_cast<std::size_t>(group)];
}

double TestPrices::added(const Paid& paid, std::size_t j) const {
  return is_free(paid, j) ? 0 : rules_.own[j] + setup(paid, j);
}

bool TestPrices::affordable(const Paid& paid, double added) const {
  return paid.in_all + added <= rules_.budget * (1 + kRounding);
}

TestPrices::Paid TestPrices::paid(std::span<const PathStep> path) const {
  Paid paid{std::vector<bool>(rules_.own.size(), false), std::vector<bool>(rules_.setup.size(), false)};
  for (const PathStep& step : path) {
    paid.in_all += added(paid, step.column);
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
    const double price = added(paid, j);
    prices[j] = affordable(paid, price) ? rules_.asking + price : std::numeric_limits<double>::infinity();
  }
}

bool TestPrices::by_outcome(std::span<const PathStep> path, std::uint32_t column,
                            std::vector<double>& prices) const {
  if (rules_.by_code.empty() || rules_.by_code[column].empty()) return false;
  const Paid paid = this->paid(path);
  if (is_free(paid, column)) return false;
  prices = rules_.by_code[column];
  for (double& price : prices) price += rules_.asking + setup(paid, column);
  return true;
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
  std::vector<Bundle> within_budget;
  for (std::size_t g = 0; g < bundles.size(); ++g) {
    bundles[g].setup = paid.opened[g] ? 0 : rules_.setup[g];
    const double together = std::accumulate(bundles[g].own.begin(), bundles[g].own.end(), bundles[g].setup);
    if (affordable(paid, together)) within_budget.push_back(std::move(bundles[g]));
  }
  return within_budget;
}

}  // namespace thriftree
