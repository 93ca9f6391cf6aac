// Moving a node's rows to its branches.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "rows/bit_columns.hpp"
#include "rows/partition.hpp"
#include "rows/presorted.hpp"
#include "table/table.hpp"

namespace thriftree {

// Rows of a node lie apart in memory: codes are asked for this many rows early.
inline constexpr std::size_t kRowsAhead = 24;

// The rows of one node, sorted by class, and where they go.
struct RowDivision {
  std::uint32_t* rows = nullptr;                    // rearranged: branch 0 first, each branch sorted by class
  const std::vector<std::uint32_t>* class_begin{};  // of the node, relative to `rows`
  BitMoves* bit_moves = nullptr;                    // filled unless null
  // Filled: per branch, where each class begins, relative to the branch's first row.
  std::vector<std::vector<std::uint32_t>> branch_class_begin;
};

// `exact`: the values behind codes, where the table itself has none.
// Also notes each row's branch in `moves` unless it is null; `shared`: other threads note theirs at the same
// time.
void divide_rows(const Table& table, const Partition& partition, RowMoves* moves, bool shared,
                 std::vector<std::uint32_t>& scratch, RowDivision& division,
                 const ExactValues* exact = nullptr);

}  // namespace thriftree
