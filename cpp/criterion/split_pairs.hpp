// Of many thresholds: the objects on the left, and on both sides the pairs of objects in different groups.
#pragma once

#include <array>
#include <cstddef>
#include <span>

#include "criterion/threshold_batch.hpp"

namespace thriftree {

struct SplitPairs {
  std::array<double, kBatch> objects, left, right;

  // From the counts on the left of each threshold, counts[i * stride ..]; `whole` are the node's.
  void of_prefixes(const double* counts, int m, std::size_t stride, std::span<const double> whole);
  // After each of a batch's rows, which are one object each and weigh 1. Leaves the sums as after the last.
  void of_rows(StreamBatch& batch, std::span<const double> whole);
};

// Of m thresholds with `objects` on the left: left and right hold the sums of squared counts, and then the
// pairs.
void squares_to_pairs(const double* objects, int m, double all, double* left, double* right);

}  // namespace thriftree
