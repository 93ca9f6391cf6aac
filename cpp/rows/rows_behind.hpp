// Growing on objects, a tree still stores what the rows behind them weigh.
#pragma once

#include <cstdint>
#include <span>

#include "rows/sums.hpp"
#include "table/objects.hpp"

namespace thriftree {

// The sample weight of rows: `growth_total` is their growth weight, `sample` the sum of Target::sample, where
// there `is_sample`.
double sample_weight_of(const TargetScale& target, bool is_sample, std::int64_t n_rows, double growth_total,
                        std::int64_t sample);

// Totals of the rows behind some objects, in the target of the rows.
RowTotals totals_of_rows(std::span<const std::uint32_t> objects, const Objects& all, const Target& rows);

}  // namespace thriftree
