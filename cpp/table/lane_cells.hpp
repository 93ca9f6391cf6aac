// Rows of neighbouring columns whose numbers are coded through cells, a row at a time: the loop that spans
// and bins share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "run/cpu.hpp"
#include "table/lane_ladders.hpp"

namespace thriftree {

// One map from numbers to cells a lane: the cell of x is (x - low) * scale, within [0, n_cells); n_cells for
// NaN. Lanes of no column, and those whose cells go by bits, have scale 0.
template <typename T>
struct LaneCells {
  static constexpr std::size_t lanes = 16;
  alignas(64) T low[lanes] = {};
  alignas(64) T scale[lanes] = {};
  bool any_by_bits = false;
};

// codes[r * Width + l] = maps.code(l, cell, x[r * row_stride + l]), each row's numbers as Width / Lanes
// vectors of Lanes numbers. A cell takes one subtraction, one multiplication and a rounding towards zero, so
// every machine finds the same.
template <std::size_t Width, std::size_t Lanes, typename T, class Maps>
THRIFTREE_INLINE RowsResult code_rows_in_cells(const Maps& maps, const T* x, std::ptrdiff_t row_stride,
                                               std::size_t n, std::uint8_t* codes) {
  constexpr std::ptrdiff_t rows_ahead = 32;
  using Mask = std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>;
  typedef T Numbers __attribute__((vector_size(Lanes * sizeof(T))));
  typedef Mask Masks __attribute__((vector_size(Lanes * sizeof(T))));
  constexpr std::size_t n_vectors = Width / Lanes;
  const Numbers zero = {}, last = zero + static_cast<T>(Maps::n_cells - 1);
  const Masks of_missing = Masks{} + static_cast<Mask>(Maps::n_cells);
  Numbers low[n_vectors], scale[n_vectors];
  std::memcpy(low, maps.cells.low, sizeof low);
  std::memcpy(scale, maps.cells.scale, sizeof scale);
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
    if (maps.cells.any_by_bits) {
      for (std::size_t l = 0; l < Width; ++l) {
        if (maps.by_bits[l] != nullptr && x[l] == x[l])
          cell[l] = static_cast<Mask>(maps.cell_by_bits(l, x[l] + T{0}));
      }
    }
    std::uint8_t row[Width];
    for (std::size_t l = 0; l < Width; ++l) row[l] = maps.code_of(l, static_cast<std::size_t>(cell[l]), x[l]);
    std::memcpy(codes, row, Width);
  }
  RowsResult result;
  for (std::size_t l = 0; l < Width; ++l) {
    if (any_missing[l / Lanes][l % Lanes] != 0) result.lanes_missing |= std::uint32_t{1} << l;
    result.all_found = result.all_found && any_bad[l % Lanes] == 0;
  }
  return result;
}

template <std::size_t VectorBytes, typename T, class Maps>
THRIFTREE_INLINE RowsResult code_rows_of_width(const Maps& maps, const T* x, std::ptrdiff_t row_stride,
                                               std::size_t n, std::uint32_t width, std::uint8_t* codes) {
  constexpr std::size_t lanes = VectorBytes / sizeof(T);
  if (width == 16) return code_rows_in_cells<16, lanes>(maps, x, row_stride, n, codes);
  if (width == 8) return code_rows_in_cells<8, lanes>(maps, x, row_stride, n, codes);
  return code_rows_in_cells<4, (lanes < 4 ? lanes : 4)>(maps, x, row_stride, n, codes);
}

#ifdef THRIFTREE_X86
template <typename T, class Maps>
__attribute__((target("avx2"))) RowsResult code_rows_by_avx2(const Maps& maps, const T* x,
                                                             std::ptrdiff_t row_stride, std::size_t n,
                                                             std::uint32_t width, std::uint8_t* codes) {
  return code_rows_of_width<32>(maps, x, row_stride, n, width, codes);
}
#endif

// As on this machine.
template <typename T, class Maps>
RowsResult code_rows_through_cells(const Maps& maps, const T* x, std::ptrdiff_t row_stride, std::size_t n,
                                   std::uint32_t width, std::uint8_t* codes) {
#ifdef THRIFTREE_X86
  if (cpu_has(CpuLevel::avx2)) return code_rows_by_avx2(maps, x, row_stride, n, width, codes);
#endif
  return code_rows_of_width<16>(maps, x, row_stride, n, width, codes);
}

}  // namespace thriftree
