// The linear model of one node: ridge regression of the target's deviations on a few columns, by sums in the
// order of the rows, so that no digit depends on a library, a CPU or a number of threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace thriftree {

// Rows as models read them. `values` is row-major, n_rows x n_columns; NaN is missing.
struct ModelRows {
  std::span<const double> values;
  std::size_t n_columns = 0;
  std::span<const double> target;
  std::span<const double> weight;  // positive

  const double* row(std::size_t i) const { return values.data() + i * n_columns; }
};

// What a node's rows say of its columns, before any penalty: a column that does not vary here is not among
// `columns`. A missing value counts as the column's mean, so it adds nothing.
struct NodeColumns {
  std::vector<std::uint32_t> columns;  // ascending
  std::vector<double> mean, scale;     // of each: over the weight of known values; root of the mean square of
                                       // what is above or below the mean, over all of the weight
  double lowest = 0, highest = 0;      // of the target
};

// For the rows at `rows` (never none) and the columns that are allowed, ascending.
NodeColumns node_columns(const ModelRows& data, std::span<const std::uint32_t> rows,
                         std::span<const std::uint32_t> allowed);

// The coefficients that minimise
//     sum of weight * (target - base - sum_j c_j (x_j - mean_j))^2 + penalty * sum_j (c_j scale_j)^2,
// one set for each penalty (positive), columns.size() numbers each; where they are not finite, 0. `poll` is
// called every few thousand rows and may throw.
std::vector<double> ridge_coefficients(const ModelRows& data, std::span<const std::uint32_t> rows,
                                       const NodeColumns& known, double base,
                                       std::span<const double> penalties, const std::function<void()>& poll);

// What the model says of a row: base + the terms in their order, kept between the lowest and the highest;
// base where infinite terms make it no number.
double model_answer(const NodeColumns& known, const double* coefficients, double base, const double* row);

}  // namespace thriftree
