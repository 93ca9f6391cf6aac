// What a threshold inside a span of values gains of the enhanced score at most: each of its three terms at
// most.
#include <algorithm>
#include <vector>

#include "criterion/end_pairs.hpp"
#include "criterion/enhanced.hpp"
#include "criterion/enhanced_rates.hpp"
#include "criterion/inner_sums.hpp"
#include "run/cpu.hpp"

namespace thriftree {

namespace {

// Left of every end.
struct EndColumns {
  const double *objects, *pairs_left, *pairs_right, *weight;
  // Null where all objects weigh 1: then they follow from the weight.
  const double *heavy, *terms, *dominant;
  double heavy_share, term;  // of each unit of weight, where they do
};

// q: B + E at every end. The efficiency of the left and of the right branch, apart.
template <bool kUnit>
THRIFTREE_INLINE void look_at_each_end(EnhancedRates node, EndColumns left, int m,
                                       double* __restrict efficient_left, double* __restrict efficient_right,
                                       double* __restrict q) {
  for (int i = 0; i < m; ++i) {
    const double l = left.weight[i], r = node.weight - l;
    const double heavy = kUnit ? left.heavy_share * l : left.heavy[i];
    const double terms = kUnit ? left.term * l : left.terms[i];
    const bool dominant = !kUnit && left.dominant[i] > 0;
    const double more = node.objects - 2 * left.objects[i];  // on the right than on the left
    const double lighter = r > l ? l : r, smaller = more > 0 ? l : r;
    const double balance = more == 0 ? lighter : smaller;
    const double on_left = node.efficiency(left.pairs_left[i], l, r, heavy, terms, dominant);
    const double on_right = node.efficiency(left.pairs_right[i], r, l, node.heavy - heavy, node.terms - terms,
                                            !kUnit && !dominant);
    efficient_left[i] = on_left;
    efficient_right[i] = on_right;
    q[i] = balance + on_left + on_right;
  }
}

THRIFTREE_BY_CPU(void, look_at_ends_of_unit,
                 (const EnhancedRates& node, const EndColumns& left, int m, double* efficient_left,
                  double* efficient_right, double* q),
                 (node, left, m, efficient_left, efficient_right, q)) {
  look_at_each_end<true>(node, left, m, efficient_left, efficient_right, q);
}
THRIFTREE_BY_CPU(void, look_at_ends_of_any,
                 (const EnhancedRates& node, const EndColumns& left, int m, double* efficient_left,
                  double* efficient_right, double* q),
                 (node, left, m, efficient_left, efficient_right, q)) {
  look_at_each_end<false>(node, left, m, efficient_left, efficient_right, q);
}

// What an object has left to do never falls as others join its branch. So those surely on the left have at
// least as much left as where the span begins, those surely on the right as where it ends, and those of the
// span itself may be done. B is the weight of the branch of fewer objects; where that may be either, of the
// heavier one, which is no more than half if all objects weigh the same.
THRIFTREE_BY_CPU(void, look_inside,
                 (const EnhancedRates& node, const EndColumns& left, int m, const double* efficient_left,
                  const double* efficient_right, double* __restrict upper),
                 (node, left, m, efficient_left, efficient_right, upper)) {
  const bool unit = left.heavy == nullptr;
  const double all = node.weight, objects = node.objects, most = unit ? all / 2 : all;
  const double *weight = left.weight, *counted = left.objects;
  for (int i = 0; i + 1 < m; ++i) {
    const double l = weight[i + 1], r = all - weight[i];
    const double larger = l > r ? l : r, either = larger < most ? larger : most;
    const double unless_left = 2 * counted[i] >= objects ? r : either;
    const double balance = 2 * counted[i + 1] <= objects ? l : unless_left;
    upper[i] = balance + efficient_left[i] + efficient_right[i + 1];
  }
  const double light = node.light_share;
  if (unit) {
    const double mass = light + (1 - light) * left.heavy_share;
    for (int i = 0; i + 1 < m; ++i) upper[i] += mass * (weight[i + 1] - weight[i]);
  } else {
    const double* heavy = left.heavy;
    for (int i = 0; i + 1 < m; ++i) upper[i] += node.mass(weight[i + 1] - weight[i], heavy[i + 1] - heavy[i]);
  }
}

// Ends as an impurity counts what lies left of them.
class CountedEnds {
 public:
  CountedEnds(const SpanEnds& ends, const Statistics& statistics) : view_(ends) {
    if (statistics.class_factors.empty()) return;
    const auto m = static_cast<std::size_t>(ends.m);
    left_.resize(statistics.base * ends.stride);
    totals_.assign(m, 0.0);
    for (std::size_t k = 0; k < statistics.base; ++k) {
      for (std::size_t i = 0; i < m; ++i) {
        const std::size_t at = k * ends.stride + i;
        totals_[i] += left_[at] = ends.left[at] * statistics.class_factors[k];
      }
    }
    view_.left = left_.data();
    view_.left_total = totals_.data();
  }
  CountedEnds(const CountedEnds&) = delete;
  CountedEnds& operator=(const CountedEnds&) = delete;
  const SpanEnds& view() const { return view_; }

