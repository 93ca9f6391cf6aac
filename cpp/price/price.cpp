#include "price/price.hpp"

#include <cmath>
#include <string>

#include "run/control.hpp"

namespace thriftree {

void check_prices(std::span<const double> prices, bool divide) {
  for (std::size_t j = 0; j < prices.size(); ++j) {
    if (prices[j] >= 0 && std::isfinite(prices[j]) && (prices[j] > 0 || !divide)) continue;
    throw BadInput("the price of column " + std::to_string(j) + " is " + std::to_string(prices[j]) +
                   (divide ? ": scores are divided by it, so it must be positive; add a price of asking"
                           : ": it must be finite and not negative"));
  }
}

}  // namespace thriftree
