// Where narrow columns lie.
#pragma once

#include <cstdint>
#include <span>

#include "run/control.hpp"
#include "table/table.hpp"

namespace thriftree {

// Gives these columns blocks of their own, in this order, after those that the table has; all codes are 0.
void place_in_blocks(Table& table, std::span<const std::uint32_t> narrow, Control& control);

}  // namespace thriftree
