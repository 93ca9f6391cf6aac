#include "price/test_prices.hpp"

#include <limits>
#include <numeric>
#include <utility>

namespace thriftree {

bool TestPrices::affordable(const Paid& paid, double added) const {
  return within_budget(paid.in_all + added, rules().budget);
}

TestPrices::Paid TestPrices::paid(std::span<const PathStep> path) const {
  Paid paid;
  paid.in_all = paid_above_;
  for (const PathStep& step : path) {
    paid.in_all += prices_.marginal(paid.state, step.column);
    prices_.visit(paid.state, step.column);
  }
  return paid;
}

void TestPrices::marginal(std::span<const PathStep> path, std::span<double> prices) const {
  const Paid paid = this->paid(path);
  for (std::size_t j = 0; j < prices.size(); ++j) {
    const double price = prices_.marginal(paid.state, j);
    prices[j] = affordable(paid, price) ? rules().asking + price : std::numeric_limits<double>::infinity();
  }
}

bool TestPrices::by_outcome(std::span<const PathStep> path, std::uint32_t column,
                            std::vector<double>& prices) const {
  if (rules().by_code.empty() || rules().by_code[column].empty()) return false;
  const Prices::Due due = prices_.due(paid(path).state, column);
  if (!due.own) return false;
  prices = rules().by_code[column];
  for (double& price : prices) price += rules().asking + due.setup;
  return true;
}

std::vector<Bundle> TestPrices::bundles(std::span<const PathStep> path) const {
  const Paid paid = this->paid(path);
  PathState walked = paid.state;
  std::vector<Bundle> bundles(rules().setup.size());
  for (std::size_t g = 0; g < bundles.size(); ++g) bundles[g].setup = prices_.setup_due(paid.state, g);
  for (std::uint32_t j = 0; j < rules().own.size(); ++j) {
    if (rules().group[j] < 0 || prices_.is_known(j) || prices_.is_bought(paid.state, j)) continue;
    Bundle& bundle = bundles[static_cast<std::size_t>(rules().group[j])];
    const Prices::Due due = prices_.due(walked, j);
    prices_.visit(walked, j);
    // The first opens the group, whose set-up stands apart.
    bundle.own.push_back(rules().own[j] + (bundle.columns.empty() ? 0 : due.setup));
    bundle.columns.push_back(j);
  }
  std::vector<Bundle> within;
  for (Bundle& bundle : bundles) {
    const double together = std::accumulate(bundle.own.begin(), bundle.own.end(), bundle.setup);
    if (affordable(paid, together)) within.push_back(std::move(bundle));
  }
  return within;
}

}  // namespace thriftree
