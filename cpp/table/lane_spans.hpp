// Rows of neighbouring columns of spans, coded a row at a time.
#pragma once

#include <cstddef>
#include <cstdint>

#include "table/lane_cells.hpp"
#include "table/spans.hpp"

namespace thriftree {

// Up to 16 maps side by side, one a lane.
template <typename T>
struct LaneSpans {
  static constexpr std::size_t lanes = LaneCells<T>::lanes, n_cells = SpanMap<T>::n_cells;
  LaneCells<T> cells;
  alignas(64) std::uint8_t code[lanes][n_cells + 16] = {};  // by cell, as SpanMap::code
  const SpanMap<T>* by_bits[lanes] = {};                    // null: by numbers

  void set(std::size_t lane, const SpanMap<T>& map);
  std::uint32_t cell_by_bits(std::size_t lane, T x) const { return by_bits[lane]->cell_of(x); }
  std::uint8_t code_of(std::size_t lane, std::size_t cell, T) const { return code[lane][cell]; }
};

// codes[r * width + l] = the code of x[r * row_stride + l] in lane l. width is 16, 8 or 4: that many numbers
// are read from each row. `all_found`: every number was finite, or missing.
RowsResult code_rows(const LaneSpans<float>& spans, const float* x, std::ptrdiff_t row_stride, std::size_t n,
                     std::uint32_t width, std::uint8_t* codes);
RowsResult code_rows(const LaneSpans<double>& spans, const double* x, std::ptrdiff_t row_stride,
                     std::size_t n, std::uint32_t width, std::uint8_t* codes);

}  // namespace thriftree
