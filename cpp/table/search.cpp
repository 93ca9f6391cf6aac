#include "table/search.hpp"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

#include "run/cpu.hpp"

// On x86-64 the loops are also compiled for newer instruction sets, and the machine at hand decides which are
// used. Every version gives the same answers.
#ifdef THRIFTREE_X86
#include <immintrin.h>
#endif
#define THRIFTREE_INLINE inline __attribute__((always_inline))

namespace thriftree {
namespace {

template <typename T>
T rounded_down(double x) {
  auto y = static_cast<T>(x);
  if (static_cast<double>(y) > x) y = std::nextafter(y, -std::numeric_limits<T>::infinity());
  return y;
}

// Level by level for a few numbers at a time, so that their searches overlap and none waits on a branch.
template <typename T>
void count_below_portable(const Ladder<T>& ladder, const T* x, std::size_t n, std::uint32_t* below) {
  constexpr std::size_t together = 16;
  const T* rungs = ladder.rungs.data();
  std::size_t i = 0;
  for (; i + together <= n; i += together) {
    std::uint32_t at[together] = {};
    for (std::uint32_t step = (std::uint32_t{1} << ladder.levels) / 2; step > 0; step /= 2) {
      for (std::size_t l = 0; l < together; ++l) at[l] += rungs[at[l] + step - 1] < x[i + l] ? step : 0;
    }
    std::memcpy(below + i, at, sizeof at);
  }
  for (; i < n; ++i) {
    std::uint32_t at = 0;
    for (std::uint32_t step = (std::uint32_t{1} << ladder.levels) / 2; step > 0; step /= 2) {
      at += rungs[at + step - 1] < x[i] ? step : 0;
    }
    below[i] = at;
  }
}

#ifdef THRIFTREE_X86
// Sixteen searches in a register: the first four levels look into a register too, the others gather from the
// cache.
__attribute__((target("avx512f"))) void count_below_avx512(const Ladder<float>& ladder, const float* x,
                                                           std::size_t n, std::uint32_t* below) {
  const int register_levels = ladder.levels < 4 ? ladder.levels : 4;
  const int other_levels = ladder.levels - register_levels;
  alignas(64) float top[16] = {};
  for (std::size_t k = 0; k < std::size_t{1} << register_levels; ++k) {
    top[k] = ladder.rungs[((k + 1) << other_levels) - 1];
  }
  const __m512 top_rungs = _mm512_load_ps(top);
  const float* rungs = ladder.rungs.data();
  std::size_t i = 0;
  for (; i + 16 <= n; i += 16) {
    const __m512 number = _mm512_loadu_ps(x + i);
    __m512i at = _mm512_setzero_si512();
    for (int step = (1 << register_levels) / 2; step > 0; step /= 2) {
      const __m512i probe = _mm512_add_epi32(at, _mm512_set1_epi32(step - 1));
      const __m512 rung = _mm512_maskz_permutexvar_ps(0xFFFF, probe, top_rungs);
      at = _mm512_mask_add_epi32(at, _mm512_cmp_ps_mask(rung, number, _CMP_LT_OQ), at,
                                 _mm512_set1_epi32(step));
    }
    at = _mm512_maskz_sll_epi32(0xFFFF, at, _mm_cvtsi32_si128(other_levels));
    for (int step = (1 << other_levels) / 2; step > 0; step /= 2) {
      const __m512i probe = _mm512_add_epi32(at, _mm512_set1_epi32(step - 1));
      const __m512 rung = _mm512_mask_i32gather_ps(_mm512_setzero_ps(), 0xFFFF, probe, rungs, 4);
      at = _mm512_mask_add_epi32(at, _mm512_cmp_ps_mask(rung, number, _CMP_LT_OQ), at,
                                 _mm512_set1_epi32(step));
    }
    _mm512_storeu_si512(below + i, at);
  }
  count_below_portable(ladder, x + i, n - i, below + i);
}
#endif

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
  if (__builtin_cpu_supports("avx2")) return code_rows_avx2(ladders, x, row_stride, n, width, codes);
#endif
  return code_rows_with<T, 16>(ladders, x, row_stride, n, width, codes);
}

}  // namespace

template <typename T>
Ladder<T>::Ladder(const std::vector<double>& entries)
    : size(static_cast<std::uint32_t>(entries.size())), levels(std::bit_width(entries.size())) {
  rungs.assign(std::size_t{1} << levels, std::numeric_limits<T>::infinity());
  for (std::size_t i = 0; i < entries.size(); ++i) rungs[i] = rounded_down<T>(entries[i]);
}
template struct Ladder<float>;
template struct Ladder<double>;

void count_below(const Ladder<float>& ladder, const float* x, std::size_t n, std::uint32_t* below) {
#ifdef THRIFTREE_X86
  if (__builtin_cpu_supports("avx512f")) return count_below_avx512(ladder, x, n, below);
#endif
  count_below_portable(ladder, x, n, below);
}
void count_below(const Ladder<double>& ladder, const double* x, std::size_t n, std::uint32_t* below) {
  count_below_portable(ladder, x, n, below);
}

RowsResult code_rows(const LaneLadders<float>& ladders, const float* x, std::ptrdiff_t row_stride,
                     std::size_t n, std::uint32_t width, std::uint8_t* codes) {
  return code_rows_here(ladders, x, row_stride, n, width, codes);
}
RowsResult code_rows(const LaneLadders<double>& ladders, const double* x, std::ptrdiff_t row_stride,
                     std::size_t n, std::uint32_t width, std::uint8_t* codes) {
  return code_rows_here(ladders, x, row_stride, n, width, codes);
}

}  // namespace thriftree
