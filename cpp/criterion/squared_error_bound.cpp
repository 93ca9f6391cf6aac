#include "criterion/squared_error_bound.hpp"

#include <cmath>

#include "run/cpu.hpp"

namespace thriftree {

namespace {

THRIFTREE_INLINE double spread(double weight, double sum, double mean, double total) {
  const double d = sum - weight * mean, both = weight * (total - weight);
  return both > 0 ? d * d * total / both : 0.0;
}

THRIFTREE_BY_CPU(void, look_at,
                 (const double* weight, const double* sum, int m, double mean, double total, double low,
                  double high, double* q, double* upper),
                 (weight, sum, m, mean, total, low, high, q, upper)) {
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

// Lowers the bounds to those by the squares in each span.
THRIFTREE_BY_CPU(void, look_at_spread,
                 (const double* weight, const double* sum, const double* squares, int m, double mean,
                  double total, const double* q, double* upper),
                 (weight, sum, squares, m, mean, total, q, upper)) {
  for (int i = 0; i + 1 < m; ++i) {
    const double in_span = weight[i + 1] - weight[i], y = sum[i + 1] - sum[i];
    const double safe = in_span > 0 ? in_span : 1.0;
    // All of it may be rounding, of which the root is no longer small.
    const double magnitude = (sum[i] < 0 ? -sum[i] : sum[i]) + (sum[i + 1] < 0 ? -sum[i + 1] : sum[i + 1]);
    const double rounding = squares[i] * (1 + weight[i + 1] / safe) + (y < 0 ? -y : y) * magnitude / safe;
    double error = squares[i] - y * y / safe + 1e-15 * rounding;
    error = error > 0 ? error : 0.0;
    const double half = std::sqrt(in_span * error) / 2;
    const double first = sum[i] - weight[i] * mean, last = sum[i + 1] - weight[i + 1] * mean;
    const double far_first = (first < 0 ? -first : first) + half, far_last = (last < 0 ? -last : last) + half;
    const double both_first = weight[i] * (total - weight[i]);
    const double both_last = weight[i + 1] * (total - weight[i + 1]);
    // Nothing on one side: what the span itself can be worth there, and what it leaves to the other side.
    const double about_mean = squares[i] - 2 * mean * y + mean * mean * in_span;
    const double rest = total - in_span;
    const double alone = rest > 0 ? about_mean * (1 + in_span / rest) : 1e300;
    const double at_first = both_first > 0 ? far_first * far_first * total / both_first : alone;
    const double at_last = both_last > 0 ? far_last * far_last * total / both_last : alone;
    const double corners = at_first > at_last ? at_first : at_last;
    const double ends = q[i] > q[i + 1] ? q[i] : q[i + 1];
    const double bound = corners > ends ? corners : ends;
    upper[i] = bound < upper[i] ? bound : upper[i];
  }
}

}  // namespace

std::optional<SquareBound> SquaredErrorBound::from_afar(const NodeSums& node) const {
  SquareBound bound;
  bound.mean = node.sums[1] / node.total;
  return bound;
}

void SquaredErrorBound::look(const NodeSums& node, const SpanEnds& ends, double, double* q,
                             double* upper) const {
  const double mean = node.sums[1] / node.total;
  const double* sums = ends.left + ends.stride;
  look_at(ends.left_total, sums, ends.m, mean, node.total, ends.lowest, ends.highest, q, upper);
  look_at_spread(ends.left_total, sums, ends.squares, ends.m, mean, node.total, q, upper);
}

}  // namespace thriftree
