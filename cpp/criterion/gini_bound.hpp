// What a threshold inside a span of values takes of gini at most.
#pragma once

#include "criterion/threshold_bound.hpp"

namespace thriftree {

// n * decrease is h = sum L_k^2 / l + sum R_k^2 / r - sum N_k^2 / n, convex in the class weights L_k on the
// left. Inside a span these lie in a box whose lowest and highest corners are the span's ends.
//
// Two classes: h is largest at one of the four corners. More: with [lo_k, up_k] the range of dh/dL_k over the
// box and H_k its extent, going from either end to x and taking the mean of both gives
//   h(x) <= (h0 + h1) / 2 + sum H_k max(up_k, -lo_k) / 2,
// since a step t of H_k adds at most up_k t - lo_k (H_k - t), which is linear in t. As |dh/dL_k| <= 2, that
// is never more than (h0 + h1) / 2 + sum H_k, which is what `look` says.
//
// From afar: h is exactly sum d_k^2 / l + sum d_k^2 / r. With x the shares on one side of weight w and p
// those of the node, sum d_k^2 = w^2 sum (x_k - p_k)^2, which is largest where x is one class: 1 + sum p^2 -
// 2 min p.
class GiniBound final : public ThresholdBound {
 public:
  void look(const NodeSums& node, const SpanEnds& ends, double enough, double* q,
            double* upper) const override;
  std::optional<SquareBound> from_afar(const NodeSums& node) const override;
};

}  // namespace thriftree
