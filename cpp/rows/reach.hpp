// How much any threshold of a counted column may gain, from afar: most columns of a node need no closer look.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "criterion/square_bound.hpp"

namespace thriftree {

struct NumberSums;

// What any threshold of a column is looked at for.
struct AfarNode {
  SquareBound bound;
  double total = 0;    // weight of the node
  double least = 0;    // a branch that weighs less is not allowed
  double largest = 0;  // numbers: no |y| of the node is larger
};

// One column's sums by class, in whole numbers: code c of class k is counts[k * stride + c], and a number n
// in there weighs (n >> shift) * unit.
template <typename Count>
struct ClassCounts {
  const Count* counts;
  std::size_t stride;
  std::size_t n_known;  // codes, from 0 on
  bool has_missing;     // the code after these
  int shift;
  double unit;
};

// One column's sums of numbers, by code.
struct NumberCounts {
  const NumberSums* counts;
  std::size_t n_known;
  bool has_missing, weighted;
  double moment_unit, weight_unit, square_step;
};

// Columns of few codes, none of them for missing values, counted in rows that weigh 1 each: code c of class k
// is counts[k * stride + slot + c]. Up to `padding` counts after the last code are read, whatever they are.
struct EndColumn {
  std::uint32_t slot, n_codes;
};
struct EndCounts {
  static constexpr std::size_t most_codes = 32, padding = 7;
  const std::uint32_t* counts;
  std::size_t stride;
  std::vector<EndColumn> columns;
};
struct EndReach {
  double reach = 0;       // as below, of thresholds between codes
  bool constant = false;  // all rows of the node have one code
};

// Memory of a worker.
struct ReachScratch {
  std::vector<std::int32_t> counts;           // of a class, where they must be made smaller
  std::vector<float> before, total, squares;  // at the ends of codes, before[k * stride + end]
  // Numbers, at the ends of codes: weight, sum of w (y - mean), sum of its squares; and of each code the half
  // width of what the sum may be off the line between its ends.
  std::vector<double> weight, off, square, half;
  std::vector<EndReach> ends;
};

// By column; false where nothing can be said.
bool reach_of_ends(const EndCounts& counts, const AfarNode& node, ReachScratch& scratch,
                   std::vector<EndReach>& out);

// In the units of filters; no threshold inside or between codes gains more, missing values on either side.
// Minus infinity where none is allowed.
double reach_of(const ClassCounts<std::uint32_t>& counts, const AfarNode& node, ReachScratch& scratch);
double reach_of(const ClassCounts<std::int64_t>& counts, const AfarNode& node, ReachScratch& scratch);
double reach_of(const NumberCounts& counts, const AfarNode& node, ReachScratch& scratch);

}  // namespace thriftree
