// Narrow columns, counted: per code and class, how many rows (or how much weight) a node has.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "grow/sums.hpp"
#include "table/table.hpp"
#include "table/target.hpp"

namespace thriftree {

// The codes of the columns that histograms count, side by side: column j's code c is slot offset[j] + c. The
// padding of blocks and columns kept as bits go to a dummy at the end: it may take any byte.
struct Slots {
  Slots(const Table& table, const Target& target);
  std::vector<std::uint32_t> offset;  // per table column
  std::vector<std::uint32_t> blocks;  // blocks that have such columns
  std::uint32_t dummy = 0;
  std::uint32_t n = 0;          // slots in all, the dummy's included
  std::uint32_t n_columns = 0;  // columns counted
};

// Sums of one node. Which arrays are filled follows from the target:
//   classes of unit weight: rows[k * n + slot];  weighted classes: rows[slot], weights[k * n + slot];
//   numbers: rows[slot], moments[slot], and weights[slot] if weighted.
struct Histogram {
  std::vector<std::uint32_t> rows;
  std::vector<std::int64_t> weights;
  std::vector<int128> moments;

  void allocate(const Target& target, std::uint32_t n_slots);
  bool empty() const { return rows.empty(); }
  void add(const Histogram& other);
  void subtract(const Histogram& other);
  static std::size_t bytes_for(const Target& target, std::uint32_t n_slots);
};

// A node's rows: positions in the row order, and for classes where each class begins (rows of a node are
// sorted by class, so counting needs no label).
struct NodeRows {
  const std::uint32_t* rows = nullptr;
  std::span<const std::uint32_t> class_begin;  // n_classes + 1 offsets; numbers: {0, n}
};

// Adds the share [from, to) of the node's rows, all columns of one block, to a histogram.
void count_block(const Table& table, const Target& target, const Slots& slots, std::uint32_t block,
                 const NodeRows& node, std::size_t from, std::size_t to, Histogram& out);

// One narrow column's runs, from a histogram.
void runs_from_histogram(const Histogram& histogram, const Target& target, const Slots& slots,
                         const Table& table, std::uint32_t column, ColumnRuns& out);

// One narrow column's runs, counted on the spot: cheaper where a node has fewer rows than codes.
class SmallCounter {
 public:
  explicit SmallCounter(const Target& target);
  void runs(const Table& table, const Target& target, std::uint32_t column, const NodeRows& node,
            ColumnRuns& out);

 private:
  // Zero between calls; index code, and class * 256 + code.
  std::vector<std::uint32_t> rows_;
  std::vector<std::int64_t> weights_;
  std::vector<int128> moments_;
};

}  // namespace thriftree
