// What a threshold inside a span of values takes of the entropy at most.
#pragma once

#include "criterion/threshold_bound.hpp"

namespace thriftree {

// With f(x) = x log2 x, n * decrease is h = base + sum F_k(L_k) + G(l), F_k(x) = f(x) + f(N_k - x) convex and
// G(l) = -f(l) - f(n - l) concave. Inside a span, with a_k <= L_k <= a_k + H_k, F_k lies below its chord of
// slope s_k and G below its tangents at both ends, of slopes g0 and g1. So h is at most
//   h0 + sum H_k max(0, s_k + g0),  h1 + sum H_k max(0, -s_k - g1),
// and, by the mean of both tangents, (h0 + h1) / 2 + sum H_k max(s_k + g0, -s_k - g1) / 2.
// First of all a bound that needs no logarithms, for columns that say little: a branch of weight w gains
// w * KL(its shares | the node's shares p), and KL <= chi^2 / ln 2 and KL <= -log2(min p). With d_k = L_k -
// p_k l, w * chi^2 is sum d_k^2 / (p_k w), and d_k lies between its values at opposite corners of the box.
// Two classes: h is convex, so largest at a corner of the box; there F_k is known, and G below both tangents.
class EntropyBound final : public ThresholdBound {
 public:
  void look(const NodeSums& node, const SpanEnds& ends, double enough, double* q,
            double* upper) const override;
  std::optional<SquareBound> from_afar(const NodeSums& node) const override;
};

}  // namespace thriftree
