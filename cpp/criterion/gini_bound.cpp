#include "criterion/gini_bound.hpp"

#include <algorithm>
#include <array>

#include "run/cpu.hpp"

namespace thriftree {

namespace {

// With l rows on the left, l1 of them of class 1, and d = l1 * n - l * n1: h = 2 d^2 / (n l r).
THRIFTREE_INLINE double two_classes(double l1, double l, double n1, double n, double scale) {
  const double d = l1 * n - l * n1, both = l * (n - l);
  return both > 0 ? scale * d * d / both : 0.0;
}

THRIFTREE_BY_CPU(void, look_at_two,
                 (const double* left0, const double* left1, int m, double n1, double n, double* q,
                  double* upper),
                 (left0, left1, m, n1, n, q, upper)) {
  const double scale = 2 / n;
  for (int i = 0; i < m; ++i) q[i] = two_classes(left1[i], left0[i] + left1[i], n1, n, scale);
  for (int i = 0; i + 1 < m; ++i) {
    const double with_first = two_classes(left1[i], left0[i + 1] + left1[i], n1, n, scale);
    const double with_second = two_classes(left1[i + 1], left0[i] + left1[i + 1], n1, n, scale);
    const double corners = with_first > with_second ? with_first : with_second;
    const double ends = q[i] > q[i + 1] ? q[i] : q[i + 1];
    upper[i] = corners > ends ? corners : ends;
  }
}

THRIFTREE_BY_CPU(void, add_squares,
                 (const double* left, int m, double total, double* squares_left, double* squares_right),
                 (left, m, total, squares_left, squares_right)) {
  for (int i = 0; i < m; ++i) {
    squares_left[i] += left[i] * left[i];
    squares_right[i] += (total - left[i]) * (total - left[i]);
  }
}

THRIFTREE_BY_CPU(void, combine,
                 (const double* squares_left, const double* squares_right, const double* left, int m,
                  double n, double base, double* q, double* upper),
                 (squares_left, squares_right, left, m, n, base, q, upper)) {
  for (int i = 0; i < m; ++i) {
    const double l = left[i], r = n - l;
    const double on_left = l > 0 ? squares_left[i] / l : 0.0, on_right = r > 0 ? squares_right[i] / r : 0.0;
    q[i] = on_left + on_right - base;
  }
  for (int i = 0; i + 1 < m; ++i) upper[i] = (q[i] + q[i + 1]) / 2 + (left[i + 1] - left[i]);
}

constexpr int kTogether = 16;  // spans whose slopes are bounded at a time

// The slopes of kTogether spans from `left`, whose classes are `stride` apart, and `total` on.
THRIFTREE_BY_CPU(void, add_slopes,
                 (const double* left, std::size_t stride, const double* total, const double* sums,
                  std::size_t n_classes, double n, double* upper, const double* q),
                 (left, stride, total, sums, n_classes, n, upper, q)) {
  double least_left[kTogether], most_left[kTogether], least_right[kTogether], most_right[kTogether];
  double low[kTogether] = {}, high[kTogether] = {}, slopes[kTogether] = {};
  for (int i = 0; i < kTogether; ++i) {  // one over the largest and the smallest total
    least_left[i] = total[i + 1] > 0 ? 1 / total[i + 1] : 0.0;
    most_left[i] = total[i] > 0 ? 1 / total[i] : 1e300;
    least_right[i] = n - total[i] > 0 ? 1 / (n - total[i]) : 0.0;
    most_right[i] = n - total[i + 1] > 0 ? 1 / (n - total[i + 1]) : 1e300;
  }
  const auto at_most_1 = [](double x) { return x < 1 ? x : 1.0; };
  for (std::size_t k = 0; k < n_classes; ++k) {
    const double* of_class = left + k * stride;
    for (int i = 0; i < kTogether; ++i) {
      const double a = of_class[i] * least_left[i], b = at_most_1(of_class[i + 1] * most_left[i]);
      const double c = (sums[k] - of_class[i + 1]) * least_right[i];
      const double d = at_most_1((sums[k] - of_class[i]) * most_right[i]);
      low[i] += a * a - d * d;
      high[i] += b * b - c * c;
    }
  }
  for (std::size_t k = 0; k < n_classes; ++k) {
    const double* of_class = left + k * stride;
    for (int i = 0; i < kTogether; ++i) {
      const double a = of_class[i] * least_left[i], b = at_most_1(of_class[i + 1] * most_left[i]);
      const double c = (sums[k] - of_class[i + 1]) * least_right[i];
      const double d = at_most_1((sums[k] - of_class[i]) * most_right[i]);
      const double up = 2 * (b - c) - low[i], down = high[i] - 2 * (a - d);
      slopes[i] += (of_class[i + 1] - of_class[i]) * (up > down ? up : down);
    }
  }
  for (int i = 0; i < kTogether; ++i) {
    const double closer = (q[i] + q[i + 1] + slopes[i]) / 2;
    upper[i] = closer < upper[i] ? closer : upper[i];
  }
}

}  // namespace

std::optional<SquareBound> GiniBound::from_afar(const NodeSums& node) const {
  SquareBound bound;
  double squares = 0, least = 1;
  for (const double sum : node.sums) {
    const double share = sum / node.total;
    bound.share.push_back(share);
    bound.factor.push_back(1);
    squares += share * share;
    least = std::min(least, share);
  }
  bound.most = 1 + squares - 2 * least;
  return bound;
}

void GiniBound::look(const NodeSums& node, const SpanEnds& ends, double enough, double* q,
                     double* upper) const {
  const std::size_t n_classes = node.sums.size();
  if (n_classes == 2)
    return look_at_two(ends.left, ends.left + ends.stride, ends.m, node.sums[1], node.total, q, upper);
  constexpr std::size_t most = SpanEnds::most;
  std::array<double, most> squares_left{}, squares_right{};
  double squares = 0;
  for (std::size_t k = 0; k < n_classes; ++k) {
    add_squares(ends.left + k * ends.stride, ends.m, node.sums[k], squares_left.data(), squares_right.data());
    squares += node.sums[k] * node.sums[k];
  }
  combine(squares_left.data(), squares_right.data(), ends.left_total, ends.m, node.total,
          squares / node.total, q, upper);
  // Whole groups of spans, the last of which may overlap the one before it.
  const int n_spans = ends.m - 1;
  for (int first = 0; first < n_spans && n_spans >= kTogether; first += kTogether) {
    const int begin = std::min(first, n_spans - kTogether);
    if (*std::max_element(upper + begin, upper + begin + kTogether) < enough) continue;
    add_slopes(ends.left + begin, ends.stride, ends.left_total + begin, node.sums.data(), n_classes,
               node.total, upper + begin, q + begin);
  }
}

}  // namespace thriftree
