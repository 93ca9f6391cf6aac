#include "rows/rows_behind.hpp"

#include <algorithm>

namespace thriftree {

double sample_weight_of(const TargetScale& target, bool is_sample, std::int64_t n_rows, double growth_total,
                        std::int64_t sample) {
  if (target.unit_samples) return static_cast<double>(n_rows);
  return is_sample ? static_cast<double>(sample) * target.sample_unit : growth_total;
}

RowTotals totals_of_rows(std::span<const std::uint32_t> objects, const Objects& all, const Target& rows) {
  std::vector<std::int64_t> weights(static_cast<std::size_t>(std::max(rows.n_classes, 1)), 0);
  std::int64_t sample = 0;
  int128 moment = 0, square = 0;
  RowTotals result;
  for (const std::uint32_t object : objects) {
    if (rows.n_classes > 0 && rows.sample.empty() && !all.mixed[object]) {  // the common case, quickly
      weights[all.target.labels[object]] += all.weights[object];
      result.rows += all.begin[object + 1] - all.begin[object];
      continue;
    }
    for (std::size_t i = all.begin[object]; i < all.begin[object + 1]; ++i) {
      const std::uint32_t row = all.rows[i];
      ++result.rows;
      weights[rows.n_classes > 0 ? rows.labels[row] : 0] += rows.weighted() ? rows.growth[row] : 1;
      if (!rows.sample.empty()) sample += rows.sample[row];
      if (rows.n_classes > 0) continue;
      moment += rows.moment[row];
      square += rows.square[row];
    }
  }
  for (std::int64_t weight : weights) {
    result.sums.push_back(static_cast<double>(weight) * rows.growth_unit);
    result.total += result.sums.back();
  }
  if (rows.n_classes == 0) {
    result.sums.push_back(static_cast<double>(moment) * rows.moment_unit);
    result.sums.push_back(static_cast<double>(square) * rows.square_unit);
  }
  result.weight = sample_weight_of(rows, !rows.sample.empty(), result.rows, result.total, sample);
  return result;
}

}  // namespace thriftree
