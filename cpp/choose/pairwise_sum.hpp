// Sums of many numbers as numpy makes them: in the same order on every CPU, with little rounding.
#pragma once

#include <cstddef>

namespace thriftree {

// numpy's pairwise sum.
inline double pairwise_sum(const double* a, std::size_t n) {
  if (n < 8) {
    double sum = 0;
    for (std::size_t i = 0; i < n; ++i) sum += a[i];
    return sum;
  }
  if (n > 128) {
    const std::size_t half = n / 2 - n / 2 % 8;
    return pairwise_sum(a, half) + pairwise_sum(a + half, n - half);
  }
  double r[8];
  for (std::size_t j = 0; j < 8; ++j) r[j] = a[j];
  std::size_t i = 8;
  for (; i < n - n % 8; i += 8) {
    for (std::size_t j = 0; j < 8; ++j) r[j] += a[i + j];
  }
  double sum = ((r[0] + r[1]) + (r[2] + r[3])) + ((r[4] + r[5]) + (r[6] + r[7]));
  for (; i < n; ++i) sum += a[i];
  return sum;
}

}  // namespace thriftree
