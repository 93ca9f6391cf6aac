// Two-valued columns, one bit a row: bits follow the order of the rows (nodes contiguous, each sorted by
// class), so counting is popcounts over stretches of bits, and a division packs each stretch anew.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "rows/sums.hpp"
#include "run/team.hpp"
#include "table/table.hpp"
#include "table/target.hpp"

namespace thriftree {

// How one node's rows move: for each branch, a bit per row (in the node's old order) that is set if the row
// goes there.
struct BitMoves {
  std::size_t begin = 0, n_rows = 0;  // the node's positions
  std::vector<std::vector<std::uint64_t>>
      branches;  // (n_rows + 63) / 64 words each, zero beyond the last row
};

// Two-valued columns are kept as bits where rows need only be counted.
inline bool kept_as_bits(const Column& column, const Target& target) {
  return column.narrow && !column.spans && column.n_codes == 2 && target.n_classes > 0 &&
         !target.weighted() && target.multiplicity.empty();
}

class BitColumns {
 public:
  // `rows` is the order of the rows at the root.
  BitColumns(const Table& table, const Target& target, std::span<const std::uint32_t> rows, Control& control,
             Team& team);

  bool holds(std::uint32_t column) const { return place_[column] != kElsewhere; }
  std::span<const std::uint32_t> columns() const { return columns_; }

  void runs(std::uint32_t column, std::size_t begin, std::span<const std::uint32_t> class_begin,
            ColumnRuns& out) const;
  void divide(std::uint32_t column, std::span<const BitMoves> moves);
  // Back to the order of the root.
  void reset() { bits_ = root_; }

 private:
  static constexpr std::uint32_t kElsewhere = UINT32_MAX;

  std::vector<std::uint32_t> columns_;  // the table's columns held here
  std::vector<std::uint32_t> place_;    // per table column: index into bits_
  std::vector<std::vector<std::uint64_t>> bits_,
      root_;  // per column; one spare word, so that reading a word at any bit is safe
};

}  // namespace thriftree
