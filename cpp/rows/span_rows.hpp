// Columns of spans, and others of many codes, at a node: counted code by code, and opened where a threshold
// inside a code may win.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "rows/reach.hpp"
#include "rows/span_channels.hpp"
#include "table/target.hpp"

namespace thriftree {

// The spans of one column that have rows at a node, in code order, and exact sums of all that lies before
// each of their ends: end i is before span i, end n_spans after the last. Missing values are apart.
struct SpanSums {
  std::vector<std::uint32_t> codes;  // of each span; a byte would do, but for alignment
  std::vector<std::int64_t> rows;    // n_spans + 1, rows (behind objects, where these matter) before each end
  std::vector<std::int64_t> weights;  // [channel * stride + end], see SpanChannels
  std::vector<int128> moments;        // numbers only: n_spans + 1
  std::vector<double> squares;        // numbers only: of each span, at least the sum of w * y^2
  std::size_t stride = 0;             // at least n_spans + 1
  // False where rows were not counted, since nobody asks how many they are: then every span here, and what is
  // missing if anything is, stands for one.
  bool rows_known = true;
  // Where rows are elsewhere, the least and the largest value of each span, NaN where nobody asked yet; empty
  // where rows are here. A span of one value has no threshold inside.
  std::vector<double> low, high;
  std::int64_t missing_rows = 0;
  std::vector<std::int64_t> missing_weights;  // by channel
  int128 missing_moment = 0;

  std::size_t n_spans() const { return codes.size(); }
  std::int64_t weight(std::size_t channel, std::size_t end) const { return weights[channel * stride + end]; }
  bool ends_known(std::size_t span) const { return low.empty() || low[span] == low[span]; }
  bool one_value(std::size_t span) const { return !low.empty() && low[span] == high[span]; }
};

// A span of a column at a node, by its place in SpanSums, of which more must be known: its least and largest
// value or, if it is to be opened, where thresholds inside it can be.
struct SpanWish {
  int node = 0;
  std::uint32_t column = 0;
  std::size_t span = 0;
  bool open = false;
  double promise = 0;  // of the span's bound, among those of its node: what is promised more comes first
  std::int64_t rows = 0;
};

// The rows of a node in some spans of a column, span after span; each by class.
struct GatheredRows {
  std::vector<std::uint32_t> rows;
  std::vector<std::uint32_t> labels;      // empty for numbers
  std::vector<std::size_t> begin;         // by span asked for, and the end
  std::vector<std::uint32_t> loose_rows;  // scratch
  std::vector<std::uint8_t> loose_span;
};

class SpanRows {
 public:
  virtual ~SpanRows() = default;
  // Is the column counted at this node? Else its rows are in order there, see RowStore::stream.
  virtual bool holds(int node, std::uint32_t column) const = 0;
  // Do thresholds lie inside the codes of the column, too? Else its codes are counted as spans are, and that
  // is all.
  virtual bool opens(std::uint32_t column) const = 0;
  // Of a counted node. All are called from many threads; `worker` is the caller's own number.
  virtual void sums(int node, std::uint32_t column, int worker, SpanSums& out) = 0;
  // What no threshold of the column gains more than, in the units of filters; infinity where that takes as
  // long as a closer look.
  virtual double reach(int node, std::uint32_t column, const AfarNode& afar, ReachScratch& scratch) const = 0;
  // Is it a column of few codes that is not held, but of whose thresholds reach_of_ends tells?
  virtual bool tells_ends(int node, std::uint32_t column) const = 0;
  // The counts of such columns.
  virtual EndCounts ends(int node, std::span<const std::uint32_t> columns) const = 0;
  // The node's rows in these codes, which must ascend.
  virtual void gather(int node, std::uint32_t column, std::span<const std::uint32_t> codes,
                      GatheredRows& out) = 0;
  // The exact values of rows in a column.
  virtual void values(std::uint32_t column, std::span<const std::uint32_t> rows, double* out) const = 0;
  virtual const TargetHeader& target() const = 0;
  // Rows that are elsewhere are neither gathered nor read: what must be known of their spans is wished for,
  // and afterwards `sums` has finer spans in place of those that were opened. As much is granted at once as
  // makes one message; the others are to be wished for again.
  virtual bool elsewhere() const { return false; }
  virtual void grant(std::span<const SpanWish> wishes) { (void)wishes; }
  // What is summed of the rows of a node.
  virtual SpanChannels channels(int node) const = 0;
};

}  // namespace thriftree
