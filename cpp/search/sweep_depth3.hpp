// The best trees of depth 3 over all thresholds: intervals of root thresholds, halved by exact depth-2
// searches of both sides. docs/decisions/018-all-thresholds.md has the bounds with their proofs.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <vector>

#include "run/team.hpp"
#include "search/sweep_incumbent.hpp"

namespace thriftree {

class DepthThreeSearch {
 public:
  // `whole`: lower bounds of depth-2 trees of all rows, by leaves, whatever the leaves' sizes. The incumbent
  // has the best tree of depth 2. Both it and `rows` are borrowed, and what is found goes to the incumbent
  // under `mutex`.
  DepthThreeSearch(const SweepContext& context, const SweepRows& rows, const SideCosts& whole,
                   SweepIncumbent& incumbent, std::mutex& mutex);

  // To the end, or until the team's control stops it.
  void run(Team& team, Control& control);
  // With the mutex held: what no tree that is still to be found goes below, without the unavoidable cost.
  double open_objective() const;
  // Called with the mutex held whenever the bounds have moved.
  std::function<void()> on_change;

 private:
  struct Sides {
    SideCosts left, right;  // with at most i leaves, whatever the leaves' sizes
  };
  struct Interval {
    std::int32_t column, first, last;        // thresholds, by their index among the column's cuts
    std::int64_t moved_before, moved_after;  // what the rows up to the known thresholds can cost at most
    Sides before, after;                     // of the known thresholds
    double objective;                        // lower bound
  };
  struct Column {
    std::vector<std::int32_t> cuts;   // ranks, ascending; the last rank is none
    std::vector<std::int64_t> moved;  // per cut: what the rows up to it can cost at most
  };
  struct Workspace {
    explicit Workspace(const SweepContext& context)
        : search{DepthTwoSearch(context), DepthTwoSearch(context)} {}
    std::vector<std::uint8_t> marks;
    SweepRows rows[2];
    DepthTwoSearch search[2];
  };

  void push(Interval interval);
  bool shrink(Interval& interval) const;
  void work(Workspace& space, const std::function<void()>& poll);
  void look(Interval interval, Workspace& space, const std::function<void()>& poll);
  void offer(const Workspace& space, std::int32_t column, std::int32_t cut);
  bool of_interest(const SideCosts& left, const SideCosts& right, const SweepLimits& limits) const;
  double least_objective(const SideCosts& left, const SideCosts& right) const;
  std::int32_t cut_of(const Interval& interval, std::int32_t index) const;

  const SweepContext& context_;
  const SweepRows& rows_;
  SweepIncumbent& incumbent_;
  std::mutex& mutex_;
  std::condition_variable changed_;
  bool each_;  // whether max_leaves asks for the best of every number of leaves
  std::vector<Column> columns_;
  std::vector<Interval> open_;     // a heap, the least objective on top
  std::vector<double> under_way_;  // lower bounds of what is being looked at
  bool stopped_ = false;           // by an error or a limit
};

}  // namespace thriftree
