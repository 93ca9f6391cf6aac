// What an impurity or a score can say of thresholds that nobody has looked at: how much they gain at most.
//
// A column's values are counted in spans. At the ends of spans all sums are known; between two ends they lie
// between those of the ends, since rows only ever join the left branch as a threshold rises.
#pragma once

#include <cstddef>
#include <optional>

#include "criterion/node_sums.hpp"
#include "criterion/square_bound.hpp"

namespace thriftree {

// Ends 0 .. m - 1 in the order of a column's values; between ends i and i + 1 lies span i.
struct SpanEnds {
  static constexpr std::size_t most = 257;  // ends
  int m = 0;
  // left[k * stride + i]: sum k of all that lies left of end i. Of classes no sum ever falls with i.
  const double* left = nullptr;
  std::size_t stride = 0;
  const double* left_total = nullptr;  // weight of all that lies left of end i
  double lowest = 0, highest = 0;      // numbers: between these lies every (centred) y at the node
  const double* squares = nullptr;     // numbers: at least the sum of w * y^2 in span i
};

// Both in the units of filters (node.total * decrease, or what the score says), and true within the
// filter_error of the impurity or score.
class ThresholdBound {
 public:
  virtual ~ThresholdBound() = default;
  // q[i], of m: what a threshold at end i gains; where it leaves a branch empty, what nothing gains. It may
  // be less where that is below `enough`.
  // upper[i], of m - 1: no threshold inside span i gains more. A bound that is below `enough` need not be
  // close.
  virtual void look(const NodeSums& node, const SpanEnds& ends, double enough, double* q,
                    double* upper) const = 0;
  // The same from afar, for classes whose weights are all that counts; none where there is no such bound.
  virtual std::optional<SquareBound> from_afar(const NodeSums&) const { return {}; }
};

}  // namespace thriftree
