// The analysis of variance of many variables at a node, from the weight of each class at each value.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace thriftree {

// Variables one after the other: the values of the i-th are from begin[i] up to begin[i + 1], or to the last.
struct ValueTables {
  std::span<const double> values;       // ascending within a variable, from 0 to 1
  std::span<const double> counts;       // [value * n_classes + class]: weight
  std::span<const std::int64_t> begin;  // ascending, at least one value for each variable
  std::size_t n_classes;
};

// Of each variable.
struct VarianceParts {
  std::vector<double> weight;  // [variable * n_classes + class]
  std::vector<double> between,
      within;  // sums of squares: of the class means, and of the values within classes
};

// Of the values, or of their absolute distances from the mean of their class (Levene's test). Sums are made
// as numpy makes them, in the same order, so that results are those of the formulas written in numpy.
VarianceParts variance_parts(const ValueTables& tables, bool of_distances);

}  // namespace thriftree
