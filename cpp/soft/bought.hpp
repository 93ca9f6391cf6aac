// What a soft tree costs where every node either buys a column or does not: the rules are those of cpp/price.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "price/prices.hpp"
#include "soft/soft_shape.hpp"

namespace thriftree::soft {

// Per gate, then per leaf: what arriving there adds to the price.
struct NodePrices {
  std::vector<double> fixed;        // the part that no outcome changes
  std::vector<std::int64_t> times;  // node x rules.outcomes: how often that column is paid
};

// `bought` has for each gate, then each leaf, the columns that it has to know. Throws BadInput for columns
// without a price, and for delayed tests where every test is paid: then equal splits count once, and gates
// have none.
NodePrices price_nodes(const SoftShape& shape, const Prices& prices,
                       const std::vector<std::vector<std::uint32_t>>& bought);

}  // namespace thriftree::soft
