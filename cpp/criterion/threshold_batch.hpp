// Many thresholds at once, as filters see them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace thriftree {

inline constexpr int kBatch = 256;  // thresholds a filter sees at once

// Thresholds after each of `m` runs of codes. left[i * width ..] are the sums of everything on the left of
// threshold i.
struct PrefixBatch {
  int m = 0;
  const double* left = nullptr;
  const double* left_total = nullptr;
};

// Thresholds after each of `m` single rows in order of a column's values, where the plain sums are all there
// is to know.
struct StreamBatch {
  int m = 0;
  const std::uint16_t* label = nullptr;    // classes: each row's class
  const double* weight = nullptr;          // each row's weight; null: 1
  const double* moment = nullptr;          // numbers: each row's weight * y
  const std::uint8_t* boundary = nullptr;  // 1 where a threshold may follow row i
  // Sums of everything on the left before row 0. A filter leaves them as they are after row m - 1.
  std::span<double> left;
  double left_total = 0;
};

}  // namespace thriftree
