// The best tree so far, what no tree can go below, and which costs are still of interest.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <mutex>
#include <optional>
#include <vector>

#include "search/sweep_tree.hpp"

namespace thriftree {

// Where a tree stands among others, best first: objective, leaves, depth, then the root's column and cut.
struct SweepRank {
  std::int64_t cost = kNoSweep;
  std::int32_t leaves = 1, depth = 0;
  std::int32_t column = std::numeric_limits<std::int32_t>::max(), cut = 0;
};

class SweepIncumbent {
 public:
  // `upper_bound`: trees that are worse do not matter.
  SweepIncumbent(const SweepContext& context, std::optional<double> upper_bound);

  // Takes the tree if it is better. One whose rank has no column yields to every tree that is as good.
  bool offer(const SweepRank& rank, const SweepTree& tree);
  bool is_better(const SweepRank& rank) const;
  // A tree of the same rank.
  void replace(const SweepTree& tree) { tree_ = tree; }
  // The largest cost at which trees of i leaves with roots from this column and cut on matter.
  SweepLimits limits(std::int32_t column, std::int32_t cut) const;

  bool is_there() const { return best_.cost < kNoSweep; }
  const SweepRank& best() const { return best_; }
  const SweepTree& tree() const { return tree_; }
  double objective() const;
  // Whether the best tree is as good as the caller's.
  bool is_within_bound() const;

 private:
  const SweepContext& context_;
  SweepLimits bound_{};  // by the caller's objective and max_leaves
  SweepRank best_;
  SweepTree tree_;
};

}  // namespace thriftree
