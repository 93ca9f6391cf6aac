#include "price/outcome_prices.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "run/control.hpp"
#include "tree/inputs.hpp"

namespace thriftree {

namespace {

void check_prices(std::span<const double> prices, double least, double highest) {
  for (const double price : prices) {
    if (!(price >= least && price <= highest))
      throw BadInput("prices of outcomes must lie between the least and the highest");
  }
  if (!(least >= 0) || !std::isfinite(highest) || least > highest)
    throw BadInput("prices of outcomes must be finite and not negative, the least not above the highest");
}

}  // namespace

OutcomePrices OutcomePrices::of_codes(std::vector<double> prices, double highest, double least) {
  check_prices(prices, least, highest);
  OutcomePrices made;
  made.codes_ = true;
  made.prices_ = std::move(prices);
  made.highest_ = highest;
  made.least_ = least;
  return made;
}

OutcomePrices OutcomePrices::of_steps(std::vector<double> up_to, std::vector<double> prices) {
  if (prices.size() != up_to.size() + 1) throw BadInput("steps need one price more than limits");
  for (std::size_t i = 0; i < up_to.size(); ++i) {
    if (!std::isfinite(up_to[i]) || (i > 0 && up_to[i] <= up_to[i - 1]))
      throw BadInput("the limits of steps must be finite and rise");
  }
  const auto [least, highest] = std::minmax_element(prices.begin(), prices.end());
  check_prices(prices, *least, *highest);
  OutcomePrices made;
  made.highest_ = *highest;
  made.least_ = *least;
  made.up_to_ = std::move(up_to);
  made.prices_ = std::move(prices);
  return made;
}

double OutcomePrices::of(double outcome) const {
  if (std::isnan(outcome)) return highest_;
  if (codes_) {
    const bool priced = outcome >= 0 && outcome < static_cast<double>(prices_.size());
    return priced ? prices_[static_cast<std::size_t>(outcome)] : highest_;
  }
  const auto step = std::lower_bound(up_to_.begin(), up_to_.end(), outcome) - up_to_.begin();
  return prices_[static_cast<std::size_t>(step)];
}

double OutcomePrices::highest_between(double low, double high) const {
  double highest = least_;
  if (codes_) {
    for (std::size_t code = 0; code < prices_.size(); ++code) {
      const auto number = static_cast<double>(code);
      if (number > low && number <= high) highest = std::max(highest, prices_[code]);
    }
    return highest;
  }
  const auto first = std::upper_bound(up_to_.begin(), up_to_.end(), low) - up_to_.begin();
  const auto last = std::lower_bound(up_to_.begin(), up_to_.end(), high) - up_to_.begin();
  for (auto step = first; step <= last; ++step)
    highest = std::max(highest, prices_[static_cast<std::size_t>(step)]);
  return highest;
}

std::vector<double> OutcomePrices::representatives(std::span<const double> cuts) const {
  std::vector<double> found;
  if (codes_) {
    for (std::size_t code = 0; code < prices_.size(); ++code) found.push_back(static_cast<double>(code));
    found.push_back(InputColumn::kOther);
  } else {
    // Between two neighbouring edges a < b nothing tells the numbers of (a, b] apart; b stands for them.
    found.assign(cuts.begin(), cuts.end());
    found.insert(found.end(), up_to_.begin(), up_to_.end());
    std::sort(found.begin(), found.end());
    found.erase(std::unique(found.begin(), found.end()), found.end());
    found.push_back(std::numeric_limits<double>::infinity());
  }
  found.push_back(std::numeric_limits<double>::quiet_NaN());
  return found;
}

}  // namespace thriftree
