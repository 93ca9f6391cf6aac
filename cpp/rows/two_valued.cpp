#include "rows/two_valued.hpp"

#include <algorithm>

#include "rows/fetch_ahead.hpp"
#include "run/cpu.hpp"

namespace thriftree {

namespace {

THRIFTREE_BY_CPU_OF(template <int Stride>, void, add_ones,
                    ([[maybe_unused]] std::integral_constant<int, Stride> stride, const std::uint8_t* codes,
                     const std::uint32_t* rows, std::size_t n, const std::int64_t* value,
                     std::int64_t* values, std::uint32_t* counts, std::int64_t* total),
                    (stride, codes, rows, n, value, values, counts, total)) {
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
  const auto add = [&](auto stride) {
    add_ones(stride, block.codes.data(), rows, n, value, sums.values.data(), sums.rows.data(), &sums.total);
  };
  if (block.stride == 16) {
    add(std::integral_constant<int, 16>());
  } else if (block.stride == 8) {
    add(std::integral_constant<int, 8>());
  } else {
    add(std::integral_constant<int, 4>());
  }
  return sums;
}

}  // namespace thriftree
