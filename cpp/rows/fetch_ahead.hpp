// Rows of a node lie apart in memory, so their codes are asked for early.
#pragma once

#include <cstddef>
#include <cstdint>

namespace thriftree {

// Asks for the codes of the row that comes a little after rows[i]; a row has `Stride` bytes.
template <int Stride>
inline void fetch_ahead(const std::uint8_t* codes, const std::uint32_t* rows, std::size_t i, std::size_t n) {
  constexpr std::size_t ahead = 24;
  if (i + ahead < n) __builtin_prefetch(codes + static_cast<std::size_t>(rows[i + ahead]) * Stride);
}

}  // namespace thriftree
