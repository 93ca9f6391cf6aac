// Targets whose objects weigh alike, differently, or very differently.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "table/target.hpp"

namespace thriftree::testing {

// How the objects of a test weigh. One giant weighs more than all the others.
enum class Weights { unit, small_whole, any, one_giant };

// Without classes: numbers in three bins.
inline Target random_target(std::mt19937& random, std::size_t n, std::int32_t n_classes, Weights weights) {
  std::vector<double> weight;
  for (std::size_t i = 0; i < n && weights != Weights::unit; ++i) {
    const double any = std::pow(10.0, static_cast<double>(random() % 4000) / 1000 - 4);
    weight.push_back(weights == Weights::small_whole ? static_cast<double>(1 + random() % 9) : any);
  }
  if (weights == Weights::one_giant) weight[n / 2] = 1e3 * static_cast<double>(n);
  std::vector<std::int32_t> labels;
  std::vector<double> y;
  for (std::size_t i = 0; i < n; ++i) {
    labels.push_back(
        static_cast<std::int32_t>(random() % static_cast<unsigned>(n_classes > 0 ? n_classes : 3)));
    y.push_back(static_cast<double>(labels.back()) + static_cast<double>(random() % 100) / 300);
  }
  if (n_classes > 0) return make_class_target(labels.data(), n, n_classes, weight, {}, {});
  Target target = make_number_target(y.data(), n, weight);
  target.n_bins = 3;
  target.labels.assign(labels.begin(), labels.end());
  return target;
}

// Exact, in the 64 bits of a long double.
inline long double weight_of(const Target& target, std::size_t row) {
  return target.weighted() ? static_cast<long double>(target.growth[row]) * target.growth_unit : 1;
}

}  // namespace thriftree::testing
