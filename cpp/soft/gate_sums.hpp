// Weighted sums of the columns of a block, and what comes back from them: nearly all arithmetic of soft
// trees.
#pragma once

#include <cstddef>

namespace thriftree::soft {

constexpr std::size_t kTile = 4;  // gates that read a column together
constexpr std::size_t kLine = 8;  // numbers that come from memory together

// Rows [begin, end) of columns that will be read soon: asked for a few at a time, while there is other work,
// they come from memory without anyone waiting for them.
struct Ahead {
  const double* columns = nullptr;  // null: none will be
  std::size_t begin = 0, end = 0;
};

// For 1 to kTile gates, over n columns of a block:
// out[t] = offset[t], which follows the n weights, + the weighted sum of the columns, one after the other.
void weigh_tile(std::size_t gates, const double* const* weights, const double* columns, std::size_t n,
                double* const* out);
// gradient[t][c] += the sum over rows of slopes[t] × column c; [n], the offset's, += the sum of slopes[t].
void sum_tile(std::size_t gates, const double* const* slopes, const double* columns, std::size_t n,
              double* const* gradient, const Ahead& ahead);

}  // namespace thriftree::soft
