// Rows of neighbouring columns with short lists, coded a row at a time.
#pragma once

#include <cstddef>
#include <cstdint>

namespace thriftree {

// Up to 16 short lists side by side, one a lane, for rows of up to 16 neighbouring columns.
template <typename T>
struct LaneLadders {
  static constexpr std::size_t lanes = 16;
  static constexpr std::uint32_t max_rungs = 16;
  std::uint32_t n_rungs = 0;  // of the longest list
  alignas(
      64) T rungs[max_rungs][lanes];  // shorter lists are padded with NaN, which no number equals or passes
  alignas(64) T missing_code[lanes];  // the code for NaN
  alignas(64) T unchecked[lanes];     // 1: any finite number will do; 0: it must be one of the lane's entries
};

struct RowsResult {
  bool all_found = true;            // every number was an entry of its lane, or finite in an unchecked lane
  std::uint32_t lanes_missing = 0;  // bit l: lane l held a NaN
};

// codes[r * width + l] = number of entries of lane l below x[r * row_stride + l], the lane's missing code for
// NaN. width is 16, 8 or 4: that many numbers are read from each row.
RowsResult code_rows(const LaneLadders<float>& ladders, const float* x, std::ptrdiff_t row_stride,
                     std::size_t n, std::uint32_t width, std::uint8_t* codes);
RowsResult code_rows(const LaneLadders<double>& ladders, const double* x, std::ptrdiff_t row_stride,
                     std::size_t n, std::uint32_t width, std::uint8_t* codes);

}  // namespace thriftree
