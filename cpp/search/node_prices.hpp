// What each test of a node costs there, and after one or two others: what a kernel asks of prices.
#pragma once

#include <cstdint>
#include <vector>

#include "search/node_bits.hpp"

namespace thriftree {

// What a column costs a payer depends on what was asked before it in three ways only: nothing that matters,
// another column of its group, or its own feature; never more in this order. So after several columns it
// costs the least of what it costs after each.
struct PricesAtNode {
  struct Column {
    std::int32_t feature = 0;
    std::int32_t group = -1;  // that asking for it opens; -1: none
    Charge alone, beside_group, again;
  };
  std::vector<Column> columns;    // of the node
  std::int64_t left = kAnyPrice;  // of the budget

  // What column b costs after column a.
  const Charge& after(std::size_t a, std::size_t b) const {
    if (columns[a].feature == columns[b].feature) return columns[b].again;
    return columns[a].group >= 0 && columns[a].group == columns[b].group ? columns[b].beside_group
                                                                         : columns[b].alone;
  }
  // Whether the budget allows column b after column a.
  bool allows(std::size_t a, std::size_t b) const {
    return left == kAnyPrice || columns[a].alone.of_budget + after(a, b).of_budget <= left;
  }
};

PricesAtNode prices_of(const NodeBits& node, const NodeMaker& nodes);

}  // namespace thriftree
