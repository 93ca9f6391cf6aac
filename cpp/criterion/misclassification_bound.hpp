// What a threshold inside a span of values takes of the misclassified weight at most.
#pragma once

#include "criterion/threshold_bound.hpp"

namespace thriftree {

// n * decrease is h = max L_k + max R_k - max N_k, convex in the class weights on the left, so largest at a
// corner of their box: where one class has all of the span on the left and another all of it on the right.
class MisclassificationBound final : public ThresholdBound {
 public:
  void look(const NodeSums& node, const SpanEnds& ends, double enough, double* q,
            double* upper) const override;
};

}  // namespace thriftree
