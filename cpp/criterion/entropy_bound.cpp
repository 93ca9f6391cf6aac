#include "criterion/entropy_bound.hpp"

#include <algorithm>
#include <array>

#include "criterion/x_log2_x.hpp"
#include "run/cpu.hpp"

namespace thriftree {

namespace {

constexpr double kSteep = 1e300;  // stands for an infinite slope, so that nothing times it is nothing
using Ends = std::array<double, 257>;

// G and its slope at every end.
THRIFTREE_CPU_CLONES void of_totals(const double* left, int m, double n, double* g, double* slope) {
  for (int i = 0; i < m; ++i) {
    const double l = left[i], r = n - l > 0 ? n - l : 0.0;
    const double on_left = fast_x_log2_x(l), on_right = fast_x_log2_x(r);
    g[i] = -on_left - on_right;
    const double a = l > 0 ? on_left / l : -kSteep, b = r > 0 ? on_right / r : -kSteep;
    slope[i] = b - a;
  }
}

THRIFTREE_CPU_CLONES void of_class(const double* left, int m, double n, double* f) {
  for (int i = 0; i < m; ++i) {
    const double r = n - left[i] > 0 ? n - left[i] : 0.0;
    f[i] = fast_x_log2_x(left[i]) + fast_x_log2_x(r);
  }
}

THRIFTREE_INLINE double larger(double a, double b) { return a > b ? a : b; }
THRIFTREE_INLINE double smaller(double a, double b) { return a < b ? a : b; }

THRIFTREE_CPU_CLONES void corners_of_two(const double* left0, const double* left1, const double* f0,
                                         const double* f1, const double* g, const double* slope, int m,
                                         double base, double* q, double* upper) {
  for (int i = 0; i < m; ++i) q[i] = base + (f0[i] + f1[i]) + g[i];
  for (int i = 0; i + 1 < m; ++i) {
    const double h0 = left0[i + 1] - left0[i], h1 = left1[i + 1] - left1[i];
    const double with_first =
        base + (f0[i + 1] + f1[i]) + smaller(g[i] + slope[i] * h0, g[i + 1] - slope[i + 1] * h1);
    const double with_second =
        base + (f0[i] + f1[i + 1]) + smaller(g[i] + slope[i] * h1, g[i + 1] - slope[i + 1] * h0);
    upper[i] = larger(larger(with_first, with_second), larger(q[i], q[i + 1]));
  }
}

// Adds what one class may gain above the first end, above the last, and above the mean of both.
THRIFTREE_CPU_CLONES void add_chords(const double* left, const double* f, const double* slope, int m,
                                     double* __restrict above_first, double* __restrict above_last,
                                     double* __restrict above_mean) {
  for (int i = 0; i + 1 < m; ++i) {
    const double extent = left[i + 1] - left[i], chord = f[i + 1] - f[i];
    const double up = chord + slope[i] * extent, down = -chord - slope[i + 1] * extent;
    above_first[i] += larger(up, 0.0);
    above_last[i] += larger(down, 0.0);
    above_mean[i] += larger(up, down);
  }
}

}  // namespace

void EntropyBound::look(const NodeSums& node, const SpanEnds& ends, double, double* q, double* upper) const {
  const std::size_t n_classes = node.sums.size();
  Ends g, slope, f;
  double base = fast_x_log2_x(node.total);
  for (const double s : node.sums) base -= fast_x_log2_x(s);
  of_totals(ends.left_total, ends.m, node.total, g.data(), slope.data());
  if (n_classes == 2) {
    Ends f1;
    const double *left0 = ends.left, *left1 = ends.left + ends.stride;
    of_class(left0, ends.m, node.sums[0], f.data());
    of_class(left1, ends.m, node.sums[1], f1.data());
    return corners_of_two(left0, left1, f.data(), f1.data(), g.data(), slope.data(), ends.m, base, q, upper);
  }
  Ends above_first{}, above_last{}, above_mean{};
  for (int i = 0; i < ends.m; ++i) q[i] = base + g[static_cast<std::size_t>(i)];
  for (std::size_t k = 0; k < n_classes; ++k) {
    const double* left = ends.left + k * ends.stride;
    of_class(left, ends.m, node.sums[k], f.data());
    for (int i = 0; i < ends.m; ++i) q[i] += f[static_cast<std::size_t>(i)];
    add_chords(left, f.data(), slope.data(), ends.m, above_first.data(), above_last.data(),
               above_mean.data());
  }
  for (int i = 0; i + 1 < ends.m; ++i) {
    const auto at = static_cast<std::size_t>(i);
    upper[i] =
        std::min({q[i] + above_first[at], q[i + 1] + above_last[at], (q[i] + q[i + 1] + above_mean[at]) / 2});
  }
}

}  // namespace thriftree
