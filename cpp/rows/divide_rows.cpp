#include "rows/divide_rows.hpp"

#include <algorithm>
#include <atomic>

#include "table/exact_values.hpp"

namespace thriftree {

namespace {

void note_side(std::vector<std::uint64_t>& bits, std::size_t row, bool right, bool shared) {
  const std::uint64_t mask = std::uint64_t{1} << (row & 63);
  std::uint64_t& word = bits[row >> 6];
  if (!shared) {
    word = right ? word | mask : word & ~mask;
    return;
  }
  std::atomic_ref<std::uint64_t> atomic(word);
  if (right) {
    atomic.fetch_or(mask, std::memory_order_relaxed);
  } else {
    atomic.fetch_and(~mask, std::memory_order_relaxed);
  }
}

// The branch of a row, by its code in a byte of a block.
struct ByByte {
  const std::uint8_t* codes;
  std::size_t stride;
  const std::int32_t* branches;  // by code
  std::int32_t operator()(std::uint32_t row) const { return branches[codes[row * stride]]; }
  void fetch(std::uint32_t row) const { __builtin_prefetch(codes + row * stride); }
};

// By the code of a span; rows in the span that the threshold lies in, by their exact value.
struct BySpan {
  static constexpr std::int32_t kByValue = 2;
  ByByte by_code;
  const ColumnSource& source;
  const std::uint32_t* exact_rows;  // null: the same rows
  double low;                       // the largest value that goes to branch `lower`
  std::int32_t lower, upper;
  std::int32_t operator()(std::uint32_t row) const {
    const std::int32_t branch = by_code(row);
    if (branch != kByValue) return branch;
    return read_number(source, exact_rows ? exact_rows[row] : row) <= low ? lower : upper;
  }
  void fetch(std::uint32_t row) const { by_code.fetch(row); }
};

// By a wide code, which lies on one side of a cut or is missing.
struct ByCut {
  const std::uint32_t* codes;
  std::uint32_t last, missing_code;
  std::int32_t low, high, missing;
  std::int32_t operator()(std::uint32_t row) const {
    return codes[row] == missing_code ? missing : (codes[row] <= last ? low : high);
  }
  void fetch(std::uint32_t row) const { __builtin_prefetch(codes + row); }
};

// By a wide code, whatever the partition says of it.
template <class BranchOfCode>
struct ByCode {
  const std::uint32_t* codes;
  const BranchOfCode& branch_of_code;
  std::int32_t operator()(std::uint32_t row) const { return branch_of_code(codes[row]); }
  void fetch(std::uint32_t row) const { __builtin_prefetch(codes + row); }
};

// branch_of(row) is 0 or 1. The left part is written in place: it never overtakes the reading.
template <class BranchOf>
void divide_in_two(const BranchOf& branch_of, RowMoves* moves, bool shared,
                   std::vector<std::uint32_t>& scratch, RowDivision& division) {
  const auto& class_begin = *division.class_begin;
  std::uint32_t* rows = division.rows;
  if (scratch.size() < class_begin.back()) scratch.resize(class_begin.back());
  std::uint32_t* right_rows = scratch.data();
  std::size_t left = 0, right = 0;
  std::uint64_t* right_bits = division.bit_moves ? division.bit_moves->branches[1].data() : nullptr;
  for (std::size_t k = 0; k + 1 < class_begin.size(); ++k) {
    for (std::size_t i = class_begin[k]; i < class_begin[k + 1]; ++i) {
      const std::uint32_t row = rows[i];
      if (i + kRowsAhead < class_begin.back()) branch_of.fetch(rows[i + kRowsAhead]);
      const bool goes_right = branch_of(row) == 1;
      rows[left] = row;
      right_rows[right] = row;
      left += !goes_right;
      right += goes_right;
      if (moves) note_side(moves->right, row, goes_right, shared);
      if (right_bits) right_bits[i >> 6] |= static_cast<std::uint64_t>(goes_right) << (i & 63);
    }
    division.branch_class_begin[0][k + 1] = static_cast<std::uint32_t>(left);
    division.branch_class_begin[1][k + 1] = static_cast<std::uint32_t>(right);
  }
  std::copy_n(right_rows, right, rows + left);
  if (!right_bits) return;
  auto& left_bits = division.bit_moves->branches[0];
  for (std::size_t i = 0; i < left_bits.size(); ++i) left_bits[i] = ~right_bits[i];
  const std::size_t n = class_begin.back();
  if (n & 63) left_bits.back() &= (std::uint64_t{1} << (n & 63)) - 1;
}

template <class BranchOf>
void divide_in_many(const BranchOf& branch_of, std::size_t n_branches, RowMoves* moves,
                    std::vector<std::uint32_t>& scratch, RowDivision& division) {
  const auto& class_begin = *division.class_begin;
  const std::size_t n = class_begin.back();
  std::vector<std::uint32_t> branch(n);
  std::vector<std::uint32_t> size(n_branches, 0);
  for (std::size_t k = 0; k + 1 < class_begin.size(); ++k) {
    for (std::size_t i = class_begin[k]; i < class_begin[k + 1]; ++i) {
      branch[i] = static_cast<std::uint32_t>(branch_of(division.rows[i]));
      ++size[branch[i]];
      if (moves) moves->branch[division.rows[i]] = branch[i];
      if (division.bit_moves) division.bit_moves->branches[branch[i]][i >> 6] |= std::uint64_t{1} << (i & 63);
    }
    for (std::size_t v = 0; v < n_branches; ++v) division.branch_class_begin[v][k + 1] = size[v];
  }
  std::vector<std::uint32_t> next(n_branches, 0);
  for (std::size_t v = 1; v < n_branches; ++v) next[v] = next[v - 1] + size[v - 1];
  if (scratch.size() < n) scratch.resize(n);
  for (std::size_t i = 0; i < n; ++i) scratch[next[branch[i]]++] = division.rows[i];
  std::copy_n(scratch.data(), n, division.rows);
}

}  // namespace

void divide_rows(const Table& table, const Partition& partition, RowMoves* moves, bool shared,
                 std::vector<std::uint32_t>& scratch, RowDivision& division, const ExactValues* exact) {
  const Column& column = table.columns[partition.column];
  const auto n_branches = static_cast<std::size_t>(partition.n_branches);
  division.branch_class_begin.assign(n_branches, std::vector<std::uint32_t>(division.class_begin->size(), 0));
  if (division.bit_moves) {
    division.bit_moves->n_rows = division.class_begin->back();
    division.bit_moves->branches.assign(n_branches,
                                        std::vector<std::uint64_t>((division.class_begin->back() + 63) / 64));
  }
  const auto divide = [&](const auto& branch_of) {
    if (n_branches == 2) {
      divide_in_two(branch_of, moves, shared, scratch, division);
    } else {
      divide_in_many(branch_of, n_branches, moves, scratch, division);
    }
  };
  // A code that the partition does not know does not occur at the node; it gets branch 0 to keep the look-up
  // total.
  const std::uint32_t missing_code = column.has_missing ? column.n_codes - 1 : UINT32_MAX;
  const auto branch_of_code = [&](std::uint32_t code) {
    return std::max(code == missing_code ? partition.missing : partition.branch_of(code), 0);
  };
  if (column.narrow) {
    std::vector<std::int32_t> branches(column.n_codes);
    for (std::uint32_t code = 0; code < column.n_codes; ++code) branches[code] = branch_of_code(code);
    const Block& block = table.blocks[column.block];
    const ByByte by_code{block.codes.data() + column.offset, block.stride, branches.data()};
    if (!partition.cut || partition.last[0] != partition.next[0]) return divide(by_code);
    branches[partition.last[0]] = BySpan::kByValue;
    return divide(BySpan{by_code, (exact ? *exact : *table.exact).source(partition.column),
                         table.exact_rows ? table.exact_rows->data() : nullptr, partition.cut->low,
                         partition.to[0], partition.to[1]});
  }
  const std::uint32_t* codes = table.wide[column.wide].data();
  if (partition.ordered && partition.last.size() == 1 && n_branches == 2) {
    return divide(ByCut{codes, partition.last[0], missing_code, partition.to[0], partition.to[1],
                        std::max(partition.missing, 0)});
  }
  divide(ByCode<decltype(branch_of_code)>{codes, branch_of_code});
}

}  // namespace thriftree
