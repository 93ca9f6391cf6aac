// Thirty-two thresholds of one column at once: what their two sides cost after the best split by another
// column.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "search/sweep_rows.hpp"

namespace thriftree {

constexpr int kLanes = 32;

using LaneCosts = std::array<std::int64_t, kLanes>;

// How the sums of a table's rows are kept in lanes: chosen once a table.
class LaneArithmetic;
struct LaneArithmeticDeleter {
  void operator()(LaneArithmetic*) const;
};
using LaneArithmeticPtr = std::unique_ptr<LaneArithmetic, LaneArithmeticDeleter>;
LaneArithmeticPtr make_lane_arithmetic(const SweepTable& table, const SweepOptions& options);

// Up to kLanes thresholds of one column in the rows of a node. Lane j's left side has the rows up to its
// position in the column's order, its right side the others.
struct LaneBatch {
  int n_lanes = 0;
  std::vector<std::uint8_t> bins;       // per place: the first lane on whose left side the row is
  std::vector<std::uint8_t> codes;      // label × (kLanes + 1) + bin, where classes are few
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

// Splits both sides of each lane by the column with this order.
void split_lanes(const LaneArithmetic& arithmetic, const SweepTable& table, const SweepRows& rows,
                 const LaneBatch& batch, std::span<const std::uint32_t> order, LaneAnswer& answer);

}  // namespace thriftree
