// Rows of neighbouring columns of spans, coded a row at a time.
#pragma once

#include <cstddef>
#include <cstdint>

#include "table/lane_ladders.hpp"
#include "table/spans.hpp"

namespace thriftree {

// Up to 16 maps side by side, one a lane. Lanes of no column, and those whose cells go by bits, have scale 0.
template <typename T>
struct LaneSpans {
  static constexpr std::size_t lanes = 16;
  static constexpr std::size_t table_size = SpanMap<T>::n_cells + 16;
  alignas(64) T low[lanes] = {};
  alignas(64) T scale[lanes] = {};
  alignas(64) std::uint8_t code[lanes][table_size] = {};  // by cell, as SpanMap::code
  const SpanMap<T>* by_bits[lanes] = {};                  // null: by numbers
  bool any_by_bits = false;

  void set(std::size_t lane, const SpanMap<T>& map);
};

// codes[r * width + l] = the code of x[r * row_stride + l] in lane l. width is 16, 8 or 4: that many numbers
// are read from each row. `all_found`: every number was finite, or missing.
RowsResult code_rows(const LaneSpans<float>& spans, const float* x, std::ptrdiff_t row_stride, std::size_t n,
                     std::uint32_t width, std::uint8_t* codes);
RowsResult code_rows(const LaneSpans<double>& spans, const double* x, std::ptrdiff_t row_stride,
                     std::size_t n, std::uint32_t width, std::uint8_t* codes);

}  // namespace thriftree
