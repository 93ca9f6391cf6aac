// Numbers to equal cells, for tables that are looked up by cell.
#pragma once

#include <cstddef>
#include <cstdint>

#include "run/cpu.hpp"

namespace thriftree {

// (x - low) * scale, rounded towards zero, within [0, n_cells): one subtraction, one multiplication and a
// rounding, so every machine finds the same. NaN is in the first cell.
template <std::size_t n_cells, typename T>
THRIFTREE_INLINE std::int32_t cell_of_number(T x, T low, T scale) {
  constexpr auto last = static_cast<T>(n_cells - 1);
  T at = (x - low) * scale;
  at = at >= T{0} ? at : T{0};
  at = at <= last ? at : last;
  return static_cast<std::int32_t>(at);
}

}  // namespace thriftree
