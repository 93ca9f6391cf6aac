// What leaves cost where the target is a number: the squared error around the leaf's mean. A group of equal
// rows has two whole numbers, its weight W and its sum S of weight x target; what its rows cost around their
// own mean every tree pays, and it is not counted here. A tree then costs
//     sum over groups of S^2 / W  -  sum over leaves of (sum of S)^2 / (sum of W),
// and the second part, what the leaves gain, is all that depends on the tree. It is rounded down, leaf by
// leaf, to a whole number of units: a function of two exact sums, so neither order, threads nor CPU can
// change a tie.
//
// Bounds need costs that are never negative and fall when rows go, whatever is rounded. So the first part is
// rounded up, by two to three units a group: a leaf of some groups costs at least one unit, and one group
// less saves more than the rounding of a gain, which is one unit at most. What a group can cost is rounded
// up, too.
#pragma once

#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "search/problem.hpp"

namespace thriftree {

struct NodeBits;

// The gain of a leaf, in units. S^2 has 53 digits and loses the others, the same everywhere.
inline double number_gain(double sum, double weight, double unit) {
  return weight > 0 ? std::floor(sum * sum / weight * unit) : 0.0;
}

class NumberLeaves {
 public:
  // Checks what is said of numbers (BadInput); `group` has the group of each row.
  NumberLeaves(const SearchProblem& problem, const SearchOptions& options,
               std::span<const std::uint32_t> group, std::size_t n_groups);

  // The cost of the node as a leaf.
  std::int64_t leaf_cost(const NodeBits& node) const;
  // What the entries that answer columns a and b with 1 can cost at most.
  std::int64_t shared_top(const NodeBits& node, std::size_t a, std::size_t b) const;
  // Whether all entries have the same mean, so that nothing is left to divide.
  bool is_pure(const NodeBits& node) const;
  // Whether both sides of the column can cost `least_top`, and have the rows and weight of a leaf.
  bool may_divide(const NodeBits& node, std::size_t c, std::int64_t least_top) const;

  // Of each group, in whole numbers below 2^52, as their sums are.
  std::vector<double> sum, weight, rows;
  std::vector<double> cost;  // S^2 / W in units, rounded up
  std::vector<double> top;   // what its rows can add to the cost of any leaf, in units
  double unit = 1;
  double min_rows = 0, min_weight = 0;        // of a leaf; 0: any
  std::int64_t all_costs = 0;                 // the sum of `cost`
  std::int64_t all_sums = 0, all_weight = 0;  // of rows: no sum of groups is larger in magnitude

 private:
  double least_top_ = 0, least_weight_ = 0;  // of any group
};

// What a leaf of these rows gains, as a cost: 0 or less.
std::int64_t number_cost(const SearchProblem& problem, const std::vector<std::uint32_t>& rows);
// Not above the cost of any tree, whose gains are costs below 0.
double least_number_cost(const SearchProblem& problem);

}  // namespace thriftree
