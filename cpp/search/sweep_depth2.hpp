// The best trees of depth 2 at most over all thresholds of a node's rows, by intervals of root thresholds.
// docs/decisions/018-all-thresholds.md has the bounds with their proofs.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <vector>

#include "run/team.hpp"
#include "search/sweep_lanes.hpp"
#include "search/sweep_split.hpp"

namespace thriftree {

// What every search over one table shares.
struct SweepContext {
  SweepContext(const SweepTable& table, const SweepOptions& options)
      : table(table), options(options), penalty(options.leaf_penalty), lanes(table, options) {}
  const SweepTable& table;
  const SweepOptions& options;
  LeafPenalty penalty;
  LaneArithmetic lanes;
};

class DepthTwoSearch {
 public:
  explicit DepthTwoSearch(const SweepContext& context) : context_(context) {}

  // Bytes that a search among so many rows takes on so many threads, beside the rows.
  static std::size_t bytes(const SweepContext& context, std::size_t n_rows, int n_threads);

  // Trees of exactly i = 1 .. 4 leaves count if they cost limits[i] at most. `each` wants the best tree of
  // every number of leaves, where a smaller one is not as cheap; else only the best by the objective is
  // wanted.
  void start(const SweepRows& rows, const SweepLimits& limits, bool each, Team* team = nullptr);
  // One look at every column that is open; with a team on its threads. False: the search has ended before.
  bool step(Team* team, const std::function<void()>& poll);
  void finish(const std::function<void()>& poll) {
    while (step(nullptr, poll)) {
    }
  }

  // The best tree of exactly i leaves that has been found, if one within the limits has.
  const SweepTest& found(int leaves) const { return found_[static_cast<std::size_t>(leaves)]; }
  // The number of leaves of the best tree found; 0: none is within the limits.
  int best_leaves() const { return best_leaves_; }
  // No tree of at most i leaves costs less, whatever the sizes of its leaves; valid at any time.
  SideCosts free_costs() const;
  // No tree of at most i leaves that is still to be found costs less.
  SideCosts open_costs() const;

 private:
  // Costs of both sides of a threshold with at most one and two leaves, whatever the leaves' sizes.
  struct Sides {
    std::int64_t left1, left2, right1, right2;
  };
  // Thresholds first .. last of a column, by their index among its cuts, between two that are known.
  struct Interval {
    std::int32_t first, last;
    std::int64_t moved_before, moved_after;  // what the rows up to the known thresholds can cost at most
    Sides before, after;                     // of the known thresholds
    std::size_t
        by_column;  // in Column::by_column: per column, left sides of `before`, then right sides of `after`
  };
  struct Column {
    std::vector<std::uint32_t> ends;  // positions in the order after which a cut may be
    std::vector<std::int64_t> moved;  // per end: what the rows up to it can cost at most
    std::vector<Interval> open;
    std::vector<std::int64_t> by_column;
  };
  struct LowerCosts {
    std::int64_t three, four;
  };
  // One look at a column: up to kLanes of its thresholds.
  struct Look {
    std::size_t column;
    std::vector<std::int32_t> interval, cut;  // of each lane
    std::vector<std::uint32_t> positions;
    std::vector<std::size_t> split_by;  // columns of which a side may have a use
    LaneBatch batch;
    std::vector<LaneAnswer> answers;
  };

  static std::size_t looks_at_once(std::size_t n_columns, int n_threads);
  void look_together(Team& team, std::size_t n_looks);
  void start_column(std::size_t c);
  std::int64_t limit(int leaves, bool first_wins) const;
  bool of_interest(const LowerCosts& lower, std::size_t c, std::int32_t index) const;
  LowerCosts lower_costs(const Sides& before, const Sides& after) const;
  bool shrink(std::size_t c, Interval& interval);
  void close(const LowerCosts& lower);
  bool plan(std::size_t c, Look& look);
  void spread(const Column& column, Look& look) const;
  void find_useful(const Column& column, Look& look) const;
  void answer(Look& look, std::size_t at, int worker);
  void absorb(Look& look);
  Sides sides_of(const Look& look, std::size_t lane, const Interval& parent, std::int64_t* left,
                 std::int64_t* right) const;
  void offer(int leaves, std::int64_t cost, std::int32_t column, std::int32_t cut);
  void offer_lane(const Look& look, std::size_t lane, const Sides& sides);
  std::int32_t cut_of(std::size_t c, std::int32_t index) const;

  const SweepContext& context_;
  const SweepRows* rows_ = nullptr;
  SweepLimits limits_{};
  bool each_ = false;
  SplitScan scan_;
  SweepLeaf leaf_;
  std::array<SweepTest, 5> found_;
  int best_leaves_ = 0;
  std::vector<Column> columns_;
  std::vector<Look> looks_;
  std::vector<LaneScratch> scratch_;       // per thread
  LowerCosts closed_{kNoSweep, kNoSweep};  // no tree at a threshold that was looked at or left out costs less
};

}  // namespace thriftree
