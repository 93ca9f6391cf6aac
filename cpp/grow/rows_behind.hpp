// Growing on objects, a tree still stores what the rows behind them weigh.
#pragma once

#include <cstdint>
#include <span>

#include "grow/sums.hpp"
#include "table/objects.hpp"

namespace thriftree {

// Totals of the rows behind some objects, in the target of the rows.
RowTotals totals_of_rows(std::span<const std::uint32_t> objects, const Objects& all, const Target& rows);

}  // namespace thriftree
