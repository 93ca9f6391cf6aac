// What is known of a node, and of one column at a node: sums only, never rows.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "criterion/criterion.hpp"

namespace thriftree {

struct NodeTotals {
  std::int64_t rows = 0;
  std::int64_t objects = 0;  // equals rows where objects are off
  double weight = 0;         // sum of sample_weight
  double total = 0;          // sum of growth weight (sample_weight * class_weight)
  // Growth weight per class; for numbers {total, sum of w*y, sum of w*y^2}, y centred as in Target.
  std::vector<double> sums;
  bool pure = false;  // one class, or one value of the target

  NodeSums view() const { return {sums, total}; }
};

// A column's sums at a node: one run per code that occurs there, in code order; the missing code, if it occurs, is last.
struct ColumnRuns {
  std::vector<std::uint32_t> codes;
  std::vector<std::int64_t> rows;
  std::vector<double> sums;    // codes.size() * width
  std::vector<double> totals;  // growth weight per code

  void clear() {
    codes.clear();
    rows.clear();
    sums.clear();
    totals.clear();
  }
};

// The rows of a node in order of one column's codes, read a batch at a time; rows where it is missing come last.
// For columns with many codes this is the cheaper walk over the same sums.
class RowStream {
 public:
  struct Rows {
    std::uint16_t label[kBatch];
    double weight[kBatch];
    double moment[kBatch];
    std::int64_t exact_weight[kBatch];  // weight and moment in fixed point, see Target
    std::int64_t exact_moment[kBatch];
    std::uint8_t boundary[kBatch];  // 1 if the next row has another code
  };
  virtual ~RowStream() = default;
  virtual std::size_t n_known() const = 0;    // rows whose value is known
  virtual std::size_t n_missing() const = 0;  // rows after them
  virtual bool weighted() const = 0;          // else weight and exact_weight are not filled: every row weighs 1
  virtual double weight_unit() const = 0;     // of exact_weight
  virtual double moment_unit() const = 0;     // of exact_moment
  virtual void read(std::size_t begin, int m, Rows& out) const = 0;
  virtual std::uint32_t code_at(std::size_t position) const = 0;
};

}  // namespace thriftree
