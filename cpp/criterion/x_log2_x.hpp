// x * log2(x) in arithmetic alone, so that loops of it become vector code; 0 for 0.
#pragma once

#include <bit>
#include <cstdint>

namespace thriftree {

// log2 by m * 2^e with m in [sqrt(1/2), sqrt(2)) and the atanh series in s = (m - 1) / (m + 1).
inline double fast_x_log2_x(double x) {
  const double safe = x > 0 ? x : 1.0;
  constexpr std::uint64_t half_root = 0x3FE6A09E667F3BCDULL;  // sqrt(1/2)
  const auto bits = std::bit_cast<std::uint64_t>(safe);
  const std::uint64_t shifted = bits - half_root + (std::uint64_t{1023} << 52);
  // The biased exponent as a double without an integer conversion: 2^52 + e, minus 2^52.
  const double e =
      std::bit_cast<double>((shifted >> 52) | 0x4330000000000000ULL) - (4503599627370496.0 + 1023.0);
  const double m = std::bit_cast<double>((shifted & 0x000FFFFFFFFFFFFFULL) + half_root);
  const double s = (m - 1) / (m + 1), z = s * s;
  double series = 1.0 / 19;
  series = series * z + 1.0 / 17;
  series = series * z + 1.0 / 15;
  series = series * z + 1.0 / 13;
  series = series * z + 1.0 / 11;
  series = series * z + 1.0 / 9;
  series = series * z + 1.0 / 7;
  series = series * z + 1.0 / 5;
  series = series * z + 1.0 / 3;
  series = series * z + 1.0;
  constexpr double two_over_ln2 = 2.885390081777926814;
  return x * (e + two_over_ln2 * s * series);
}

}  // namespace thriftree
