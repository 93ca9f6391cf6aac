#include "search/sweep_split.hpp"

#include <algorithm>

namespace thriftree {

namespace {

// Walks through one column; `cost_at()` is what the two leaves cost after the rows that were moved.
template <class Move, class CostAt>
ColumnSplit walk(const SweepTable& table, const SweepRows& rows, const SweepOptions& options,
                 std::size_t index, Move&& move, CostAt&& cost_at) {
  const auto order = rows.order(index);
  const bool keeps_leaves = options.min_leaf > 1 || options.min_leaf_weight > 0;
  std::int64_t weight = 0, best = kNoSweep;
  std::uint32_t best_place = 0;
  ColumnSplit found;
  for (std::size_t i = 0; i + 1 < order.size(); ++i) {
    const std::uint32_t place = order[i] & kRowMask;
    move(place);
    if (keeps_leaves) weight += rows.weight_of(place);
    if (!(order[i] & kEndOfRank)) continue;
    const std::int64_t cost = cost_at();
    found.free_cost = std::min(found.free_cost, cost);
    if (cost >= best) continue;
    if (keeps_leaves && !(is_large_enough(options, i + 1, weight) &&
                          is_large_enough(options, order.size() - i - 1, rows.weight - weight)))
      continue;
    best = cost, best_place = place;
  }
  const std::int32_t column = rows.columns[index];
  if (best < kNoSweep)
    found.best = {best, column, table.rank(static_cast<std::size_t>(column), rows.rows[best_place])};
  return found;
}

ColumnSplit scan_two_classes(const SweepTable& table, const SweepRows& rows, const SweepOptions& options,
                             std::size_t index) {
  const std::int64_t value[2] = {table.cost(0, 0) - table.cost(0, 1), table.cost(1, 0) - table.cost(1, 1)};
  const std::int64_t zero = rows.label_cost[0], one = rows.label_cost[1], leaf = std::min(zero, one);
  std::int64_t sum = 0;
  return walk(
      table, rows, options, index,
      [&](std::uint32_t place) { sum += value[rows.labels[place]] * rows.weight_of(place); },
      [&] { return std::min({one + sum, zero - sum, leaf}); });
}

ColumnSplit scan_classes(const SweepTable& table, const SweepRows& rows, const SweepOptions& options,
                         std::size_t index) {
  const auto k = static_cast<std::size_t>(table.n_classes);
  std::vector<std::int64_t> left(k, 0);
  return walk(
      table, rows, options, index,
      [&](std::uint32_t place) {
        const std::int64_t* costs = table.costs.data() + static_cast<std::size_t>(rows.labels[place]) * k;
        const std::int64_t weight = rows.weight_of(place);
        for (std::size_t p = 0; p < k; ++p) left[p] += weight * costs[p];
      },
      [&] {
        std::int64_t least_left = kNoSweep, least_right = kNoSweep;
        for (std::size_t p = 0; p < k; ++p) {
          least_left = std::min(least_left, left[p]);
          least_right = std::min(least_right, rows.label_cost[p] - left[p]);
        }
        return least_left + least_right;
      });
}

}  // namespace

ColumnSplit scan_column(const SweepTable& table, const SweepRows& rows, const SweepOptions& options,
                        std::size_t column_index) {
  return table.n_classes == 2 ? scan_two_classes(table, rows, options, column_index)
                              : scan_classes(table, rows, options, column_index);
}

void scan_splits(const SweepTable& table, const SweepRows& rows, const SweepOptions& options,
                 SplitScan& found, Team* team) {
  std::vector<ColumnSplit> columns(rows.columns.size());
  for_each(team, columns.size(), [&](std::size_t c) { columns[c] = scan_column(table, rows, options, c); });
  found.best = {};
  found.free_cost.clear();
  for (const ColumnSplit& column : columns) {
    if (column.best.cost < found.best.cost) found.best = column.best;
    found.free_cost.push_back(column.free_cost);
  }
}

}  // namespace thriftree
