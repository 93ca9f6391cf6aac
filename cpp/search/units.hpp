// The objective as one integer: cost and leaves, without rounding that depends on the order of sums.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

namespace thriftree {

// cost << shift + leaves * leaf. Sums and comparisons are exact, so neither threads nor bounds can change a
// tie.
using SearchValue = std::int64_t;
constexpr SearchValue kNoTree = std::numeric_limits<SearchValue>::max() / 4;  // two of them can be added

class SearchUnits {
 public:
  SearchUnits() = default;
  // `most_cost` is that of any tree, `most_leaves` that of any tree within the limits.
  SearchUnits(double leaf_penalty, std::int64_t most_cost, std::int64_t most_leaves);

  SearchValue of_cost(std::int64_t cost) const { return cost << shift_; }
  SearchValue leaf() const { return leaf_; }
  std::int64_t most_cost() const { return most_cost_; }
  // The least cost that is worth a leaf.
  std::int64_t cost_of_leaf() const { return ((leaf_ - 1) >> shift_) + 1; }
  // What the penalties of a tree's leaves may be off by, in units of cost.
  double leaf_rounding() const { return std::ldexp(static_cast<double>(most_leaves_), -shift_); }
  // Not above the objective of any tree of the class whose values are all at least `value`.
  double lower_bound(SearchValue value) const;

 private:
  int shift_ = 0;
  // The penalty of a leaf, rounded down to 2^-shift, plus one 2^-shift: of equal objectives fewer leaves win.
  SearchValue leaf_ = 1;
  std::int64_t most_leaves_ = 1;
  std::int64_t most_cost_ = 0;  // of any tree
};

}  // namespace thriftree
