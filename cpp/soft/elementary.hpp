// exp and log by plain arithmetic: the same digits on every CPU, which a C library does not promise.
#pragma once

#include <bit>
#include <cstdint>

#include "run/cpu.hpp"

namespace thriftree::soft {

// e^x, within some units of the last place; x is first brought into [-708, 709], where the result is normal.
THRIFTREE_INLINE double exp_of(double x) {
  x = x < -708.0 ? -708.0 : x;
  x = x > 709.0 ? 709.0 : x;
  constexpr double log2_e = 1.4426950408889634, ln2_high = 0x1.62e42fee00000p-1,
                   ln2_low = 0x1.a39ef35793c76p-33, to_whole = 0x1.8p52;
  const double shifted = x * log2_e + to_whole;
  const double k = shifted - to_whole;
  const double r = (x - k * ln2_high) - k * ln2_low;  // |r| <= ln 2 / 2
  double sum = 1.0 / 6227020800.0;
  sum = sum * r + 1.0 / 479001600.0;
  sum = sum * r + 1.0 / 39916800.0;
  sum = sum * r + 1.0 / 3628800.0;
  sum = sum * r + 1.0 / 362880.0;
  sum = sum * r + 1.0 / 40320.0;
  sum = sum * r + 1.0 / 5040.0;
  sum = sum * r + 1.0 / 720.0;
  sum = sum * r + 1.0 / 120.0;
  sum = sum * r + 1.0 / 24.0;
  sum = sum * r + 1.0 / 6.0;
  sum = sum * r + 0.5;
  sum = sum * r + 1.0;
  sum = sum * r + 1.0;
  // The low bits of `shifted` are k: added to the exponent of 1 they make 2^k.
  const std::uint64_t power = (std::bit_cast<std::uint64_t>(shifted) << 52) + 0x3ff0000000000000ULL;
  return sum * std::bit_cast<double>(power);
}

// The natural logarithm of a normal number > 0.
THRIFTREE_INLINE double log_of(double x) {
  constexpr double ln2 = 0.6931471805599453;
  const std::uint64_t bits = std::bit_cast<std::uint64_t>(x);
  double exponent = static_cast<double>(static_cast<std::int64_t>(bits >> 52) - 1023);
  double mantissa = std::bit_cast<double>((bits & 0x000fffffffffffffULL) | 0x3ff0000000000000ULL);
  if (mantissa > 1.4142135623730951) {
    mantissa *= 0.5;
    exponent += 1;
  }
  const double s = (mantissa - 1) / (mantissa + 1), q = s * s;  // log m = 2 atanh s
  double sum = 1.0 / 23;
  for (int power = 21; power >= 1; power -= 2) sum = sum * q + 1.0 / power;
  return exponent * ln2 + 2 * s * sum;
}

}  // namespace thriftree::soft
