// How mixed the rows at a node are, by the impurity that a tree reports.
#pragma once

#include <numeric>
#include <span>

#include "criterion/impurity.hpp"

namespace thriftree {

// 0 where there is no weight, which growing never sees but validation rows may.
inline double class_impurity(const Impurity& impurity, std::span<const double> class_weights) {
  const double total = std::accumulate(class_weights.begin(), class_weights.end(), 0.0);
  return total > 0.0 ? impurity.of({class_weights, total}) : 0.0;
}

}  // namespace thriftree
