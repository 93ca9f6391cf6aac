#include "soft/soft_rows.hpp"

#include <algorithm>
#include <cmath>

namespace thriftree::soft {

Spread spread_of(std::span<const double> values, std::span<const double> weights) {
  double largest = 0, total = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (std::isnan(values[i])) continue;
    if (std::isinf(values[i]))
      throw BadInput("holds infinity: replace infinite values by NaN (missing) or by a large number");
    largest = std::max(largest, std::abs(values[i]));
    total += weights.empty() ? 1.0 : weights[i];
  }
  if (largest == 0 || total == 0) return {};
  // In units of the largest, so that no square is too large or too small.
  int exponent = 0;
  std::frexp(largest, &exponent);
  double sum = 0;
  for (std::size_t i = 0; i < values.size(); ++i)
    if (!std::isnan(values[i]))
      sum += (weights.empty() ? 1.0 : weights[i]) * std::ldexp(values[i], -exponent);
  const double mean = sum / total;
  double squares = 0;
  double low = HUGE_VAL, high = -HUGE_VAL;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (std::isnan(values[i])) continue;
    const double away = std::ldexp(values[i], -exponent) - mean;
    squares += (weights.empty() ? 1.0 : weights[i]) * away * away;
    low = std::min(low, values[i]);
    high = std::max(high, values[i]);
  }
  const double deviation = std::ldexp(std::sqrt(squares / total), exponent);
  Spread spread;
  spread.centre = std::ldexp(mean, exponent);
  const double scale = 1 / deviation;
  if (low < high && std::isfinite(scale)) spread.scale = scale;
  return spread;
}

SoftRows::SoftRows(std::span<const double> columns, std::size_t n_rows, std::span<const double> centres,
                   std::span<const double> scales, Control& control)
    : n_rows_(n_rows), n_columns_(centres.size()) {
  if (columns.size() != n_rows * n_columns_ || scales.size() != n_columns_)
    throw BadInput("columns, centres and scales of soft rows must have one entry a column");
  const std::size_t size = n_blocks() * kBlock * n_columns_;
  control.reserve(size * sizeof(double), "a table of numbers for a soft tree");
  values_.assign(size, 0.0);
  for (std::size_t b = 0; b < n_blocks(); ++b) {
    control.poll_or_throw();
    for (std::size_t c = 0; c < n_columns_; ++c) {
      const double* from = columns.data() + c * n_rows + b * kBlock;
      double* to = values_.data() + (b * n_columns_ + c) * kBlock;
      for (std::size_t r = 0; r < rows_in(b); ++r) to[r] = (from[r] - centres[c]) * scales[c];
    }
  }
}

}  // namespace thriftree::soft
