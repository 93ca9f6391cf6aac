// Whole numbers of 128 bits as doubles.
#pragma once

#include <bit>
#include <cstdint>

#include "table/target.hpp"

namespace thriftree {

// static_cast<double>, sooner: 63 bits are kept, and the last says whether any was dropped, so that it is
// rounded once, as the whole would be.
inline double to_double(int128 x) {
  __extension__ using uint128 = unsigned __int128;
  const bool negative = x < 0;
  const auto magnitude = static_cast<uint128>(negative ? -x : x);
  const auto high = static_cast<std::uint64_t>(magnitude >> 64), low = static_cast<std::uint64_t>(magnitude);
  const int shift = high == 0 ? static_cast<int>(low >> 63) : 65 - std::countl_zero(high);
  const auto kept = static_cast<std::int64_t>(static_cast<std::uint64_t>(magnitude >> shift));
  const bool dropped = (magnitude & ((uint128{1} << shift) - 1)) != 0;
  const double rounded = static_cast<double>(kept | (dropped ? 1 : 0)) *
                         std::bit_cast<double>(static_cast<std::uint64_t>(1023 + shift) << 52);
  return negative ? -rounded : rounded;
}

}  // namespace thriftree
