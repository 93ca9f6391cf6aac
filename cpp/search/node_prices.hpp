// What each test of a node costs there, and after one or two others: what a kernel asks of prices.
#pragma once

#include <cmath>
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
  std::vector<Column> columns;                    // of the node
  std::int64_t left = kAnyPrice;                  // of the budget
  std::vector<std::vector<std::size_t>> related;  // columns of one group, or of one feature

  // What column b costs after column a.
  const Charge& after(std::size_t a, std::size_t b) const {
    if (columns[a].feature == columns[b].feature) return columns[b].again;
    return columns[a].group >= 0 && columns[a].group == columns[b].group ? columns[b].beside_group
                                                                         : columns[b].alone;
  }
  // Calls with every a and b where b may cost less after a.
  template <class Use>
  void for_each_related(const Use& use) const {
    for (const std::vector<std::size_t>& columns : related) {
      for (const std::size_t a : columns) {
        for (const std::size_t b : columns) use(a, b);
      }
    }
  }
  // Whether the budget allows column b after column a.
  bool allows(std::size_t a, std::size_t b) const {
    return left == kAnyPrice || columns[a].alone.of_budget + after(a, b).of_budget <= left;
  }
};

// How gains and prices fit 16 bits.
struct RoughScale {
  int down = 0;       // gains are in units of 2^down
  int payers_up = 0;  // payers in units of 2^-payers_up

  // What a payer pays, so that the high half of its product with payers is what they pay, rounded down. A
  // price that is too high for that is lowered: if all payed it, it would take half of what can be gained.
  std::uint16_t share(const Charge& charge) const {
    const double share = std::ldexp(2 * static_cast<double>(charge.fixed), 16 - payers_up - down);
    return share < 65535 ? static_cast<std::uint16_t>(share) : std::uint16_t{65535};
  }
};

PricesAtNode prices_of(const NodeBits& node, const NodeMaker& nodes);

}  // namespace thriftree
