// How mixed a node is, from its class weights.
#pragma once

#include <cmath>
#include <cstdint>
#include <span>

namespace thriftree {

enum class Impurity : std::uint8_t { gini, entropy, misclassification, squared_error };

// Of any of the class impurities; entropy in bits; 0 where there is no weight.
inline double class_impurity(Impurity kind, std::span<const double> class_weights) {
  double total = 0.0, largest = 0.0;
  for (const double w : class_weights) {
    total += w;
    largest = w > largest ? w : largest;
  }
  if (!(total > 0.0)) return 0.0;
  if (kind == Impurity::misclassification) return 1.0 - largest / total;
  double sum = 0.0;
  for (const double w : class_weights) {
    if (w <= 0.0) continue;
    const double p = w / total;
    sum += kind == Impurity::entropy ? -p * std::log2(p) : p * (1.0 - p);
  }
  return sum;
}

}  // namespace thriftree
