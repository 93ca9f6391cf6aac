#include "criterion/end_pairs.hpp"

#include <algorithm>

#include "criterion/larger.hpp"
#include "criterion/split_pairs.hpp"
#include "run/cpu.hpp"

namespace thriftree {

namespace {

THRIFTREE_BY_CPU(void, add_group,
                 (const double* left, int m, double all, double* objects, double* squares_left,
                  double* squares_right),
                 (left, m, all, objects, squares_left, squares_right)) {
  for (int i = 0; i < m; ++i) {
    const double rest = all - left[i];
    objects[i] += left[i];
    squares_left[i] += left[i] * left[i];
    squares_right[i] += rest * rest;
  }
}

// Adds what one group may gain above the first end, above the last, and above the mean of both. `others` are
// the objects of all other groups.
THRIFTREE_BY_CPU(void, add_slopes,
                 (const double* left, const double* objects, int m, double others, double* above_first,
                  double* above_last, double* above_mean),
                 (left, objects, m, others, above_first, above_last, above_mean)) {
  for (int i = 0; i + 1 < m; ++i) {
    const double extent = left[i + 1] - left[i];
    const double up = extent * (others - 2 * (objects[i] - left[i]));
    const double down = extent * (2 * (objects[i + 1] - left[i + 1]) - others);
    above_first[i] += larger(up, 0.0);
    above_last[i] += larger(down, 0.0);
    above_mean[i] += larger(up, down);
  }
}

THRIFTREE_BY_CPU(void, corners_of_two,
                 (const double* left0, const double* left1, int m, double all0, double all1, double* q,
                  double* upper),
                 (left0, left1, m, all0, all1, q, upper)) {
  for (int i = 0; i < m; ++i) q[i] = left0[i] * (all1 - left1[i]) + left1[i] * (all0 - left0[i]);
  for (int i = 0; i + 1 < m; ++i) {
    const double with_first = left0[i + 1] * (all1 - left1[i]) + left1[i] * (all0 - left0[i + 1]);
    const double with_second = left0[i] * (all1 - left1[i + 1]) + left1[i + 1] * (all0 - left0[i]);
    upper[i] = larger(larger(with_first, with_second), larger(q[i], q[i + 1]));
  }
}

}  // namespace

EndPairs::EndPairs(const double* counts, std::size_t stride, int m, std::span<const double> whole) {
  for (EndValues* sums : {&objects, &left, &right}) std::fill_n(sums->begin(), m, 0.0);
  for (std::size_t k = 0; k < whole.size(); ++k) {
    add_group(counts + k * stride, m, whole[k], objects.data(), left.data(), right.data());
    all += whole[k];
  }
  squares_to_pairs(objects.data(), m, all, left.data(), right.data());
}

void look_at_pairs(const double* counts, std::size_t stride, int m, std::span<const double> whole, double* q,
                   double* upper) {
  if (whole.size() == 2) return corners_of_two(counts, counts + stride, m, whole[0], whole[1], q, upper);
  const EndPairs pairs(counts, stride, m, whole);
  EndValues above_first{}, above_last{}, above_mean{};
  double squares = 0;
  for (std::size_t k = 0; k < whole.size(); ++k) {
    add_slopes(counts + k * stride, pairs.objects.data(), m, pairs.all - whole[k], above_first.data(),
               above_last.data(), above_mean.data());
    squares += whole[k] * whole[k];
  }
  const double all = (pairs.all * pairs.all - squares) / 2;
  for (std::size_t i = 0; i < static_cast<std::size_t>(m); ++i) q[i] = all - pairs.left[i] - pairs.right[i];
  for (std::size_t i = 0; i + 1 < static_cast<std::size_t>(m); ++i)
    upper[i] =
        std::min({q[i] + above_first[i], q[i + 1] + above_last[i], (q[i] + q[i + 1] + above_mean[i]) / 2});
}

}  // namespace thriftree
