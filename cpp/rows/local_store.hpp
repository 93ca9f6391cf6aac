// The rows of this process. Narrow columns, those of spans among them, are counted into histograms (the
// smaller child only, its sibling by subtraction), two-valued ones by popcounts, and wide ones are kept
// presorted. Small nodes sort their rows in columns of spans; what comes below them has these in order, too.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "rows/bit_columns.hpp"
#include "rows/histogram.hpp"
#include "rows/presorted.hpp"
#include "rows/row_store.hpp"
#include "rows/rows_behind.hpp"

namespace thriftree {

class LocalStore final : public RowStore, private SpanRows {
 public:
  // Keeps the plain sums, or those of `statistics`.
  LocalStore(const Table& table, const Target& target, Control& control, Team& team);
  // `rows_matter`: limits or rules ask how many rows a branch or a code has.
  LocalStore(const Table& table, const Target& target, const Statistics& statistics, Control& control,
             Team& team, bool rows_matter = true);
  // The table's rows stand for objects: totals tell of `rows`, too. Both must outlive the store.
  void know_rows_behind(const Objects& objects, const Target& rows);

  std::int64_t preferred_batch_rows() const override;
  // Can be called again, to grow anew.
  NodeTotals open_root(Team& team) override;
  // Nodes other than the root must come from the latest `divide`; whether counted or followed only, columns
  // that are kept in the order of rows are brought there.
  void count(std::span<const CountRequest> requests, Team& team) override;
  void runs(int node, std::uint32_t column, int worker, ColumnRuns& out) override;
  std::optional<RowStream> stream(int node, std::uint32_t column) override;
  SpanRows* span_rows() override { return this; }
  bool product_runs(int node, std::span<const std::uint32_t> columns, ColumnRuns& out) override;
  std::vector<std::vector<NodeTotals>> divide(std::span<const DivideRequest> requests, Team& team) override;
  std::vector<NodeTotals> peek(int node, const Partition& partition) override;
  void close(int node) override;

 private:
  // What its rows sum up to, in whole numbers: of the largest child, what its siblings leave of its parent's.
  struct WholeSums {
    std::vector<std::int64_t> weights;  // where rows have one: by class, or of all numbers
    std::int64_t sample = 0;
    int128 moment = 0, squares = 0;
    double lowest = 0, highest = 0;  // of numbers: no y lies beyond
    bool one_number = false;         // of numbers: all are the same
  };
  struct Node {
    std::size_t begin = 0, end = 0;          // its positions in rows_ and in every presorted column
    std::vector<std::uint32_t> class_begin;  // relative to begin; see NodeRows
    int parent = -1;
    Histogram histogram;        // filled by count, if the node is large enough; handed to the largest child
    std::vector<int> children;  // filled by divide
    BitMoves bit_moves;         // filled by divide, if there are bit columns
    std::vector<std::uint32_t> heavy_rows;  // where only some rows are heavy
    std::int64_t dominant = -1;  // the row that weighs more than half of the node, where terms are kept
    bool sorted = false;         // in columns of spans, too
    WholeSums whole;
    std::size_t size() const { return end - begin; }
  };

  // See SpanRows.
  bool holds(int node, std::uint32_t column) const override;
  bool opens(std::uint32_t column) const override { return table_.columns[column].spans; }
  void sums(int node, std::uint32_t column, int worker, SpanSums& out) override;
  double reach(int node, std::uint32_t column, const AfarNode& afar, ReachScratch& scratch) const override;
  bool tells_ends(int node, std::uint32_t column) const override;
  EndCounts ends(int node, std::span<const std::uint32_t> columns) const override;
  void gather(int node, std::uint32_t column, std::span<const std::uint32_t> codes,
              GatheredRows& out) override;
  void values(std::uint32_t column, std::span<const std::uint32_t> rows, double* out) const override;
  const TargetHeader& target() const override { return header_; }
  SpanChannels channels(int node) const override;

  Node& node(int id) { return *nodes_[static_cast<std::size_t>(id)]; }
  const Node& node(int id) const { return *nodes_[static_cast<std::size_t>(id)]; }
  NodeRows rows_of(const Node& n) const { return {rows_.data() + n.begin, n.class_begin}; }
  // `rows` are the node's, sorted by class.
  WholeSums whole_sums(const Node& n, const std::uint32_t* rows) const;
  int largest_child(const Node& parent) const;
  void leave_to_largest(const Node& parent, Node& largest) const;
  // Of a node whose whole sums are known.
  NodeTotals totals(Node& n, const std::uint32_t* rows, bool with_rows_behind);
  void prepare_terms(Node& n, const std::uint32_t* rows, std::int64_t total, NodeTotals& result);
  void set_dominant(const Node& n, std::uint32_t code, ColumnRuns& out) const;
  bool worth_a_histogram(const Node& n) const { return slots_.n_columns > 0 && n.size() > histogram_from_; }
  bool room_for_histograms(std::size_t n) const;
  void move_columns(std::span<const CountRequest> requests, Team& team);
  bool room_to_sort();
  void sort_small_nodes(std::span<const CountRequest> requests, Team& team);
  bool in_order(const Node& n, std::uint32_t column) const {
    return presorted_ && (presorted_->holds(column) || (n.sorted && table_.columns[column].spans));
  }
  void move_bits(std::span<const CountRequest> requests, Team& team);
  std::vector<const CountRequest*> one_per_parent(std::span<const CountRequest> requests);
  void count_histograms(std::span<const CountRequest> requests, Team& team);
  Histogram new_histogram();
  void release_histogram(Histogram histogram);
  void drop_histogram(Node& n);
  void drop_waiting_histograms(std::span<const DivideRequest> requests);
  void count_directly(const std::vector<int>& ids, Team& team);
  void recount(std::span<const CountRequest> requests, Team& team);
  void divide_node(const DivideRequest& request, int worker);

  const Table& table_;
  const Target& target_;
  const TargetHeader header_;
  Control& control_;
  Statistics statistics_;
  Counting counting_;
  const Objects* objects_ = nullptr;
  const Target* target_of_rows_ = nullptr;
  Slots slots_;
  std::size_t histogram_from_;         // nodes with more rows than this get a histogram,
  std::size_t histogram_bytes_;        // of this size, while there is memory
  std::size_t histograms_in_use_ = 0;  // bytes
  std::size_t spare_memory_ = 0;       // that these may take, booked:
  std::vector<Histogram> spare_;       // to be used again: fresh memory costs more than counting into it
  std::vector<int> counted_last_;      // nodes
  std::size_t n_groups_;               // classes, bins, or one for all rows
  double rounding_;                    // of y in fixed point, where it is a number
  std::vector<std::uint32_t> rows_;
  std::vector<std::int64_t> terms_;  // by row, for the node it is in: p / (P - p) in units of kTermUnit
  std::unique_ptr<Presorted> presorted_;
  std::size_t sort_up_to_ = 0;        // nodes of at most so many rows are sorted in columns of spans
  bool has_room_to_sort_ = false;     // for that
  std::unique_ptr<BitColumns> bits_;  // made with the root
  RowMoves moves_;
  bool shared_moves_;  // several threads set bits of moves_.right
  std::vector<std::unique_ptr<Node>> nodes_;
  std::vector<SmallCounter> small_;                  // per worker
  std::vector<std::vector<std::uint32_t>> scratch_;  // per worker, for divide_rows
};

}  // namespace thriftree
