#include "criterion/entropy_bound.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "criterion/larger.hpp"
#include "criterion/x_log2_x.hpp"
#include "run/cpu.hpp"

namespace thriftree {

namespace {

constexpr double kSteep = 1e300;  // stands for an infinite slope, so that nothing times it is nothing
using Ends = std::array<double, SpanEnds::most>;

// G and its slope at every end.
THRIFTREE_BY_CPU(void, of_totals, (const double* left, int m, double n, double* g, double* slope),
                 (left, m, n, g, slope)) {
  for (int i = 0; i < m; ++i) {
    const double l = left[i], r = n - l > 0 ? n - l : 0.0;
    const double on_left = fast_x_log2_x(l), on_right = fast_x_log2_x(r);
    g[i] = -on_left - on_right;
    const double a = l > 0 ? on_left / l : -kSteep, b = r > 0 ? on_right / r : -kSteep;
    slope[i] = b - a;
  }
}

THRIFTREE_BY_CPU(void, of_class, (const double* left, int m, double n, double* f), (left, m, n, f)) {
  for (int i = 0; i < m; ++i) {
    const double r = n - left[i] > 0 ? n - left[i] : 0.0;
    f[i] = fast_x_log2_x(left[i]) + fast_x_log2_x(r);
  }
}

THRIFTREE_INLINE double smaller(double a, double b) { return a < b ? a : b; }

THRIFTREE_BY_CPU(void, corners_of_two,
                 (const double* left0, const double* left1, const double* f0, const double* f1,
                  const double* g, const double* slope, int m, double base, double* q, double* upper),
                 (left0, left1, f0, f1, g, slope, m, base, q, upper)) {
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
THRIFTREE_BY_CPU(void, add_chords,
                 (const double* left, const double* f, const double* slope, int m,
                  double* __restrict above_first, double* __restrict above_last,
                  double* __restrict above_mean),
                 (left, f, slope, m, above_first, above_last, above_mean)) {
  for (int i = 0; i + 1 < m; ++i) {
    const double extent = left[i + 1] - left[i], chord = f[i + 1] - f[i];
    const double up = chord + slope[i] * extent, down = -chord - slope[i + 1] * extent;
    above_first[i] += larger(up, 0.0);
    above_last[i] += larger(down, 0.0);
    above_mean[i] += larger(up, down);
  }
}

// Adds d^2 / share for a class of this share of the node, d the largest that its weight on the left can
// differ from its share of what is there.
THRIFTREE_BY_CPU(void, add_differences,
                 (const double* left, const double* left_total, int m, double share, double* __restrict sum),
                 (left, left_total, m, share, sum)) {
  for (int i = 0; i + 1 < m; ++i) {
    const double under = left_total[i + 1] * share - left[i], over = left[i + 1] - left_total[i] * share;
    const double d = under > over ? under : over;
    sum[i] += d * d / share;
  }
}

THRIFTREE_BY_CPU(void, from_differences,
                 (const double* left_total, const double* sum, int m, double n, double most, double* upper),
                 (left_total, sum, m, n, most, upper)) {
  constexpr double per_bit = 1.4426950408889634 * (1 + 1e-9);  // 1 / ln 2, and room for rounding
  for (int i = 0; i + 1 < m; ++i) {
    const double left = left_total[i + 1], right = n - left_total[i];
    const double of_left = sum[i] * per_bit / left_total[i],
                 of_right = sum[i] * per_bit / (n - left_total[i + 1]);
    const double all_left = left * most, all_right = right * most;
    upper[i] = (of_left < all_left ? of_left : all_left) + (of_right < all_right ? of_right : all_right);
  }
}

// By a bound without logarithms of single sums: upper, and which spans reach `enough`; how many these are.
int within_reach(const NodeSums& node, const SpanEnds& ends, double enough, double* upper, int* spans) {
  Ends sum{};
  double least = node.total;
  for (std::size_t k = 0; k < node.sums.size(); ++k) {
    if (!(node.sums[k] > 0)) continue;
    least = std::min(least, node.sums[k]);
    add_differences(ends.left + k * ends.stride, ends.left_total, ends.m, node.sums[k] / node.total,
                    sum.data());
  }
  from_differences(ends.left_total, sum.data(), ends.m, node.total,
                   std::log2(node.total / least) * (1 + 1e-9), upper);
  int n = 0;
  for (int i = 0; i + 1 < ends.m; ++i) {
    spans[n] = i;
    n += !(upper[i] < enough);
  }
  return n;
}

// The ends of some spans, one after the other: span j lies between ends 2 j and 2 j + 1.
struct SomeEnds {
  std::vector<double> left, left_total;

  SomeEnds(const SpanEnds& ends, std::size_t n_classes, const int* spans, int n) {
    const auto m = static_cast<std::size_t>(2 * n);
    left.resize(n_classes * m);
    left_total.resize(m);
    for (std::size_t i = 0; i < m; ++i) {
      const std::size_t end = static_cast<std::size_t>(spans[i / 2]) + i % 2;
      left_total[i] = ends.left_total[end];
      for (std::size_t k = 0; k < n_classes; ++k) left[k * m + i] = ends.left[k * ends.stride + end];
    }
  }
  SpanEnds view() const {
    SpanEnds ends;
    ends.m = static_cast<int>(left_total.size());
    ends.left = left.data();
    ends.stride = left_total.size();
    ends.left_total = left_total.data();
    return ends;
  }
};

void look_at_all(const NodeSums& node, const SpanEnds& ends, double* q, double* upper) {
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

}  // namespace

std::optional<SquareBound> EntropyBound::from_afar(const NodeSums& node) const {
  constexpr double per_bit = 1.4426950408889634;  // 1 / ln 2
  SquareBound bound;
  double least = 1;
  for (const double sum : node.sums) {
    const double share = sum / node.total;
    bound.share.push_back(share);
    bound.factor.push_back(share > 0 ? per_bit / share : 0.0);
    if (share > 0) least = std::min(least, share);
  }
  bound.most = -std::log2(least);
  return bound;
}

void EntropyBound::look(const NodeSums& node, const SpanEnds& ends, double enough, double* q,
                        double* upper) const {
  std::array<int, SpanEnds::most> spans;
  const int n = enough > 0 ? within_reach(node, ends, enough, upper, spans.data()) : ends.m;
  if (3 * n >= ends.m) return look_at_all(node, ends, q, upper);
  std::fill_n(q, ends.m, 0.0);
  if (n == 0) return;
  const SomeEnds some(ends, node.sums.size(), spans.data(), n);
  Ends some_q, some_upper;
  look_at_all(node, some.view(), some_q.data(), some_upper.data());
  for (int j = 0; j < n; ++j) {
    const auto at = static_cast<std::size_t>(j);
    const int span = spans[at];
    q[span] = some_q[2 * at];
    q[span + 1] = some_q[2 * at + 1];
    upper[span] = std::min(upper[span], some_upper[2 * at]);
  }
}

}  // namespace thriftree
