// What is known of a node, and of one column at a node: sums only, never rows.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "criterion/node_sums.hpp"
#include "table/target.hpp"

namespace thriftree {

// What a tree stores of a node.
struct RowTotals {
  std::int64_t rows = 0;
  double weight = 0, total = 0;
  std::vector<double> sums;
};

struct NodeTotals {
  std::int64_t rows = 0;
  std::int64_t objects = 0;  // equals rows where objects are off
  double weight = 0;         // sum of sample_weight
  double total = 0;          // sum of growth weight (sample_weight * class_weight)
  // Growth weight per class; for numbers {total, sum of w*y, sum of w*y^2}, y centred as in Target.
  std::vector<double> sums;
  bool pure = false;                // one class, or one value of the target
  double lowest = 0, highest = 0;   // numbers: between these lies moment / weight of every row
  std::optional<RowTotals> behind;  // of the rows, where the node's rows stand for objects

  double pairs = -1;  // see NodeSums

  NodeSums view() const { return {sums, total, pairs}; }
};

// A column's sums at a node: one run per code that occurs there, in code order; the missing code, if it
// occurs, is last.
struct ColumnRuns {
  std::vector<std::uint32_t> codes;
  std::vector<std::int64_t> rows;
  std::vector<double> sums;    // codes.size() * width
  std::vector<double> totals;  // growth weight per code
  // The sums in fixed point, as many per code, where those of several codes are to be added so; else empty.
  std::vector<int128> exact = {};
  double exact_unit = 1, exact_moment_unit = 1;  // of weights, and of the second sum of numbers

  void clear() {
    exact.clear();
    codes.clear();
    rows.clear();
    sums.clear();
    totals.clear();
  }
};

}  // namespace thriftree
