#include "table/lane_bins.hpp"

#include <algorithm>
#include <limits>

namespace thriftree {

template <typename T>
void LaneBins<T>::set(std::size_t lane, const Ladder<T>& ladder, std::uint32_t missing_code) {
  const Cells<T>& map = ladder.cells;
  cells.low[lane] = map.low;
  cells.scale[lane] = map.by_bits ? T{0} : map.scale;
  cells.any_by_bits = cells.any_by_bits || map.by_bits;
  by_bits[lane] = map.by_bits ? &map : nullptr;
  for (std::size_t cell = 0; cell < n_cells; ++cell)
    before[lane][cell] = static_cast<std::uint8_t>(map.before[cell]);
  before[lane][n_cells] = static_cast<std::uint8_t>(missing_code);
  std::fill(std::begin(edges[lane]), std::end(edges[lane]), std::numeric_limits<T>::infinity());
  std::copy_n(ladder.rungs.begin(), ladder.size, edges[lane]);
}
template struct LaneBins<float>;
template struct LaneBins<double>;

RowsResult code_rows(const LaneBins<float>& bins, const float* x, std::ptrdiff_t row_stride, std::size_t n,
                     std::uint32_t width, std::uint8_t* codes) {
  return code_rows_through_cells(bins, x, row_stride, n, width, codes);
}
RowsResult code_rows(const LaneBins<double>& bins, const double* x, std::ptrdiff_t row_stride, std::size_t n,
                     std::uint32_t width, std::uint8_t* codes) {
  return code_rows_through_cells(bins, x, row_stride, n, width, codes);
}

}  // namespace thriftree
