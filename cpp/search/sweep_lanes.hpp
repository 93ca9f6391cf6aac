// Thirty-two thresholds of one column at once: what their two sides cost after the best split by another
// column.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "search/sweep_majority.hpp"
#include "search/sweep_rows.hpp"

namespace thriftree {

// Up to kLanes thresholds of one column in the rows of a node. Lane j's left side has the rows up to its
// position in the column's order, its right side the others.
struct LaneBatch {
  int n_lanes = 0;
  std::vector<std::uint8_t> bins;       // per place: the first lane on whose left side the row is
  std::vector<std::uint8_t> codes;      // label × kBins + bin, where that fits in a byte
  std::vector<std::int64_t> left_cost;  // [lane × n_classes + predicted]: what the left side costs
  LaneCosts left_weight{};              // of the rows on the left side
  std::array<std::size_t, kLanes> left_rows{};

  // `positions` ascend; each is that of a row with kEndOfRank.
  void assign(const SweepTable& table, const SweepRows& rows, std::span<const std::uint32_t> order,
              std::span<const std::uint32_t> positions);
};

// Least costs of each lane's sides with at most two leaves. `left` and `right` do without min_leaf and
// min_leaf_weight, so they rise with the rows; `kept_left` and `kept_right` keep to them, with exactly two
// leaves, and are set only if there is anything to keep to.
struct LaneAnswer {
  LaneCosts left, right, kept_left, kept_right;
};

// How a table's costs are summed in lanes: in the fewest bits that hold them, by the cheapest of three ways.
class LaneArithmetic {
 public:
  LaneArithmetic(const SweepTable& table, const SweepOptions& options);

  // Splits both sides of each lane by the column with this order.
  void split(const SweepRows& rows, const LaneBatch& batch, std::span<const std::uint32_t> order,
             LaneScratch& scratch, LaneAnswer& answer) const;
  // Bytes that a thread's scratch takes for so many rows.
  std::size_t bytes_of_scratch(std::size_t n_rows) const;

 private:
  enum class Width { k16, k32, k64 };
  // The labels of two leaves, either way round.
  struct Pair {
    std::size_t p, q;
    std::vector<std::int64_t> by_label;  // what a row costs more under p than under q
    SmallSums small;                     // if `is_small_`
  };

  template <typename T>
  lanes::LaneInputs<T> inputs(const SweepRows& rows, const LaneBatch& batch,
                              std::span<const std::uint32_t> order,
                              const std::vector<std::int64_t>& by_label) const;
  template <typename T>
  void make_rooms(const SweepRows& rows, const LaneBatch& batch, lanes::LeafRoom<T> rooms[2]) const;
  template <typename T>
  void split_pairs(const SweepRows& rows, const LaneBatch& batch, std::span<const std::uint32_t> order,
                   LaneAnswer& answer) const;
  template <typename T>
  void split_by_majority(const SweepRows& rows, const LaneBatch& batch, std::span<const std::uint32_t> order,
                         std::vector<lanes::Numbers<T>>& scratch, LaneAnswer& answer) const;
  template <typename T>
  const std::vector<lanes::Numbers<T>>& masks() const;
  void find_majority(const SweepTable& table);

  std::size_t n_classes_;
  std::int64_t min_leaf_, min_leaf_weight_;
  bool keeps_leaves_;      // whether leaves have a least size beyond one row
  bool is_small_ = false;  // pairs are summed by their `small`
  bool is_majority_ =
      false;  // a mistake costs the same whatever is predicted, and there are more than two classes
  Width width_;
  std::vector<Pair> pairs_;            // all of them, or none if `is_majority_`
  std::vector<std::int64_t> mistake_;  // per label, in units, if `is_majority_`
  std::int64_t unit_ = 1;              // of `mistake_`
  std::vector<lanes::Numbers<std::int16_t>> masks16_;
  std::vector<lanes::Numbers<std::int32_t>> masks32_;
  std::vector<lanes::Numbers<std::int64_t>> masks64_;
};

}  // namespace thriftree
