// The best single split of a node's rows, by plain passes over each column.
#pragma once

#include <cstdint>
#include <vector>

#include "run/team.hpp"
#include "search/sweep_rows.hpp"

namespace thriftree {

// A test and what the best tree with it at the root costs. Of equal ones the smallest column, then cut,
// counts.
struct SweepTest {
  std::int64_t cost = kNoSweep;  // kNoSweep: there is no such test
  std::int32_t column = -1, cut = 0;
};

struct SplitScan {
  SweepTest best;                       // of the splits whose two leaves are large enough
  std::vector<std::int64_t> free_cost;  // per column of the node: the least cost, whatever the leaves' sizes
};

// The same of one column.
struct ColumnSplit {
  SweepTest best;
  std::int64_t free_cost = kNoSweep;
};
ColumnSplit scan_column(const SweepTable& table, const SweepRows& rows, const SweepOptions& options,
                        std::size_t column_index);

void scan_splits(const SweepTable& table, const SweepRows& rows, const SweepOptions& options,
                 SplitScan& found, Team* team = nullptr);

// Whether so many rows of this weight may be a leaf.
inline bool is_large_enough(const SweepOptions& options, std::size_t n_rows, std::int64_t weight) {
  return static_cast<std::int64_t>(n_rows) >= options.min_leaf && weight >= options.min_leaf_weight;
}

}  // namespace thriftree
