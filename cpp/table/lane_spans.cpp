#include "table/lane_spans.hpp"

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "run/cpu.hpp"

// As in lane_ladders.cpp, the loops are also compiled for newer instruction sets. Every version gives the
// same answers: a cell takes one subtraction, one multiplication and a rounding towards zero.

namespace thriftree {

template <typename T>
void LaneSpans<T>::set(std::size_t lane, const SpanMap<T>& map) {
  low[lane] = map.low;
  scale[lane] = map.by_bits ? T{0} : map.scale;
  std::copy(map.code.begin(), map.code.end(), code[lane]);
  by_bits[lane] = map.by_bits ? &map : nullptr;
  any_by_bits = any_by_bits || map.by_bits;
}
template struct LaneSpans<float>;
template struct LaneSpans<double>;

namespace {

// A row of `Width` numbers as Width / Lanes vectors of Lanes numbers.
template <typename T, std::size_t Width, std::size_t Lanes>
THRIFTREE_INLINE RowsResult code_rows_by(const LaneSpans<T>& spans, const T* x, std::ptrdiff_t row_stride,
                                         std::size_t n, std::uint8_t* codes) {
  constexpr std::ptrdiff_t rows_ahead = 32;
  using Mask = std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>;
  typedef T Numbers __attribute__((vector_size(Lanes * sizeof(T))));
  typedef Mask Masks __attribute__((vector_size(Lanes * sizeof(T))));
  constexpr std::size_t n_vectors = Width / Lanes;
  const Numbers zero = {}, last = zero + static_cast<T>(SpanMap<T>::n_cells - 1);
  const Masks of_missing = Masks{} + static_cast<Mask>(SpanMap<T>::n_cells);
  Numbers low[n_vectors], scale[n_vectors];
  std::memcpy(low, spans.low, sizeof low);
  std::memcpy(scale, spans.scale, sizeof scale);
  Masks any_missing[n_vectors] = {}, any_bad = {};
  for (std::size_t r = 0; r < n; ++r, x += row_stride, codes += Width) {
    __builtin_prefetch(x + rows_ahead * row_stride);
    Mask cell[Width];
    for (std::size_t v = 0; v < n_vectors; ++v) {
      Numbers number;
      std::memcpy(&number, x + v * Lanes, sizeof number);
      const Masks missing = number != number;
      any_missing[v] |= missing;
      any_bad |= ~((number - number == zero) | missing);
      Numbers at = (number - low[v]) * scale[v];
      at = at >= zero ? at : zero;
      at = at <= last ? at : last;
      Masks found = __builtin_convertvector(at, Masks);
      found = missing ? of_missing : found;
      std::memcpy(cell + v * Lanes, &found, sizeof found);
    }
    if (spans.any_by_bits) {
      for (std::size_t l = 0; l < Width; ++l) {
        if (spans.by_bits[l] != nullptr) cell[l] = static_cast<Mask>(spans.by_bits[l]->cell_of(x[l] + T{0}));
      }
    }
    std::uint8_t row[Width];
    for (std::size_t l = 0; l < Width; ++l) row[l] = spans.code[l][cell[l]];
    std::memcpy(codes, row, Width);
  }
  RowsResult result;
  for (std::size_t l = 0; l < Width; ++l) {
    if (any_missing[l / Lanes][l % Lanes] != 0) result.lanes_missing |= std::uint32_t{1} << l;
    result.all_found = result.all_found && any_bad[l % Lanes] == 0;
  }
  return result;
}

template <typename T, std::size_t VectorBytes>
THRIFTREE_INLINE RowsResult code_rows_with(const LaneSpans<T>& spans, const T* x, std::ptrdiff_t row_stride,
                                           std::size_t n, std::uint32_t width, std::uint8_t* codes) {
  constexpr std::size_t lanes = VectorBytes / sizeof(T);
  if (width == 16) return code_rows_by<T, 16, lanes>(spans, x, row_stride, n, codes);
  if (width == 8) return code_rows_by<T, 8, lanes>(spans, x, row_stride, n, codes);
  return code_rows_by<T, 4, (lanes < 4 ? lanes : 4)>(spans, x, row_stride, n, codes);
}

#ifdef THRIFTREE_X86
template <typename T>
__attribute__((target("avx2"))) RowsResult code_rows_avx2(const LaneSpans<T>& spans, const T* x,
                                                          std::ptrdiff_t row_stride, std::size_t n,
                                                          std::uint32_t width, std::uint8_t* codes) {
  return code_rows_with<T, 32>(spans, x, row_stride, n, width, codes);
}
#endif

template <typename T>
RowsResult code_rows_here(const LaneSpans<T>& spans, const T* x, std::ptrdiff_t row_stride, std::size_t n,
                          std::uint32_t width, std::uint8_t* codes) {
#ifdef THRIFTREE_X86
  if (__builtin_cpu_supports("avx2")) return code_rows_avx2(spans, x, row_stride, n, width, codes);
#endif
  return code_rows_with<T, 16>(spans, x, row_stride, n, width, codes);
}

}  // namespace

RowsResult code_rows(const LaneSpans<float>& spans, const float* x, std::ptrdiff_t row_stride, std::size_t n,
                     std::uint32_t width, std::uint8_t* codes) {
  return code_rows_here(spans, x, row_stride, n, width, codes);
}
RowsResult code_rows(const LaneSpans<double>& spans, const double* x, std::ptrdiff_t row_stride,
                     std::size_t n, std::uint32_t width, std::uint8_t* codes) {
  return code_rows_here(spans, x, row_stride, n, width, codes);
}

}  // namespace thriftree
