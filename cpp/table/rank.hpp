// Exact codes of a many-valued column: its rows in sorted order, equal values sharing a code.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace thriftree {

struct KeyRow {
  std::uint32_t key;
  std::uint32_t row;
};

// One worker's buffers, kept from column to column.
struct RankScratch {
  std::vector<KeyRow> pairs, spare;
  std::vector<std::uint64_t> keys;  // float64 columns only

  static std::size_t bytes(std::size_t n_rows, bool any_double) { return n_rows * (any_double ? 24 : 16); }
};

struct Ranks {
  std::vector<double> values;  // distinct, ascending; the largest may be infinite (the caller checks)
  bool has_missing = false;    // if so, the missing rows have code values.size()
};

// Replaces the sort keys of a float32 column in `keys` by codes. `between_passes` is called every few million
// rows.
Ranks rank_floats(std::uint32_t* keys, std::size_t n, RankScratch& scratch,
                  const std::function<void()>& between_passes);

// Writes the codes of a float64 column whose sort keys are in scratch.keys.
Ranks rank_doubles(std::uint32_t* codes, std::size_t n, RankScratch& scratch,
                   const std::function<void()>& between_passes);

}  // namespace thriftree
