// Where the rows are: in this process, in another, in many. Nothing above it sees a row.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "rows/partition.hpp"
#include "rows/row_stream.hpp"
#include "rows/span_rows.hpp"
#include "rows/sums.hpp"
#include "run/team.hpp"

namespace thriftree {

using ColumnList = std::shared_ptr<const std::vector<std::uint32_t>>;

// A node that is to be counted, and the columns that may still vary there.
struct CountRequest {
  int node = 0;
  ColumnList columns;
  bool follow_only = false;  // the node will be divided, but its sums are not asked for
};

struct DivideRequest {
  int node = 0;
  const Partition* partition = nullptr;
  int first_child = 0;        // children are numbered first_child, first_child + 1, ...
  bool totals_known = false;  // by the caller: what the rows behind objects weigh need not be told again
};

// A store that wants as much at once as there is: a level of the tree, or more.
inline constexpr std::int64_t kWholeLevel = std::numeric_limits<std::int64_t>::max();

class RowStore {
 public:
  virtual ~RowStore() = default;

  // How many rows make a batch: nodes are counted and divided together until they have about so many.
  virtual std::int64_t preferred_batch_rows() const = 0;

  // Makes node 0 of all rows.
  virtual NodeTotals open_root(Team& team) = 0;
  // Prepares the sums of a batch of nodes, in one pass over the rows where that matters.
  virtual void count(std::span<const CountRequest> requests, Team& team) = 0;
  // One column's sums at a counted node. Called from many threads; `worker` is the caller's own number.
  virtual void runs(int node, std::uint32_t column, int worker, ColumnRuns& out) = 0;
  // The same sums as a walk over rows, where the store has one: none if `runs` is the better way.
  virtual std::optional<RowStream> stream(int node, std::uint32_t column) {
    (void)node, (void)column;
    return {};
  }
  // Columns whose thresholds are looked at by exact sums and bounds; null where the store has none.
  virtual SpanRows* span_rows() { return nullptr; }
  // The sums of every combination of codes that occurs in these columns at a counted node, in any order.
  // False where the store has none.
  virtual bool product_runs(int node, std::span<const std::uint32_t> columns, ColumnRuns& out) {
    (void)node, (void)columns, (void)out;
    return false;
  }
  // Rows move to their child. Returns the totals of each request's children, in branch order.
  virtual std::vector<std::vector<NodeTotals>> divide(std::span<const DivideRequest> requests,
                                                      Team& team) = 0;
  // The totals that `divide` would return, while no row moves.
  virtual std::vector<NodeTotals> peek(int node, const Partition& partition) = 0;
  // The node will not be asked for again.
  virtual void close(int node) { (void)node; }
};

}  // namespace thriftree