 private:
  std::vector<double> left_, totals_;
  SpanEnds view_;
};

THRIFTREE_BY_CPU(double, largest, (const double* x, int m), (x, m)) {
  constexpr int lanes = 8;  // independent maxima, so that the loop becomes vector code
  double most[lanes];
  for (double& one : most) one = x[0];
  int i = 0;
  for (; i + lanes <= m; i += lanes) {
    for (int j = 0; j < lanes; ++j) most[j] = x[i + j] > most[j] ? x[i + j] : most[j];
  }
  for (; i < m; ++i) most[0] = x[i] > most[0] ? x[i] : most[0];
  return *std::max_element(most, most + lanes);
}

}  // namespace

const ThresholdBound* Enhanced::bound() const {
  if (for_numbers()) return nullptr;
  return trade_off_ == 0 || impurity().bound() ? this : nullptr;
}

void Enhanced::look(const NodeSums& node, const SpanEnds& ends, double enough, double* q,
                    double* upper) const {
  const InnerSums inner(node, statistics(), false);
  const CountedEnds counted_ends(ends, statistics());
  if (is_plain()) return impurity().bound()->look(inner.view(), counted_ends.view(), enough, q, upper);
  const int m = ends.m;
  const auto counts = object_counts(node.sums, statistics());
  const double* counted = ends.left + (statistics().counts ? statistics().counts_at() * ends.stride : 0);
  const EndPairs pairs(counted, ends.stride, m, counts);
  const EnhancedRates rates = this->rates(node);
  EndColumns left{pairs.objects.data(),
                  pairs.left.data(),
                  pairs.right.data(),
                  ends.left_total,
                  nullptr,
                  nullptr,
                  nullptr,
                  weights_.all_heavy ? 1.0 : 0.0,
                  rates.weight > 0 ? rates.terms / rates.weight : 0.0};
  EndValues none;
  if (!weights_.unit) {
    const auto sums_at = [&](std::size_t k) { return ends.left + k * ends.stride; };
    const bool terms = statistics().heavy_terms;
    if (!terms) none.fill(0.0);
    left.heavy = !terms                      ? none.data()
                 : statistics().heavy_weight ? sums_at(statistics().heavy_weight_at())
                                             : ends.left_total;
    left.terms = terms ? sums_at(statistics().heavy_terms_at()) : none.data();
    left.dominant = terms ? sums_at(statistics().dominant_at()) : none.data();
  }
  EndValues efficient_left, efficient_right;
  const auto look_at_ends = weights_.unit ? look_at_ends_of_unit : look_at_ends_of_any;
  look_at_ends(rates, left, m, efficient_left.data(), efficient_right.data(), q);
  look_inside(rates, left, m, efficient_left.data(), efficient_right.data(), upper);
  if (trade_off_ > 0 && m > 1) {
    const double factor = trade_off_ * scale_;
    EndValues of_impurity, most_of_impurity;
    const double rest = largest(upper, m - 1);
    impurity().bound()->look(inner.view(), counted_ends.view(), (enough - rest) / factor, of_impurity.data(),
                             most_of_impurity.data());
    for (std::size_t i = 0; i < static_cast<std::size_t>(m); ++i) q[i] += factor * of_impurity[i];
    for (std::size_t i = 0; i + 1 < static_cast<std::size_t>(m); ++i)
      upper[i] += factor * most_of_impurity[i];
  }
}

}  // namespace thriftree
