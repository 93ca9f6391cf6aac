#include "soft/soft_rows.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <new>

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

SoftRows::SoftRows(std::size_t n_rows, std::span<const double> centres, std::span<const double> scales,
                   Control& control)
    : n_rows_(n_rows),
      n_columns_(centres.size()),
      centres_(centres.begin(), centres.end()),
      scales_(scales.begin(), scales.end()) {
  if (scales.size() != n_columns_)
    throw BadInput("columns, centres and scales of soft rows must have one entry a column");
  const std::size_t width = kBlock * std::max<std::size_t>(n_columns_, 1) * sizeof(double);
  if (n_blocks() > std::numeric_limits<std::size_t>::max() / 2 / width) throw std::bad_alloc();
  control.reserve(n_blocks() * width, "a table of numbers for a soft tree");
  values_.reset(static_cast<double*>(std::calloc(std::max<std::size_t>(n_blocks(), 1), width)));
  if (!values_) throw std::bad_alloc();
}

SoftRows::SoftRows(std::span<const double> columns, std::size_t n_rows, std::span<const double> centres,
                   std::span<const double> scales, Control& control)
    : SoftRows(n_rows, centres, scales, control) {
  if (columns.size() != n_rows * n_columns_)
    throw BadInput("columns, centres and scales of soft rows must have one entry a column");
  for (std::size_t b = 0; b < n_blocks(); ++b) {
    control.poll_or_throw();
    write_in_block(b * kBlock, rows_in(b), columns.data() + b * kBlock, n_rows);
  }
}

void SoftRows::write(std::size_t first, std::size_t n, std::span<const double> columns) {
  if (first > n_rows_ || n > n_rows_ - first || columns.size() != n * n_columns_)
    throw BadInput("soft rows are written as numbers of every column, and none beyond the last row");
  for (std::size_t done = 0; done < n;) {
    const std::size_t some = std::min(n - done, kBlock - (first + done) % kBlock);
    write_in_block(first + done, some, columns.data() + done, n);
    done += some;
  }
}

void SoftRows::write_in_block(std::size_t first, std::size_t n, const double* columns, std::size_t stride) {
  double* block = values_.get() + first / kBlock * n_columns_ * kBlock + first % kBlock;
  for (std::size_t c = 0; c < n_columns_; ++c) {
    const double* from = columns + c * stride;
    double* to = block + c * kBlock;
    for (std::size_t r = 0; r < n; ++r) to[r] = (from[r] - centres_[c]) * scales_[c];
  }
}

}  // namespace thriftree::soft
