// Narrow columns, counted: per code and class, how many rows (or how much weight) a node has.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "criterion/statistics.hpp"
#include "rows/sums.hpp"
#include "run/huge_pages.hpp"
#include "table/table.hpp"
#include "table/target.hpp"

namespace thriftree {

// The codes of the columns that histograms count, side by side: column j's code c is slot offset[j] + c. The
// padding of blocks and columns kept as bits go to a dummy at the end: it may take any byte.
struct Slots {
  static constexpr std::uint32_t even_slots = 256;  // of each column, where a block has these

  // `with_bits`: two-valued columns that can be kept as bits are counted here, too.
  Slots(const Table& table, const Target& target, bool with_bits = false);
  std::vector<std::uint32_t> offset;  // per table column
  std::vector<std::uint32_t> blocks;  // blocks that have such columns
  std::vector<bool> two_valued;       // per block of the table: every column in it has at most two codes
  // Per block: its columns have many codes each, and byte j of a chunk has the even_slots from j * even_slots
  // on, padding included: then a code is counted without looking up where its column begins.
  std::vector<bool> even;
  std::uint32_t dummy = 0;
  std::uint32_t n = 0;          // slots in all, the dummy's included
  std::uint32_t n_columns = 0;  // columns counted
};

// One row of numbers.
struct NumberOfRow {
  std::int64_t moment;
  std::uint64_t steps;  // of its square, * 2^32 + 1, see NumberSums
  std::int64_t square;
  double value;  // this and the rest as in Target: what is read together lies together
};

// Numbers in one slot: a vector of four, so that one addition counts a row in a column.
struct NumberSums {
  std::uint64_t low = 0, high = 0;  // of moments, each as high * 2^32 + low
  std::uint64_t squares = 0;        // steps * 2^32 + rows, see Counting::square_step
  std::int64_t weight = 0;          // where rows have one; else 0

  std::uint32_t rows() const { return static_cast<std::uint32_t>(squares); }
  std::uint32_t steps() const { return static_cast<std::uint32_t>(squares >> 32); }
  int128 moment() const { return (int128{static_cast<std::int64_t>(high)} << 32) + low; }
  bool operator==(const NumberSums&) const = default;
};

// What is counted of every slot.
struct Counting {
  // `rows_matter`: somebody asks how many rows a code has; else where they have weights, only these count.
  Counting(const Target& target, const Statistics& statistics, bool rows_matter = true);
  const Target& target;
  const Statistics& statistics;
  // Rows are counted by class or bin, or (1) all together, or (0) with the weights, or not at all.
  std::size_t row_groups;
  std::size_t weight_groups;  // weights by class, or (0) not at all: they are the rows, or of numbers
  bool moments;
  // Weights of classes that are small whole numbers, of whatever unit, are summed together with the rows they
  // are of: weight * 2^32 + 1. Then there are no counts of rows beside them, and row_groups is 0.
  std::vector<std::int64_t> packed;
  double packed_unit = 1;
  int packed_zeros = 0;  // weights are packed without so many zeros that all of them end with
  // Numbers: what each row adds to a slot. Squares, w * y^2 in units of square_step, are rounded up, and all
  // together they fit: bounds of spans ask for them, and need no more digits.
  std::vector<NumberOfRow, HugePages<NumberOfRow>> numbers;
  double square_step = 0;  // 0: nobody asks for squares
  void count_squares();

  bool rows_counted() const { return row_groups > 0 || moments || !packed.empty(); }
  // Only counts of rows by class, which are also the weights.
  bool plain_counts() const {
    return target.n_classes > 0 && !target.weighted() && statistics.width() == statistics.base &&
           !statistics.members;
  }

 private:
  void pack();
};

// What one row of numbers adds.
inline NumberSums sums_of(const Counting& counting, std::size_t row) {
  const NumberOfRow& of_row = counting.numbers[row];
  NumberSums sums;
  sums.low = static_cast<std::uint32_t>(of_row.moment);
  sums.high = static_cast<std::uint64_t>(of_row.moment >> 32);
  sums.squares = of_row.steps;
  if (counting.target.weighted()) sums.weight = counting.target.growth[row];
  return sums;
}

// Sums of one node, group after group: group k's slot is at k * n + slot.
struct Histogram {
  std::vector<std::uint32_t> rows;
  std::vector<std::int64_t> weights;
  std::vector<NumberSums> numbers;  // then weights and (but for those by bin) rows are in there
  // Counted anew at every node, see Statistics: never subtracted.
  std::vector<std::int64_t> heavy, terms;
  std::vector<std::uint32_t> members;

  void allocate(const Counting& counting, std::uint32_t n_slots);
  bool empty() const { return rows.empty() && weights.empty() && numbers.empty(); }
  void add(const Histogram& other);
  void subtract(const Histogram& other);
  void clear_recounted(const Counting& counting, std::uint32_t n_slots);
  static std::size_t bytes_for(const Counting& counting, std::uint32_t n_slots);
};

// A node's rows: positions in the row order, and for classes where each class begins (rows of a node are
// sorted by class, so counting needs no label).
struct NodeRows {
  const std::uint32_t* rows = nullptr;
  std::span<const std::uint32_t> class_begin;  // n_classes + 1 offsets; numbers: {0, n}
};

// Adds the share [from, to) of the node's rows, all columns of one block, to a histogram.
void count_block(const Table& table, const Counting& counting, const Slots& slots, std::uint32_t block,
                 const NodeRows& node, std::size_t from, std::size_t to, Histogram& out);
// The same for the sums that are counted anew, of all rows, or where some rows have none, of those that have;
// `terms` is by row.
void recount_block(const Table& table, const Counting& counting, const Slots& slots, std::uint32_t block,
                   std::span<const std::uint32_t> rows, std::span<const std::uint32_t> heavy_rows,
                   const std::vector<std::int64_t>& terms, Histogram& out);

// One narrow column's runs, from a histogram.
void runs_from_histogram(const Histogram& histogram, const Counting& counting, const Slots& slots,
                         const Table& table, std::uint32_t column, ColumnRuns& out);

// The sums of one code, row by row: for columns whose rows come in order of their codes.
class OneSlot {
 public:
  OneSlot(const Counting& counting, const std::vector<std::int64_t>& terms);
  void add(std::size_t row);
  // Appends what was added as a run, and starts anew.
  void append_run(std::uint32_t code, ColumnRuns& out);

 private:
  const Counting& counting_;
  const std::vector<std::int64_t>& terms_;
  Histogram sums_;
};

// One narrow column's runs, counted on the spot: cheaper where a node has fewer rows than codes.
class SmallCounter {
 public:
  explicit SmallCounter(const Counting& counting);
  void runs(const Table& table, const Counting& counting, std::uint32_t column, const NodeRows& node,
            const std::vector<std::int64_t>& terms, ColumnRuns& out);

  // The same in three steps: counts a column, and says which codes were seen; shows the counts, code c of
  // group k at k * 256 + c; forgets them.
  std::array<std::uint64_t, 4> count(const Table& table, const Counting& counting, std::uint32_t column,
                                     const NodeRows& node, const std::vector<std::int64_t>& terms);
  const Histogram& counted() const { return sums_; }
  void clear(const std::array<std::uint64_t, 4>& seen);

 private:
  // The runs of classes of unit weight, whose counts are then forgotten.
  void move_plain_runs(const std::array<std::uint64_t, 4>& seen, std::size_t n_classes, ColumnRuns& out);

  Histogram sums_;  // 256 slots, zero between calls
};

}  // namespace thriftree
