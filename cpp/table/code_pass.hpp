// One pass over the rows that writes the codes of every listed, binned and category column.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "run/team.hpp"
#include "table/column_plan.hpp"
#include "table/distinct.hpp"
#include "table/lane_bins.hpp"
#include "table/lane_ladders.hpp"
#include "table/lane_spans.hpp"
#include "table/table.hpp"

namespace thriftree {

// What a pass learnt about one column. Flags are only ever set, so the outcome does not depend on who sets
// them.
struct Finding {
  std::atomic<bool> missing{false};  // a missing value was met
  std::atomic<bool> bad{
      false};  // a value no tree may see (infinite, too large an integer, no category) was met
  std::atomic<bool> overflow{
      false};  // the column needs more codes than planned; its codes are not to be used
  std::mutex mutex;
  std::vector<double>
      strangers;  // under mutex: distinct values missing from the plan's list, while they are few
};

class CodePass {
 public:
  // The table's blocks and wide vectors are placed and sized. max_listed bounds a list and its strangers
  // together.
  CodePass(const std::vector<ColumnPlan>& plans, std::size_t max_listed, Table& table);

  // Writes the codes; the findings hold one entry a column and start empty.
  void run(Team& team, Finding* findings);

 private:
  // Blocks whose columns lie side by side in the caller's memory with short lists, with bins or with spans,
  // are coded a row at a time.
  struct RowWise {
    std::unique_ptr<LaneLadders<float>> floats;  // at most one of the six
    std::unique_ptr<LaneLadders<double>> doubles;
    std::unique_ptr<LaneSpans<float>> float_spans;
    std::unique_ptr<LaneSpans<double>> double_spans;
    std::unique_ptr<LaneBins<float>> float_bins;
    std::unique_ptr<LaneBins<double>> double_bins;
  };

  RowWise row_wise(const Block& block) const;
  bool side_by_side(const Block& block) const;
  template <typename T>
  std::unique_ptr<LaneLadders<T>> lane_ladders(const Block& block) const;
  bool code_tile_by_rows(const RowWise& way, Block& block, std::size_t first, std::size_t n);
  template <typename T, typename CodeRows>
  bool code_tile_by(const CodeRows& code_rows, Block& block, std::size_t first, std::size_t n);
  void code_tile(std::size_t first, std::size_t n);
  void code_column(std::size_t column, std::size_t first, std::size_t n, std::uint32_t* codes);
  template <typename T>
  void code_numbers(std::size_t column, const Ladder<T>& ladder, std::size_t first, std::size_t n,
                    std::uint32_t* codes);
  template <typename T>
  void code_by_spans(std::size_t column, const SpanMap<T>& map, std::size_t first, std::size_t n,
                     std::uint32_t* codes);
  void code_categories(std::size_t column, std::size_t first, std::size_t n, std::uint32_t* codes);
  void note_missing(std::size_t column);
  void note_strangers(std::size_t column, const DistinctSet& strangers);

  const std::vector<ColumnPlan>& plans_;
  std::size_t max_listed_;
  Table& table_;
  Finding* findings_ = nullptr;      // one a column, during run
  std::vector<RowWise> row_wise_;    // one a block
  std::vector<std::uint32_t> wide_;  // wide columns that this pass codes
};

}  // namespace thriftree
