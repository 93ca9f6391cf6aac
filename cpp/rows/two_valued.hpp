// Sums over blocks of two-valued columns: rows of code 1 are added up in registers, those of code 0 are the
// rest.
#pragma once

#include <array>
#include <cstdint>

#include "table/table.hpp"

namespace thriftree {

// For each column of a block, over rows of code 1.
struct OnesSums {
  std::array<std::int64_t, 16> values{};
  std::array<std::uint32_t, 16> rows{};
  std::int64_t total = 0;  // over all rows, of either code
};

// Adds value[row] for each of `n` rows. The block's codes must be 0 or 1.
OnesSums sum_ones(const Block& block, const std::uint32_t* rows, std::size_t n, const std::int64_t* value);

}  // namespace thriftree
