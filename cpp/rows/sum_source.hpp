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

// A node's rows of one code of a column of spans, as far as their values are above `above` and at most
// `up_to`: to be told by value, by finer codes, or only from where to where they reach.
struct OpenRequest {
  enum class By : std::uint8_t { value, finer_code, extent };
  int node = 0;
  std::uint32_t column = 0, code = 0;
  double above = 0, up_to = 0;
  By by = By::value;
  std::vector<double> edges = {};  // of finer codes, as Column::edges are of codes
};

// One entry for each value, finer code or extent that has rows, ascending: the least and the largest value
// there, and the sums, NamedStatistics::of_code, entry after entry.
struct OpenedCode {
  std::vector<double> low, high;
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
  // One answer a request, of counted nodes; requests of one column of a node come together. Only asked by
  // fits whose columns have spans.
  virtual std::vector<OpenedCode> open_codes(std::span<const OpenRequest> requests) = 0;
  // Before a node is divided (or peeked at) by a threshold inside a code: the sums of that code's rows which
  // are not above it.
  virtual void tell_cut(int node, std::span<const std::int64_t> sums) = 0;
  // These nodes will not be asked for again.
  virtual void close(std::span<const int> nodes) { (void)nodes; }
};

}  // namespace thriftree
