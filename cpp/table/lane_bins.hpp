// Rows of neighbouring columns in bins, coded a row at a time: a number's cell tells its bin but for one or
// two comparisons.
#pragma once

#include <cstddef>
#include <cstdint>

#include "table/ladder.hpp"
#include "table/lane_cells.hpp"

namespace thriftree {

// Up to 16 ladders of edges side by side, one a lane.
template <typename T>
struct LaneBins {
  static constexpr std::size_t lanes = LaneCells<T>::lanes, n_cells = Cells<T>::count;
  static constexpr std::uint32_t most_edges = 254;
  static constexpr int most_comparisons = 2;
  LaneCells<T> cells;
  alignas(64)
      std::uint8_t before[lanes][n_cells + 16] = {};  // edges in earlier cells; at n_cells the code of NaN
  alignas(64) T edges[lanes][most_edges + 4] = {};    // ascending, then infinity
  const Cells<T>* by_bits[lanes] = {};                // null: by numbers

  // Can the ladder be set in a lane?
  static bool fits(const Ladder<T>& ladder) {
    return ladder.size <= most_edges && ladder.cells.comparisons > 0 &&
           ladder.cells.comparisons <= most_comparisons;
  }
  void set(std::size_t lane, const Ladder<T>& ladder, std::uint32_t missing_code);
  std::uint32_t cell_by_bits(std::size_t lane, T x) const {
    return static_cast<std::uint32_t>(by_bits[lane]->of(x));
  }
  std::uint8_t code_of(std::size_t lane, std::size_t cell, T x) const {
    const std::uint8_t at = before[lane][cell];
    return static_cast<std::uint8_t>(at + (edges[lane][at] < x) + (edges[lane][at + 1] < x));
  }
};

// As code_rows of LaneSpans.
RowsResult code_rows(const LaneBins<float>& bins, const float* x, std::ptrdiff_t row_stride, std::size_t n,
                     std::uint32_t width, std::uint8_t* codes);
RowsResult code_rows(const LaneBins<double>& bins, const double* x, std::ptrdiff_t row_stride, std::size_t n,
                     std::uint32_t width, std::uint8_t* codes);

}  // namespace thriftree
