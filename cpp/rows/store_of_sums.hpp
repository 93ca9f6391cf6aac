// The row store of rows that are elsewhere: every batch crosses once, as integers, and is read from here by
// as many threads as there are.
#pragma once

#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "rows/row_store.hpp"
#include "rows/spans_of_sums.hpp"
#include "rows/sum_source.hpp"

namespace thriftree {

class StoreOfSums final : public RowStore {
 public:
  // `root_weight`: of all rows, in fixed point. The first two must outlive the store.
  StoreOfSums(SumSource& source, const std::vector<Column>& columns, NamedStatistics statistics,
              std::int64_t root_weight);
  StoreOfSums(const StoreOfSums&) = delete;
  StoreOfSums& operator=(const StoreOfSums&) = delete;
  // Some columns have spans: what is kept of rows, and their target.
  void open_spans(const Statistics& kept, const TargetHeader& target);

  std::int64_t preferred_batch_rows() const override { return source_.preferred_batch_rows(); }
  NodeTotals open_root(Team& team) override;
  void count(std::span<const CountRequest> requests, Team& team) override;
  void runs(int node, std::uint32_t column, int worker, ColumnRuns& out) override;
  bool product_runs(int node, std::span<const std::uint32_t> columns, ColumnRuns& out) override;
  std::vector<std::vector<NodeTotals>> divide(std::span<const DivideRequest> requests, Team& team) override;
  std::vector<NodeTotals> peek(int node, const Partition& partition) override;
  SpanRows* span_rows() override { return spans_ ? &*spans_ : nullptr; }
  void close(int node) override;

 private:
  // The sums of the nodes that were counted together.
  struct Batch {
    std::vector<std::int64_t> sums;
    std::unordered_map<std::uint32_t, std::size_t> first_slot;  // by column
    std::size_t n_slots = 0;                                    // of a node
  };
  struct Node {
    std::int64_t objects = 0, counted = 0, weight = 0;  // `counted`: as the first sum of a code counts
    std::shared_ptr<const Batch> batch;                 // once it is counted
    std::size_t place = 0;                              // of its sums in there
  };

  Node& node(int id);
  // The sums of a column's codes at a counted node.
  std::span<const std::int64_t> sums_of(int id, std::uint32_t column);
  // The weights of the branches that a test would have, where figures depend on them.
  void add_branch_weights(int id, const Partition& partition, std::vector<std::int64_t>& weights);
  // The totals of a node's branches, from place `at` of the answer on; none is lost.
  std::vector<NodeTotals> branches(int id, const Partition& partition, const SummedNodes& answer,
                                   std::size_t at) const;
  void check(const SummedNodes& answer, std::size_t n) const;
  std::vector<std::int64_t> weights_of(std::span<const int> nodes);
  // Tells of the part of a code that a threshold inside it leaves below.
  void tell_cut(int id, const Partition& partition);

  SumSource& source_;
  const std::vector<Column>& columns_;
  NamedStatistics statistics_;
  std::int64_t root_weight_;
  std::unordered_map<int, Node> nodes_;
  std::vector<int> closed_;  // since the source was told
  std::optional<SpansOfSums> spans_;
};

}  // namespace thriftree
