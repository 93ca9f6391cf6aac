// Running sums of a batch.
#pragma once

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

}  // namespace thriftree
