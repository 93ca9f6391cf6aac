// Columns kept sorted: for each, the rows of a node in order of the column's values. Wide columns are sorted
// at the root and stay so in every node, columns of spans from small nodes on. A node owns the same positions
// [begin, end) in every column.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "rows/histogram.hpp"
#include "rows/row_stream.hpp"
#include "rows/sums.hpp"
#include "run/team.hpp"
#include "table/table.hpp"
#include "table/target.hpp"

namespace thriftree {

// How the rows of the nodes now being divided move. Rows of different nodes are disjoint, so one map serves a
// batch.
struct RowMoves {
  std::vector<std::uint64_t> right;   // two branches: bit r is set if row r goes to branch 1
  std::vector<std::uint32_t> branch;  // more branches: branch of row r; filled only when needed
};

class Presorted {
 public:
  virtual ~Presorted() = default;
  // Is the column sorted at every node? Else at those below a `sort_here`, if at any.
  virtual bool holds(std::uint32_t column) const = 0;
  // Before the first `sort_here`, from the calling thread.
  virtual void make_room() = 0;
  // What that takes.
  virtual std::size_t bytes_of_room() const = 0;
  // Sorts the rows of one node, which owns the positions from `begin` on, by a column of spans. values[i] is
  // that of rows[i], NaN where it is missing.
  virtual void sort_here(std::uint32_t column, std::size_t begin, std::span<const std::uint32_t> rows,
                         const double* values, int worker) = 0;
  // Back to the order of the root.
  virtual void reset(Team& team) = 0;
  virtual RowStream stream(std::uint32_t column, std::size_t begin, std::size_t end) const = 0;
  // `terms` is by row, see Statistics.
  virtual void runs(std::uint32_t column, std::size_t begin, std::size_t end, const Counting& counting,
                    const std::vector<std::int64_t>& terms, ColumnRuns& out) const = 0;
  // Moves the entries of positions [begin, ends.back()) to their branch; ends[v] is where branch v ends
  // afterwards.
  virtual void divide(std::uint32_t column, std::size_t begin, std::span<const std::size_t> ends,
                      const RowMoves& moves, int worker) = 0;
};

// Null if the table has neither a wide column nor one of spans.
std::unique_ptr<Presorted> make_presorted(const Table& table, const Target& target, Control& control,
                                          Team& team);

}  // namespace thriftree
