#include "criterion/squared_error_bound.hpp"

#include "run/cpu.hpp"

namespace thriftree {

namespace {

THRIFTREE_INLINE double spread(double weight, double sum, double mean, double total) {
  const double d = sum - weight * mean, both = weight * (total - weight);
  return both > 0 ? d * d * total / both : 0.0;
}

THRIFTREE_CPU_CLONES void look_at(const double* weight, const double* sum, int m, double mean, double total,
                                  double low, double high, double* q, double* upper) {
  for (int i = 0; i < m; ++i) q[i] = spread(weight[i], sum[i], mean, total);
  const double range = high - low;
  for (int i = 0; i + 1 < m; ++i) {
    const double in_span = weight[i + 1] - weight[i], y = sum[i + 1] - sum[i];
    double highest = (y - low * in_span) / range;  // weight of the part that has the highest y
    highest = highest > 0 ? highest : 0.0;
    highest = highest < in_span ? highest : in_span;
    const double lowest = in_span - highest;
    const double a = spread(weight[i] + highest, sum[i] + highest * high, mean, total);
    const double b = spread(weight[i] + lowest, sum[i] + lowest * low, mean, total);
    const double corners = a > b ? a : b, ends = q[i] > q[i + 1] ? q[i] : q[i + 1];
    upper[i] = corners > ends ? corners : ends;
  }
}

}  // namespace

void SquaredErrorBound::look(const NodeSums& node, const SpanEnds& ends, double* q, double* upper) const {
  look_at(ends.left_total, ends.left + ends.stride, ends.m, node.sums[1] / node.total, node.total,
          ends.lowest, ends.highest, q, upper);
}

}  // namespace thriftree
