#include "table/search.hpp"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

// The same C++ is compiled for several instruction sets; the loader picks one for the machine it runs on.
#if defined(__x86_64__) && defined(__gnu_linux__) && !defined(__SANITIZE_ADDRESS__)
#define THRIFTREE_CLONES __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define THRIFTREE_CLONES
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
THRIFTREE_INLINE void count_below_impl(const Ladder<T>& ladder, const T* x, std::size_t n,
                                       std::uint32_t* below) {
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

template <typename T, std::size_t Width>
THRIFTREE_INLINE RowsResult code_rows_impl(const LaneLadders<T>& ladders, const T* x,
                                           std::ptrdiff_t row_stride, std::size_t n, std::uint8_t* codes) {
  using Mask = std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>;
  typedef T Numbers __attribute__((vector_size(Width * sizeof(T))));
  typedef Mask Masks __attribute__((vector_size(Width * sizeof(T))));
  typedef std::uint8_t Bytes __attribute__((vector_size(Width)));
  Numbers unchecked, missing_code;
  std::memcpy(&unchecked, ladders.unchecked, sizeof unchecked);
  std::memcpy(&missing_code, ladders.missing_code, sizeof missing_code);
  const Masks code_if_missing = __builtin_convertvector(missing_code, Masks);
  const Masks found_anyway = unchecked != Numbers{};
  Masks all_found = ~Masks{}, any_missing = {};
  for (std::size_t r = 0; r < n; ++r, x += row_stride) {
    Numbers number;
    std::memcpy(&number, x, sizeof number);
    const Masks missing = number != number;
    Masks below = missing & -code_if_missing;  // masks are -1 where true, so counts are subtracted
    Masks found = (found_anyway & (number - number == Numbers{})) | missing;  // an infinity is never found
    for (std::uint32_t k = 0; k < ladders.n_rungs; ++k) {
      Numbers rung;
      std::memcpy(&rung, ladders.rungs[k], sizeof rung);
      below += number > rung;
      found |= number == rung;
    }
    all_found &= found;
    any_missing |= missing;
    const Bytes bytes = __builtin_convertvector(-below, Bytes);
    std::memcpy(codes + r * Width, &bytes, Width);
  }
  RowsResult result;
  for (std::size_t l = 0; l < Width; ++l) {
    result.all_found = result.all_found && all_found[l] != 0;
    if (any_missing[l] != 0) result.lanes_missing |= std::uint32_t{1} << l;
  }
  return result;
}

// Clones cannot be templates, hence one plain function for each type and width.
#define THRIFTREE_CODE_ROWS(T, WIDTH)                                                            \
  THRIFTREE_CLONES RowsResult code_##T##_rows_##WIDTH(const LaneLadders<T>& ladders, const T* x, \
                                                      std::ptrdiff_t row_stride, std::size_t n,  \
                                                      std::uint8_t* codes) {                     \
    return code_rows_impl<T, WIDTH>(ladders, x, row_stride, n, codes);                           \
  }
THRIFTREE_CODE_ROWS(float, 16)
THRIFTREE_CODE_ROWS(float, 8)
THRIFTREE_CODE_ROWS(float, 4)
THRIFTREE_CODE_ROWS(double, 16)
THRIFTREE_CODE_ROWS(double, 8)
THRIFTREE_CODE_ROWS(double, 4)
#undef THRIFTREE_CODE_ROWS

THRIFTREE_CLONES void count_floats_below(const Ladder<float>& ladder, const float* x, std::size_t n,
                                         std::uint32_t* below) {
  count_below_impl(ladder, x, n, below);
}
THRIFTREE_CLONES void count_doubles_below(const Ladder<double>& ladder, const double* x, std::size_t n,
                                          std::uint32_t* below) {
  count_below_impl(ladder, x, n, below);
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
  count_floats_below(ladder, x, n, below);
}
void count_below(const Ladder<double>& ladder, const double* x, std::size_t n, std::uint32_t* below) {
  count_doubles_below(ladder, x, n, below);
}

RowsResult code_rows(const LaneLadders<float>& ladders, const float* x, std::ptrdiff_t row_stride,
                     std::size_t n, std::uint32_t width, std::uint8_t* codes) {
  if (width == 16) return code_float_rows_16(ladders, x, row_stride, n, codes);
  if (width == 8) return code_float_rows_8(ladders, x, row_stride, n, codes);
  return code_float_rows_4(ladders, x, row_stride, n, codes);
}
RowsResult code_rows(const LaneLadders<double>& ladders, const double* x, std::ptrdiff_t row_stride,
                     std::size_t n, std::uint32_t width, std::uint8_t* codes) {
  if (width == 16) return code_double_rows_16(ladders, x, row_stride, n, codes);
  if (width == 8) return code_double_rows_8(ladders, x, row_stride, n, codes);
  return code_double_rows_4(ladders, x, row_stride, n, codes);
}

}  // namespace thriftree
