// A random growth as a test follows it, row by row, beside the row store that does the same.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <numeric>
#include <random>
#include <vector>

#include "grow_table.hpp"
#include "rows/partition.hpp"
#include "rows/row_store.hpp"

namespace thriftree::testing {

// Half the codes seen to each branch (or a branch of its own to each of a few), the missing code anywhere.
inline Partition random_partition(std::mt19937& random, const Table& table,
                                  const std::vector<std::size_t>& rows, int n_branches) {
  Partition partition;
  partition.column = static_cast<std::uint32_t>(random() % table.columns.size());
  partition.n_branches = n_branches;
  const Column& column = table.columns[partition.column];
  std::map<std::uint32_t, bool> seen;
  for (std::size_t row : rows) seen[table.code(row, partition.column)] = true;
  for (const auto& [code, _] : seen) {
    const auto branch = static_cast<std::int32_t>(random() % static_cast<unsigned>(n_branches));
    if (column.has_missing && code == column.n_codes - 1) {
      partition.missing = branch;
    } else {
      partition.last.push_back(code);
      partition.to.push_back(branch);
    }
  }
  if (partition.last.empty()) return partition;
  if (column.kind == ColumnKind::ordered) partition.make_ordered();
  return partition;
}

// A node and its rows as the test follows them.
struct Followed {
  int node;
  std::vector<std::size_t> rows;
};

inline std::vector<Followed> follow(const Table& table, const Followed& parent, const Partition& partition,
                                    int first_child) {
  std::vector<Followed> children;
  for (int v = 0; v < partition.n_branches; ++v) children.push_back({first_child + v, {}});
  const Column& column = table.columns[partition.column];
  for (std::size_t row : parent.rows) {
    const std::uint32_t code = table.code(row, partition.column);
    const bool missing = column.has_missing && code == column.n_codes - 1;
    children[static_cast<std::size_t>(missing ? partition.missing : partition.branch_of(code))]
        .rows.push_back(row);
  }
  return children;
}

// Divides at random for a few levels, some children being leaves that nobody counts. Calls `see_totals` with
// every node's totals, and `see_counted` with every node that has been counted.
template <class SeeTotals, class SeeCounted>
void grow_at_random(unsigned seed, const Table& table, RowStore& store, Team& team,
                    const SeeTotals& see_totals, const SeeCounted& see_counted) {
  std::mt19937 random(seed);
  std::vector<std::uint32_t> every(table.columns.size());
  std::iota(every.begin(), every.end(), 0U);
  const auto columns = std::make_shared<const std::vector<std::uint32_t>>(every);
  const auto count = [&](const std::vector<Followed>& nodes) {
    std::vector<CountRequest> requests;
    for (const Followed& n : nodes) requests.push_back({n.node, columns});
    store.count(requests, team);
    for (const Followed& n : nodes) see_counted(n);
  };

  std::vector<Followed> level{{0, {}}};
  for (std::size_t row = 0; row < table.n_rows; ++row) level[0].rows.push_back(row);
  see_totals(store.open_root(team), level[0]);
  count(level);
  int next = 1;
  for (int depth = 0; depth < 4 && !level.empty(); ++depth) {
    std::vector<Partition> partitions;
    for (const Followed& n : level) {
      partitions.push_back(random_partition(random, table, n.rows, 2 + static_cast<int>(random() % 2)));
    }
    std::vector<DivideRequest> requests;
    std::vector<std::vector<Followed>> children;
    for (std::size_t i = 0; i < level.size(); ++i) {
      requests.push_back({level[i].node, &partitions[i], next});
      children.push_back(follow(table, level[i], partitions[i], next));
      next += partitions[i].n_branches;
    }
    const auto totals = store.divide(requests, team);
    std::vector<Followed> kept;
    std::vector<int> done;
    for (std::size_t i = 0; i < level.size(); ++i) {
      done.push_back(level[i].node);
      for (std::size_t v = 0; v < children[i].size(); ++v) {
        see_totals(totals[i][v], children[i][v]);
        if (children[i][v].rows.size() < 2 || random() % 5 == 0) {
          done.push_back(children[i][v].node);
        } else {
          kept.push_back(std::move(children[i][v]));
        }
      }
    }
    if (!kept.empty()) count(kept);
    for (int node : done) store.close(node);
    level = std::move(kept);
  }
}

// Columns of every storage that a store knows.
inline std::vector<CodeColumn> mixed_columns(std::mt19937& random, std::size_t n) {
  std::vector<CodeColumn> columns;
  // Two blocks; columns of two codes are kept as bits where rows weigh 1.
  for (int i = 0; i < 18; ++i) columns.push_back(random_column(random, n, 1 + random() % 5, i % 2 == 0));
  columns.push_back(random_column(random, n, 200, true));
  columns.push_back(random_column(random, n, 12, true, ColumnKind::category));
  columns.push_back(random_column(random, n, 300, true));  // wide, with many ties
  columns.push_back(random_column(random, n, 5000, false));
  columns.push_back(random_column(random, n, 400, true, ColumnKind::category));
  return columns;
}

}  // namespace thriftree::testing
