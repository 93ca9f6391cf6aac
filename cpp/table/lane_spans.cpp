#include "table/lane_spans.hpp"

#include <algorithm>

namespace thriftree {

template <typename T>
void LaneSpans<T>::set(std::size_t lane, const SpanMap<T>& map) {
  cells.low[lane] = map.low;
  cells.scale[lane] = map.by_bits ? T{0} : map.scale;
  cells.any_by_bits = cells.any_by_bits || map.by_bits;
  by_bits[lane] = map.by_bits ? &map : nullptr;
  std::copy(map.code.begin(), map.code.end(), code[lane]);
}
template struct LaneSpans<float>;
template struct LaneSpans<double>;

RowsResult code_rows(const LaneSpans<float>& spans, const float* x, std::ptrdiff_t row_stride, std::size_t n,
                     std::uint32_t width, std::uint8_t* codes) {
  return code_rows_through_cells(spans, x, row_stride, n, width, codes);
}
RowsResult code_rows(const LaneSpans<double>& spans, const double* x, std::ptrdiff_t row_stride,
                     std::size_t n, std::uint32_t width, std::uint8_t* codes) {
  return code_rows_through_cells(spans, x, row_stride, n, width, codes);
}

}  // namespace thriftree
