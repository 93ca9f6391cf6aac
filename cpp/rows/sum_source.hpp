// Where rows that are not in this process are counted: whoever has them answers with integer sums. A row
// store in Python is one, and so is whatever asks a cluster.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "rows/named_statistics.hpp"
#include "rows/row_store.hpp"

namespace thriftree {

// The sums of several nodes: statistic after statistic of NamedStatistics::of_node, node after node; and the
// range of the target in each, where NamedStatistics::ranges.
struct SummedNodes {
  std::vector<std::int64_t> sums;
  std::vector<double> least, greatest;
};

// The values inside a code at one node, ascending, and the sums of each: NamedStatistics::of_code, value
// after value.
struct SummedValues {
  std::vector<double> values;
  std::vector<std::int64_t> sums;
};

// `weights` are those of the nodes that figures depend on, in fixed point; empty where none does
// (NamedStatistics::terms).
class SumSource {
 public:
  virtual ~SumSource() = default;
  virtual std::int64_t preferred_batch_rows() const { return kWholeLevel; }
  // Called first: what will be asked for.
  virtual void prepare(const NamedStatistics& statistics) = 0;
  // Makes node 0 of all rows, and forgets all others.
  virtual SummedNodes open_root(std::int64_t weight) = 0;
  // Node after node, column after column, code after code, statistic after statistic of
  // NamedStatistics::of_code.
  virtual std::vector<std::int64_t> count(std::span<const int> nodes, std::span<const std::uint32_t> columns,
                                          std::span<const std::int64_t> weights) = 0;
  // Rows move to their child. The children of all requests, in order.
  virtual SummedNodes divide(std::span<const DivideRequest> requests,
                             std::span<const std::int64_t> weights) = 0;
  // What `divide` would answer, while no row moves.
  virtual SummedNodes peek(int node, const Partition& partition, std::span<const std::int64_t> weights) = 0;
  // The sums of every combination of codes of these columns that a node has, in any order.
  virtual std::vector<std::int64_t> count_combinations(int node, std::span<const std::uint32_t> columns,
                                                       std::int64_t weight) = 0;
  // One answer per node.
  virtual std::vector<SummedValues> open_codes(std::span<const int> nodes, std::uint32_t column,
                                               std::uint32_t code, std::span<const std::int64_t> weights) = 0;
  // These nodes will not be asked for again.
  virtual void close(std::span<const int> nodes) { (void)nodes; }
};

}  // namespace thriftree
