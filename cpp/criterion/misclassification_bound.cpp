#include "criterion/misclassification_bound.hpp"

#include <algorithm>

#include "criterion/end_pairs.hpp"
#include "run/cpu.hpp"

namespace thriftree {

namespace {

// The two heaviest classes of many branches, and which is the heaviest.
struct TwoHeaviest {
  EndValues first{}, second{}, which{};
};

THRIFTREE_INLINE void offer(double weight, double k, double& first, double& second, double& which) {
  const bool heavier = weight > first;
  const double other = weight > second ? weight : second;
  second = heavier ? first : other;
  which = heavier ? k : which;
  first = heavier ? weight : first;
}

THRIFTREE_BY_CPU(void, offer_class,
                 (const double* left, int m, double all, double k, TwoHeaviest& __restrict most_left,
                  TwoHeaviest& __restrict most_right, double* __restrict heaviest_left,
                  double* __restrict heaviest_right),
                 (left, m, all, k, most_left, most_right, heaviest_left, heaviest_right)) {
  for (int i = 0; i < m; ++i) {
    const double l = left[i], r = all - l;
    heaviest_left[i] = l > heaviest_left[i] ? l : heaviest_left[i];
    heaviest_right[i] = r > heaviest_right[i] ? r : heaviest_right[i];
  }
  double *a = most_left.first.data(), *b = most_left.second.data(), *at = most_left.which.data();
  for (int i = 0; i + 1 < m; ++i) offer(left[i + 1], k, a[i], b[i], at[i]);
  a = most_right.first.data();
  b = most_right.second.data();
  at = most_right.which.data();
  for (int i = 0; i + 1 < m; ++i) offer(all - left[i], k, a[i], b[i], at[i]);
}

double at_least_0(double x) { return x > 0 ? x : 0.0; }

}  // namespace

void MisclassificationBound::look(const NodeSums& node, const SpanEnds& ends, double, double* q,
                                  double* upper) const {
  const double base = *std::max_element(node.sums.begin(), node.sums.end());
  TwoHeaviest left, right;
  EndValues heaviest_left{}, heaviest_right{};
  for (std::size_t k = 0; k < node.sums.size(); ++k)
    offer_class(ends.left + k * ends.stride, ends.m, node.sums[k], static_cast<double>(k), left, right,
                heaviest_left.data(), heaviest_right.data());
  const auto m = static_cast<std::size_t>(ends.m);
  for (std::size_t i = 0; i < m; ++i) q[i] = at_least_0(heaviest_left[i] + heaviest_right[i] - base);
  for (std::size_t i = 0; i + 1 < m; ++i) {
    const double apart = left.first[i] + right.first[i];
    const double same = std::max(left.first[i] + right.second[i], left.second[i] + right.first[i]);
    upper[i] = at_least_0((left.which[i] != right.which[i] ? apart : same) - base);
  }
}

}  // namespace thriftree
