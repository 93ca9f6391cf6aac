// Rows as the gates read them: numbers in blocks that stay in the cache.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <span>
#include <vector>

#include "run/control.hpp"

namespace thriftree::soft {

constexpr std::size_t kBlock = 256;  // rows; a multiple of the lanes in flow.cpp

// Weighted mean of a column's known numbers, and what makes their standard deviation 1 (0 where they are all
// equal). Throws BadInput for infinity.
struct Spread {
  double centre = 0, scale = 0;
};
Spread spread_of(std::span<const double> values, std::span<const double> weights);

// Per block its columns, one after the other; rows that fill up the last block are zeros.
class SoftRows {
 public:
  // All zeros until they are written. A number x will be kept as (x - centre) * scale.
  SoftRows(std::size_t n_rows, std::span<const double> centres, std::span<const double> scales,
           Control& control);
  // `columns` has a column after the other, n_rows numbers each, and no NaN.
  SoftRows(std::span<const double> columns, std::size_t n_rows, std::span<const double> centres,
           std::span<const double> scales, Control& control);

  // The rows [first, first + n): `columns` has a column after the other, n numbers each, and no NaN.
  void write(std::size_t first, std::size_t n, std::span<const double> columns);

  std::size_t n_rows() const { return n_rows_; }
  std::size_t n_columns() const { return n_columns_; }
  std::size_t n_blocks() const { return (n_rows_ + kBlock - 1) / kBlock; }
  std::size_t rows_in(std::size_t block) const { return std::min(kBlock, n_rows_ - block * kBlock); }
  const double* block(std::size_t b) const { return values_.get() + b * n_columns_ * kBlock; }

 private:
  struct Free {
    void operator()(double* values) const { std::free(values); }
  };
  // As `write`, of columns that are `stride` numbers apart; the rows are of one block.
  void write_in_block(std::size_t first, std::size_t n, const double* columns, std::size_t stride);

  std::size_t n_rows_, n_columns_;
  std::vector<double> centres_, scales_;  // per column
  // From calloc: the system hands out zeros page by page, when they are written, so that a large table is not
  // there all at once before anyone can look at the clock.
  std::unique_ptr<double, Free> values_;
};

}  // namespace thriftree::soft
