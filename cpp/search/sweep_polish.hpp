// A tree in hand made better without changing its shape: every test anew, given the others, until none
// improves.
#pragma once

#include <cstdint>
#include <vector>

#include "search/sweep_tree.hpp"

namespace thriftree {

struct PolishOptions {
  bool depth_two = true;  // whether bottom subtrees of depth 2 are found anew as a whole
  // A bottom subtree is found anew as a whole if columns² × rows are no more; else test by test.
  std::int64_t depth_two_work = std::int64_t{1} << 28;
  int max_passes = 100;
};

// Never worse by objective, then leaves; with the same number of leaves or fewer, and no deeper. Status
// "heuristic", or what cut it off: the tree is valid at any time. Leaves that are too small for the options
// are merged first, which may cost.
SweepResult polish_tree(const SweepTable& table, const SweepOptions& options, const SweepTree& tree,
                        const PolishOptions& polish, Control& control);

}  // namespace thriftree
