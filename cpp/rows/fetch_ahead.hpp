// Rows of a node lie apart in memory, so their codes are asked for early.
#pragma once

#include <cstddef>
#include <cstdint>

namespace thriftree {

inline constexpr std::size_t kFetchedAhead = 24;  // rows

// Asks for the codes of the row that comes a little after rows[i]; a row has `Stride` bytes.
template <int Stride>
inline void fetch_ahead(const std::uint8_t* codes, const std::uint32_t* rows, std::size_t i, std::size_t n) {
  if (i + kFetchedAhead < n)
    __builtin_prefetch(codes + static_cast<std::size_t>(rows[i + kFetchedAhead]) * Stride);
}

// The same for what else is kept by row.
template <class Value>
inline void fetch_ahead(const Value* of_row, const std::uint32_t* rows, std::size_t i, std::size_t n) {
  if (i + kFetchedAhead < n) __builtin_prefetch(of_row + rows[i + kFetchedAhead]);
}

}  // namespace thriftree
