// The rows of a node in the order of every column, as the sweep walks through them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "run/team.hpp"
#include "search/sweep_objective.hpp"

namespace thriftree {

// A table of ranks with what its rows cost, as the caller gives it; checked, and with costs that have 0 for
// each row's best label.
class SweepTable {
 public:
  // `ranks` is column by column; `weights` may be empty: each row weighs 1. Both are borrowed.
  SweepTable(std::span<const std::int32_t> ranks, std::size_t n_rows, std::span<const std::int32_t> labels,
             std::span<const std::int64_t> weights, const SweepOptions& options);

  std::size_t n_rows, n_columns;
  std::int32_t n_classes;
  std::span<const std::int32_t> ranks, labels;
  std::span<const std::int64_t> weights;
  std::vector<std::int64_t> costs;  // [true × n_classes + predicted], the least of each true class is 0
  std::int64_t unavoidable = 0;     // what the rows cost at least, whatever is predicted: not in `costs`
  std::int64_t total = 0;           // the rows' largest costs, summed: below kNoSweep
  std::int64_t total_weight = 0;

  std::int64_t weight(std::size_t row) const { return weights.empty() ? 1 : weights[row]; }
  std::int32_t rank(std::size_t column, std::size_t row) const { return ranks[column * n_rows + row]; }
  std::int64_t cost(std::int32_t label, std::int32_t predicted) const {
    return costs[static_cast<std::size_t>(label * n_classes + predicted)];
  }
  // The most that a row of this class and weight 1 can cost.
  std::int64_t worst(std::int32_t label) const { return worst_[static_cast<std::size_t>(label)]; }

 private:
  std::vector<std::int64_t> worst_;
};

// Marks the last row of those that have the same rank: a cut may follow.
constexpr std::uint32_t kEndOfRank = std::uint32_t{1} << 31;
constexpr std::uint32_t kRowMask = kEndOfRank - 1;

struct SweepRows {
  std::vector<std::uint32_t> rows;       // of the table; the others speak of places in this vector
  std::vector<std::int32_t> labels;      // of each row
  std::vector<std::int64_t> weights;     // of each row; empty: each weighs 1
  std::vector<std::int32_t> columns;     // those of the table that are not constant here, ascending
  std::vector<std::uint32_t> orders;     // per column all places by rank, with kEndOfRank
  std::vector<std::int64_t> label_cost;  // per predicted label: what all rows cost together
  std::int64_t weight = 0;

  std::size_t size() const { return rows.size(); }
  std::int64_t weight_of(std::size_t place) const { return weights.empty() ? 1 : weights[place]; }
  std::span<const std::uint32_t> order(std::size_t column_index) const {
    return {orders.data() + column_index * rows.size(), rows.size()};
  }
};

// Bytes that SweepRows of so many rows take at most.
std::size_t bytes_of_rows(const SweepTable& table, std::size_t n_rows);

// On the team's threads, or one after the other where there is none.
template <class Task>
void for_each(Team* team, std::size_t n, Task&& task) {
  if (team && team->size() > 1) {
    team->run(n, [&](std::size_t i, int) { task(i); });
  } else {
    for (std::size_t i = 0; i < n; ++i) task(i);
  }
}

// All rows of the table.
SweepRows all_rows(const SweepTable& table, Team* team = nullptr);

// No part of a division.
constexpr std::uint8_t kNoPart = 255;

// The rows of `from` by the part that each is of, in one pass a column. The vectors of `parts` are used
// again.
void divide(const SweepTable& table, const SweepRows& from, std::span<const std::uint8_t> part_of,
            std::span<SweepRows> parts, Team* team = nullptr);

// Part 0 for each row of `rows` that goes left by this test, 1 for the others.
void mark_sides(const SweepTable& table, const SweepRows& rows, std::int32_t column, std::int32_t cut,
                std::vector<std::uint8_t>& marks);

// The cheapest label and what it costs; of equal ones the first.
struct SweepLeaf {
  std::int64_t cost = 0;
  std::int32_t label = 0;
};
SweepLeaf leaf_of(std::span<const std::int64_t> label_cost);

}  // namespace thriftree
