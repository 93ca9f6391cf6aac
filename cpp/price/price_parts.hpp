// The price of a path as a sum of parts, for what has to differentiate it.
#pragma once

#include <cstdint>
#include <vector>

#include "price/prices.hpp"

namespace thriftree {

// Paid when one of its columns is tested: the first time on a path, or each time.
struct PricePart {
  double price = 0;                    // > 0
  std::vector<std::uint32_t> columns;  // at least one; none is known
  bool once = true;
};

// What every path pays under these rules: own prices, then set-ups of groups. Throws BadInput where a price
// is no such sum, because it depends on outcomes or on what is tested later (delayed results).
std::vector<PricePart> price_parts(const Prices& prices);

}  // namespace thriftree
