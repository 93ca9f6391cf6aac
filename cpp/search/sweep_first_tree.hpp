// A good tree of depth 3 to begin with.
#pragma once

#include "search/sweep_tree.hpp"

namespace thriftree {

struct FirstTree {
  SweepTree tree;
  std::int64_t cost;
};

// This tree with each leaf split once more where that pays, as far as max_leaves allows, and polished. Rows
// are all of the table.
FirstTree first_tree(const SweepContext& context, const SweepRows& rows, const SweepTree& tree,
                     Control& control, Team& team);

}  // namespace thriftree
