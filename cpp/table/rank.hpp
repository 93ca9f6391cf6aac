// Exact codes of a many-valued column: its rows in sorted order, equal values sharing a code.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace thriftree {

// One worker's buffers, kept from column to column. An item is a 32-bit sort key above a 32-bit row number.
struct RankScratch {
  std::vector<std::uint64_t> items, spare;
  std::vector<std::uint64_t> distinct;  // sort keys of the distinct values so far, ascending
  std::vector<std::uint64_t> keys;      // float64 columns only

  static std::size_t bytes(std::size_t n_rows, bool any_double) { return n_rows * (any_double ? 32 : 24); }
};

struct Ranks {
  std::vector<double> values;  // distinct, ascending; the first and last may be infinite (the caller checks)
  bool has_missing = false;    // if so, the missing rows have code values.size()

  bool finite() const {
    return values.empty() || (std::isfinite(values.front()) && std::isfinite(values.back()));
  }
};

// Replaces the sort keys of a float32 column in `keys` by codes, and writes the n rows in order to `sorted`
// as Table::sorted has them. `poll` is called every few million rows at most.
Ranks rank_floats(std::uint32_t* keys, std::uint32_t* sorted, std::size_t n, RankScratch& scratch,
                  const std::function<void()>& poll);

// The same for a float64 column whose sort keys are in scratch.keys.
Ranks rank_doubles(std::uint32_t* codes, std::uint32_t* sorted, std::size_t n, RankScratch& scratch,
                   const std::function<void()>& poll);

}  // namespace thriftree
