#include "table/lane_ladders.hpp"

#include <cstring>
#include <type_traits>

#include "run/cpu.hpp"

// On x86-64 the loops are also compiled for newer instruction sets, and the machine at hand decides which are
// used. Every version gives the same answers.

namespace thriftree {
namespace {

// Each row's numbers as Width / Lanes vectors of Lanes numbers; a few rows at a time, so that narrowing the
// counts to bytes is one long loop.
template <typename T, std::size_t Width, std::size_t Lanes>
THRIFTREE_INLINE RowsResult code_rows_by(const LaneLadders<T>& ladders, const T* x, std::ptrdiff_t row_stride,
                                         std::size_t n, std::uint8_t* codes) {
  constexpr std::size_t together = 16;
  constexpr std::ptrdiff_t rows_ahead =
      32;  // the machine does not foresee a row stride of several cache lines
  using Mask = std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>;
  typedef T Numbers __attribute__((vector_size(Lanes * sizeof(T))));
  typedef Mask Masks __attribute__((vector_size(Lanes * sizeof(T))));
  RowsResult result;
  for (std::size_t first = 0; first < n; first += together) {
    const std::size_t n_together = n - first < together ? n - first : together;
    Mask counts[together * Width];
    for (std::size_t lane = 0; lane < Width; lane += Lanes) {
      Numbers unchecked, missing_code;
      std::memcpy(&unchecked, ladders.unchecked + lane, sizeof unchecked);
      std::memcpy(&missing_code, ladders.missing_code + lane, sizeof missing_code);
      const Masks code_if_missing = __builtin_convertvector(missing_code, Masks);
      const Masks found_anyway = unchecked != Numbers{};
      Masks all_found = ~Masks{}, any_missing = {};
      const T* from = x + static_cast<std::ptrdiff_t>(first) * row_stride + lane;
      for (std::size_t r = 0; r < n_together; ++r, from += row_stride) {
        __builtin_prefetch(from + rows_ahead * row_stride);
        Numbers number;
        std::memcpy(&number, from, sizeof number);
        const Masks missing = number != number;
        Masks count = missing & code_if_missing;
        Masks found =
            (found_anyway & (number - number == Numbers{})) | missing;  // an infinity is never found
        for (std::uint32_t k = 0; k < ladders.n_rungs; ++k) {
          Numbers rung;
          std::memcpy(&rung, ladders.rungs[k] + lane, sizeof rung);
          count -= number > rung;  // a mask is -1 where true
          found |= number == rung;
        }
        all_found &= found;
        any_missing |= missing;
        std::memcpy(counts + r * Width + lane, &count, sizeof count);
      }
      for (std::size_t l = 0; l < Lanes; ++l) {
        result.all_found = result.all_found && all_found[l] != 0;
        if (any_missing[l] != 0) result.lanes_missing |= std::uint32_t{1} << (lane + l);
      }
    }
    std::uint8_t* out = codes + first * Width;
    for (std::size_t i = 0; i < n_together * Width; ++i) out[i] = static_cast<std::uint8_t>(counts[i]);
  }
  return result;
}

template <typename T, std::size_t VectorBytes>
THRIFTREE_INLINE RowsResult code_rows_with(const LaneLadders<T>& ladders, const T* x,
                                           std::ptrdiff_t row_stride, std::size_t n, std::uint32_t width,
                                           std::uint8_t* codes) {
  constexpr std::size_t lanes = VectorBytes / sizeof(T);
  if (width == 16) return code_rows_by<T, 16, lanes>(ladders, x, row_stride, n, codes);
  if (width == 8) return code_rows_by<T, 8, lanes>(ladders, x, row_stride, n, codes);
  return code_rows_by<T, 4, (lanes < 4 ? lanes : 4)>(ladders, x, row_stride, n, codes);
}

#ifdef THRIFTREE_X86
template <typename T>
__attribute__((target("avx2"))) RowsResult code_rows_avx2(const LaneLadders<T>& ladders, const T* x,
                                                          std::ptrdiff_t row_stride, std::size_t n,
                                                          std::uint32_t width, std::uint8_t* codes) {
  return code_rows_with<T, 32>(ladders, x, row_stride, n, width, codes);
}
#endif

template <typename T>
RowsResult code_rows_here(const LaneLadders<T>& ladders, const T* x, std::ptrdiff_t row_stride, std::size_t n,
                          std::uint32_t width, std::uint8_t* codes) {
#ifdef THRIFTREE_X86
  if (cpu_has(CpuLevel::avx2)) return code_rows_avx2(ladders, x, row_stride, n, width, codes);
#endif
  return code_rows_with<T, 16>(ladders, x, row_stride, n, width, codes);
}

}  // namespace

RowsResult code_rows(const LaneLadders<float>& ladders, const float* x, std::ptrdiff_t row_stride,
                     std::size_t n, std::uint32_t width, std::uint8_t* codes) {
  return code_rows_here(ladders, x, row_stride, n, width, codes);
}
RowsResult code_rows(const LaneLadders<double>& ladders, const double* x, std::ptrdiff_t row_stride,
                     std::size_t n, std::uint32_t width, std::uint8_t* codes) {
  return code_rows_here(ladders, x, row_stride, n, width, codes);
}

}  // namespace thriftree
