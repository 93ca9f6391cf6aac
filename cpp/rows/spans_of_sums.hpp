// Columns of spans whose rows are elsewhere: the sums of their codes came with the count, and of those that
// may hold the best threshold finer ones are asked for.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "rows/named_statistics.hpp"
#include "rows/span_rows.hpp"
#include "rows/sum_source.hpp"
#include "table/table.hpp"

namespace thriftree {

class SpansOfSums final : public SpanRows {
 public:
  // All must outlive it.
  SpansOfSums(SumSource& source, const std::vector<Column>& columns, const NamedStatistics& statistics,
              const Statistics& kept, const TargetHeader& target);

  // A node was counted: the sums of a column's codes there.
  void set_counted(int node, std::uint32_t column, std::span<const std::int64_t> sums);
  void close(int node);
  void clear() { known_.clear(); }
  // The sums of the rows up to a threshold inside a code, of that code's rows.
  std::vector<std::int64_t> sums_up_to(int node, std::uint32_t column, std::uint32_t code, double low) const;

  bool holds(int node, std::uint32_t column) const override;
  bool opens(std::uint32_t column) const override { return columns_[column].spans; }
  void sums(int node, std::uint32_t column, int worker, SpanSums& out) override;
  double reach(int node, std::uint32_t column, const AfarNode& afar, ReachScratch& scratch) const override;
  bool tells_ends(int, std::uint32_t) const override { return false; }
  EndCounts ends(int, std::span<const std::uint32_t>) const override;
  void gather(int, std::uint32_t, std::span<const std::uint32_t>, GatheredRows&) override;
  void values(std::uint32_t, std::span<const std::uint32_t>, double*) const override;
  const TargetHeader& target() const override { return target_; }
  SpanChannels channels(int node) const override;
  bool elsewhere() const override { return true; }
  void grant(std::span<const SpanWish> wishes) override;

 private:
  // Rows of one code whose values are above `above` and at most `up_to`, between `low` and `high` (NaN:
  // unknown).
  struct Span {
    std::uint32_t code;
    double above, up_to, low, high;
  };
  // A column at a node: its spans that have rows, and their sums, span after span.
  struct Spans {
    std::vector<Span> spans;
    std::vector<std::int64_t> sums;
    std::vector<std::int64_t> missing;  // sums of missing values; empty: there is no such code
  };
  using Place = std::pair<int, std::uint32_t>;  // node, column

  const Spans& at(int node, std::uint32_t column) const;
  double bytes_of(const SpanWish& wish, OpenRequest::By by) const;
  // What is asked for now, and how; the first of the wishes at least.
  std::vector<std::pair<SpanWish, OpenRequest::By>> chosen(std::span<const SpanWish> wishes) const;
  OpenRequest request_of(const SpanWish& wish, OpenRequest::By by) const;

  SumSource& source_;
  const std::vector<Column>& columns_;
  const NamedStatistics& statistics_;
  const Statistics kept_;
  const TargetHeader target_;
  std::map<Place, Spans> known_;
};

// Edges that divide the numbers between low and high: some by distance, some by how many numbers a double can
// tell apart, so that ever finer codes come to an end whatever the values are.
std::vector<double> finer_edges(double low, double high);

}  // namespace thriftree
