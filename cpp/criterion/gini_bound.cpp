#include "criterion/gini_bound.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "run/cpu.hpp"

namespace thriftree {

namespace {

// With l rows on the left, l1 of them of class 1, and d = l1 * n - l * n1: h = 2 d^2 / (n l r).
THRIFTREE_INLINE double two_classes(double l1, double l, double n1, double n, double scale) {
  const double d = l1 * n - l * n1, both = l * (n - l);
  return both > 0 ? scale * d * d / both : 0.0;
}

THRIFTREE_CPU_CLONES void look_at_two(const double* left0, const double* left1, int m, double n1, double n,
                                      double* q, double* upper) {
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

THRIFTREE_CPU_CLONES void add_squares(const double* left, int m, double total, double* squares_left,
                                      double* squares_right) {
  for (int i = 0; i < m; ++i) {
    squares_left[i] += left[i] * left[i];
    squares_right[i] += (total - left[i]) * (total - left[i]);
  }
}

THRIFTREE_CPU_CLONES void combine(const double* squares_left, const double* squares_right, const double* left,
                                  int m, double n, double base, double* q, double* upper) {
  for (int i = 0; i < m; ++i) {
    const double l = left[i], r = n - l;
    const double on_left = l > 0 ? squares_left[i] / l : 0.0, on_right = r > 0 ? squares_right[i] / r : 0.0;
    q[i] = on_left + on_right - base;
  }
  for (int i = 0; i + 1 < m; ++i) upper[i] = (q[i] + q[i + 1]) / 2 + (left[i + 1] - left[i]);
}

}  // namespace

void GiniBound::look(const NodeSums& node, const SpanEnds& ends, double* q, double* upper) const {
  const std::size_t n_classes = node.sums.size();
  if (n_classes == 2)
    return look_at_two(ends.left, ends.left + ends.stride, ends.m, node.sums[1], node.total, q, upper);
  constexpr std::size_t most = 257;
  std::array<double, most> squares_left{}, squares_right{};
  double squares = 0;
  for (std::size_t k = 0; k < n_classes; ++k) {
    add_squares(ends.left + k * ends.stride, ends.m, node.sums[k], squares_left.data(), squares_right.data());
    squares += node.sums[k] * node.sums[k];
  }
  combine(squares_left.data(), squares_right.data(), ends.left_total, ends.m, node.total,
          squares / node.total, q, upper);
}

double GiniBound::closer(const NodeSums& node, const SpanEnds& ends, const double* q, int i,
                         double upper) const {
  const std::size_t n_classes = node.sums.size();
  if (n_classes == 2) return upper;
  const double l0 = ends.left_total[i], l1 = ends.left_total[i + 1], n = node.total;
  // The shares of each class on either side, at their least and largest in the box.
  struct Range {
    double low, high;
  };
  const auto share = [](double part, double whole) { return whole > 0 ? std::min(part / whole, 1.0) : 0.0; };
  const auto extent = [&](std::size_t k) {
    const double* left = ends.left + k * ends.stride + i;
    return left[1] - left[0];
  };
  const auto on_left = [&](std::size_t k) {
    const double* left = ends.left + k * ends.stride + i;
    return Range{share(left[0], l1 - extent(k)), share(left[1], l0 + extent(k))};
  };
  const auto on_right = [&](std::size_t k) {
    const double* left = ends.left + k * ends.stride + i;
    return Range{share(node.sums[k] - left[1], n - l0 - extent(k)),
                 share(node.sums[k] - left[0], n - l1 + extent(k))};
  };
  double low = 0, high = 0;  // of sum pL^2 - sum pR^2
  for (std::size_t k = 0; k < n_classes; ++k) {
    const Range a = on_left(k), b = on_right(k);
    low += a.low * a.low - b.high * b.high;
    high += a.high * a.high - b.low * b.low;
  }
  double slopes = 0;
  for (std::size_t k = 0; k < n_classes; ++k) {
    const Range a = on_left(k), b = on_right(k);
    const double least = 2 * (a.low - b.high) - high, most = 2 * (a.high - b.low) - low;
    slopes += extent(k) * std::max(most, -least);
  }
  return std::min(upper, (q[i] + q[i + 1]) / 2 + slopes / 2);
}

}  // namespace thriftree
