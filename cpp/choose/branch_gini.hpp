// Gini impurity of branches, for choosers that choose by something else: what a split is worth to the loop.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "choose/pairwise_sum.hpp"

namespace thriftree {

// Gini impurity of these class weights, times their sum.
inline double gini_mass(std::span<const double> weight) {
  std::vector<double> squares(weight.begin(), weight.end());
  for (double& one : squares) one *= one;
  const double total = pairwise_sum(weight.data(), weight.size());
  return total - pairwise_sum(squares.data(), squares.size()) / total;
}

// What a split into branches of these class weights takes from the gini impurity of their node.
inline double gini_decrease(std::span<const std::vector<double>> branches) {
  std::vector<double> whole = branches[0];
  double left = 0;
  for (std::size_t v = 0; v < branches.size(); ++v) {
    left += gini_mass(branches[v]);
    for (std::size_t k = 0; v > 0 && k < whole.size(); ++k) whole[k] += branches[v][k];
  }
  return std::max(0.0, (gini_mass(whole) - left) / pairwise_sum(whole.data(), whole.size()));
}

}  // namespace thriftree
