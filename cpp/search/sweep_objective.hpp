// What a sweep minimises, in integers: the cost of mistakes, and a penalty for each leaf that is only
// compared.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace thriftree {

// Above every cost there is: the cost of a tree that may not be. Two of them can be added.
constexpr std::int64_t kNoSweep = std::int64_t{1} << 60;

// λ times a number of leaves, compared with whole costs without rounding.
class LeafPenalty {
 public:
  explicit LeafPenalty(double penalty = 0);
  double value() const { return value_; }
  // floor(λ·k) for k >= 0, at most kNoSweep.
  std::int64_t whole(std::int64_t k) const;
  // The sign of (cost_a + λ·leaves_a) - (cost_b + λ·leaves_b).
  int compare(std::int64_t cost_a, std::int64_t leaves_a, std::int64_t cost_b, std::int64_t leaves_b) const;
  double objective(std::int64_t cost, std::int64_t leaves) const;

 private:
  double value_;
  std::uint64_t mantissa_ = 0;  // value_ = mantissa_ · 2^exponent_
  int exponent_ = 0;
};

// Which trees are looked for, and what their mistakes cost.
struct SweepOptions {
  std::int32_t n_classes = 0;
  std::vector<std::int64_t> error_costs;  // [true × n_classes + predicted]; empty: each mistake costs 1
  double leaf_penalty = 0;
  std::int32_t max_depth = 2;
  std::int64_t max_leaves = 0;  // 0: as many as the depth allows
  std::int64_t min_leaf = 1, min_leaf_weight = 0;
  int lanes = 32;  // thresholds a look, 1 to 32: changes the work and never the tree; fewer are for tests
};

// The largest cost at which a tree of exactly i leaves is still of interest, for i = 1 .. 8; below 0: at
// none.
using SweepLimits = std::array<std::int64_t, 9>;

// Costs of trees by their number of leaves; index 0 is not used.
using SideCosts = std::array<std::int64_t, 5>;

}  // namespace thriftree
