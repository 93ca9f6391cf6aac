// Running sums of a batch.
#pragma once

#include <array>

#include "criterion/threshold_batch.hpp"

namespace thriftree {

// out[i] = start + x[0] + … + x[i]; returns the last. Four at a time, so that an addition waits for the sum
// four places before it, not for its neighbour.
inline double prefix_sums(const double* x, int m, double start, double* out) {
  int i = 0;
  for (; i + 4 <= m; i += 4) {
    const double ab = x[i] + x[i + 1], cd = x[i + 2] + x[i + 3];
    out[i] = start + x[i];
    out[i + 1] = start + ab;
    out[i + 2] = start + (ab + x[i + 2]);
    start += ab + cd;
    out[i + 3] = start;
  }
  for (; i < m; ++i) out[i] = start += x[i];
  return start;
}

// Two classes: ones[i] = label[0] + … + label[i].
inline void running_ones(const std::uint16_t* label, int m, std::int32_t* ones) {
  std::int32_t run = 0;
  for (int i = 0; i < m; ++i) {
    run += label[i];
    ones[i] = run;
  }
}

// Classes, rows of weight 1: leaves batch.left as it is after the last row.
inline void pass_classes(StreamBatch& batch) {
  for (int i = 0; i < batch.m; ++i) batch.left[batch.label[i]] += 1;
  batch.left_total += batch.m;
}

// Two classes, rows of weight 1: leaves batch.left as it is after the last row.
inline void pass_two_classes(StreamBatch& batch) {
  int ones = 0;
  for (int i = 0; i < batch.m; ++i) ones += batch.label[i];
  batch.left[1] += ones;
  batch.left[0] += batch.m - ones;
  batch.left_total += batch.m;
}

// Two classes, weighted rows: what lies left of the threshold after each row, of the second class and in all.
inline void pass_two_classes(StreamBatch& batch, double* left_second, double* left) {
  std::array<double, kBatch> second;
  for (int i = 0; i < batch.m; ++i) second[static_cast<std::size_t>(i)] = batch.weight[i] * batch.label[i];
  batch.left[1] = prefix_sums(second.data(), batch.m, batch.left[1], left_second);
  batch.left_total = prefix_sums(batch.weight, batch.m, batch.left_total, left);
  batch.left[0] = batch.left_total - batch.left[1];
}

}  // namespace thriftree
