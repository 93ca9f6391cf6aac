#include "rows/two_valued.hpp"

#include <algorithm>

#include "rows/fetch_ahead.hpp"
#include "run/cpu.hpp"

namespace thriftree {

namespace {

template <int Stride>
THRIFTREE_CPU_CLONES void add_ones(const std::uint8_t* codes, const std::uint32_t* rows, std::size_t n,
                                   const std::int64_t* value, std::int64_t* values, std::uint32_t* counts,
                                   std::int64_t* total) {
  std::int64_t sum[Stride] = {}, all = 0;
  for (std::size_t begin = 0; begin < n; begin += 255) {  // a byte counts that far
    const std::size_t end = std::min(n, begin + 255);
    std::uint8_t ones[Stride] = {};
    for (std::size_t i = begin; i < end; ++i) {
      const std::uint8_t* chunk = codes + static_cast<std::size_t>(rows[i]) * Stride;
      const std::int64_t v = value[rows[i]];
      fetch_ahead<Stride>(codes, rows, i, n);
      all += v;
      for (int j = 0; j < Stride; ++j) {
        sum[j] += v & -static_cast<std::int64_t>(chunk[j]);
        ones[j] = static_cast<std::uint8_t>(ones[j] + chunk[j]);
      }
    }
    for (int j = 0; j < Stride; ++j) counts[j] += ones[j];
  }
  for (int j = 0; j < Stride; ++j) values[j] = sum[j];
  *total = all;
}

}  // namespace

OnesSums sum_ones(const Block& block, const std::uint32_t* rows, std::size_t n, const std::int64_t* value) {
  OnesSums sums;
  const auto add = block.stride == 16 ? add_ones<16> : block.stride == 8 ? add_ones<8> : add_ones<4>;
  add(block.codes.data(), rows, n, value, sums.values.data(), sums.rows.data(), &sums.total);
  return sums;
}

}  // namespace thriftree
