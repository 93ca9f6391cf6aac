// What a threshold inside a span of values takes of the squared error at most.
#pragma once

#include "criterion/threshold_bound.hpp"

namespace thriftree {

// With W the weight and S the sum of w * y on the left, n * decrease is convex in (W, S). Part of a span has
// weight t <= m and sum s with low * t <= s <= high * t, and so has the rest of it: a parallelogram between
// the span's ends. Convex, so largest at a corner: an end, or where all that is part of it has the highest y
// and the rest the lowest, or the other way round.
class SquaredErrorBound final : public ThresholdBound {
 public:
  void look(const NodeSums& node, const SpanEnds& ends, double enough, double* q,
            double* upper) const override;
  std::optional<SquareBound> from_afar(const NodeSums& node) const override;
};

}  // namespace thriftree
