// Trees over all thresholds: what a search is asked for, and what it gives at any time.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "run/control.hpp"
#include "search/moment.hpp"
#include "search/sweep_depth2.hpp"

namespace thriftree {

// Nodes in pre-order, the root first. Rows of a rank up to `cut` go left; column -1 is a leaf.
struct SweepTree {
  std::vector<std::int32_t> column, cut, left, right, label;

  std::size_t size() const { return column.size(); }
  std::int32_t leaves() const { return static_cast<std::int32_t>((column.size() + 1) / 2); }
};

SweepTree leaf_tree(std::int32_t label);
SweepTree joined(std::int32_t column, std::int32_t cut, const SweepTree& left, const SweepTree& right);
// The subtree below a node, as a tree.
SweepTree subtree(const SweepTree& tree, std::int32_t node);
std::int32_t depth_of(const SweepTree& tree, std::int32_t node = 0);
// Whether `a` has the smaller column or cut where the two first differ, in pre-order; a leaf is before a
// test.
bool precedes(const SweepTree& a, const SweepTree& b);

// The tree of so many leaves, 1 to 4, that a search of depth 2 has found, with the first tests of those
// equal.
SweepTree tree_of(const SweepContext& context, const SweepRows& rows, int leaves, const SweepTest& test,
                  Team* team = nullptr);

struct SweepResult {
  SweepTree tree;
  std::int64_t cost = 0;
  double objective = 0, lower_bound = 0;
  std::string status;  // "optimal", "time_limit", "memory_limit" or "interrupted"
  std::vector<SearchMoment> history;
};

// The best tree over all thresholds of at most options.max_depth, 1 to 3. `upper_bound` is the objective of
// any tree, known to the caller: the search leaves out what is worse. If no tree is as good, the search
// begins again without it. `progress` hears of moments, in the calling thread.
SweepResult sweep_tree(const SweepTable& table, const SweepOptions& options,
                       std::optional<double> upper_bound, Control& control,
                       const std::function<void(const SearchMoment&)>& progress);

}  // namespace thriftree
