// Counts the rows of one part of a table that lies in several: integer sums of named statistics, which
// whoever has all parts adds up.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "rows/histogram.hpp"
#include "rows/sum_source.hpp"
#include "table/exact_values.hpp"
#include "table/table.hpp"

namespace thriftree {

// What the rows behind each object of a part sum up to, by figure and class.
using BehindFigures = std::map<std::pair<Figure, std::int32_t>, std::vector<std::int64_t>>;

class PartCounter {
 public:
  // `behind` is empty where the table's rows are rows. `exact`: the values behind the codes of columns of
  // spans; null where there are none. The table must outlive the counter.
  PartCounter(const Table& table, Target target, std::vector<Statistic> of_code,
              std::vector<Statistic> of_node, std::int64_t heavy_above, BehindFigures behind,
              std::shared_ptr<const ExactValues> exact = nullptr);
  PartCounter(const PartCounter&) = delete;
  PartCounter& operator=(const PartCounter&) = delete;

  // Makes node 0 of all rows, and forgets all others.
  void open_root();
  // Rows move to their child.
  void divide(int node, const Partition& partition, int first_child);
  void close(int node) { nodes_.erase(node); }

  // As SumSource::count, of this part. `weights`: of the whole nodes; empty where no figure depends on them.
  std::vector<std::int64_t> count(std::span<const int> nodes, std::span<const std::uint32_t> columns,
                                  std::span<const std::int64_t> weights);
  SummedNodes totals(std::span<const int> nodes, std::span<const std::int64_t> weights);
  // The totals of the children that a node would have.
  SummedNodes peek(int node, const Partition& partition, std::span<const std::int64_t> weights);
  // The combinations of codes that a node has, `columns.size()` codes each, and the sums of each.
  struct Combinations {
    std::vector<std::uint32_t> codes;
    std::vector<std::int64_t> sums;
  };
  Combinations count_combinations(int node, std::span<const std::uint32_t> columns, std::int64_t weight);
  // As SumSource::open_codes, of this part; nothing where it has no such rows. Beside each entry stands what
  // entries of parts are brought together by: the value, or the number of the finer code.
  struct OpenedPart {
    std::vector<double> key;
    OpenedCode code;
  };
  std::vector<OpenedPart> open_codes(std::span<const OpenRequest> requests) const;

 private:
  struct Node {
    std::size_t begin = 0, end = 0;          // its positions in rows_
    std::vector<std::uint32_t> class_begin;  // relative to begin; see NodeRows
  };

  const Node& node(int id) const;
  std::span<const std::uint32_t> rows_of(const Node& n) const {
    return std::span(rows_).subspan(n.begin, n.end - n.begin);
  }
  // What a row adds to a statistic, but for terms of heavy objects, which are in terms_.
  std::int64_t figure(const Statistic& statistic, std::size_t row) const;
  void add_row(std::span<const Statistic> statistics, std::size_t row, std::int64_t* sums) const;
  // Calls take with a function that tells a statistic's sum in a slot of the histogram.
  template <class Take>
  void with_reader(const Statistic& statistic, const Take& take) const;
  void add_totals(std::span<const std::uint32_t> rows, std::int64_t weight, SummedNodes& out);
  void count_narrow(const Node& n, std::span<const std::uint32_t> columns, std::int64_t* out);
  void count_wide(const Node& n, std::uint32_t column, std::int64_t* out) const;
  // Requests of one column of one node.
  void open_column(std::span<const OpenRequest> requests, std::span<OpenedPart> out) const;
  struct Entry {
    double value;
    std::uint32_t row;
  };
  OpenedPart summed_up(const OpenRequest& request, std::vector<Entry>& entries) const;
  // Terms of the heavy rows in a node of this weight.
  void prepare_terms(std::span<const std::uint32_t> rows, std::int64_t weight);

  const Table& table_;
  const Target target_;
  const std::vector<Statistic> of_code_, of_node_;
  const BehindFigures behind_;
  const std::shared_ptr<const ExactValues> exact_;
  const Statistics statistics_;
  Counting counting_;
  std::int64_t squares_a_step_ = 0;  // of NumberSums::steps, in units of Figure::square_above
  const Slots slots_;
  Histogram histogram_;
  std::vector<std::uint32_t> rows_;  // of every node one after the other, each sorted by class
  std::vector<std::uint32_t> scratch_;
  std::vector<std::int64_t> terms_;        // by row, of the node that was prepared last
  std::vector<std::uint32_t> heavy_rows_;  // of that node
  std::int64_t dominant_ = -1;             // its row that weighs more than half of the node; -1: none here
  std::unordered_map<int, Node> nodes_;
};

}  // namespace thriftree
