// The one greedy loop: count, choose, divide.
#pragma once

#include <string>

#include "choose/choice_memory.hpp"
#include "criterion/score.hpp"
#include "criterion/statistics.hpp"
#include "grow/growth.hpp"
#include "grow/stop_rule.hpp"
#include "price/path_state.hpp"
#include "table/table.hpp"
#include "table/target.hpp"
#include "tree/tree.hpp"

namespace thriftree {

// A node of a larger tree as the root of the growth: what is said of the tree is said of the larger one.
struct Start {
  int depth = 0;
  int other_leaves = 0;     // of the larger tree, beside those that grow here
  double sample_share = 1;  // of the larger tree's sample weight, what lies here,
  double growth_share = 1;  // and of its growth weight
  PathState bought;         // by the path to here,
  double paid = 0;          // and for how much; of a budget the rest is left
};

struct Loop {
  const std::vector<Column>& columns;
  const Score& score;  // for impurities
  const StopRules& stop;
  RowStore& store;
  Chooser& chooser;
  Grower& grower;
  Start start{};
  ChoiceMemory* memory = nullptr;  // where other trees of these rows were or will be grown
  int variant = 0;                 // which of them this is
};

// Where the time of the loop went, by the clock on the wall: that of CPUs takes a call of the system to read,
// which nodes of a few rows would feel.
struct GrowthSeconds {
  double counting = 0, choosing = 0, dividing = 0;
};

struct GrowthResult {
  Growth growth;
  std::string stopped_by;  // empty, or what ended the growth: "time_limit" or "interrupt"
  GrowthSeconds seconds;
};

GrowthResult grow(const Loop& loop, Control& control, Team& team);

// After growing: every node's totals are plain sums, of rows, and its impurity is by `impurity`, whatever the
// score looked at.
void keep_plain_totals(Growth& growth, const Statistics& statistics, const Impurity& impurity);

// The finished tree. `error_costs` is empty or n_classes * n_classes, [true * n_classes + predicted].
Tree make_tree(const Growth& growth, const std::vector<Column>& columns, const TargetScale& target,
               const std::vector<double>& error_costs);

}  // namespace thriftree
