// The passes of a polish: tests and bottom subtrees of one tree, found anew level by level.
#pragma once

#include <cstdint>
#include <functional>
#include <numeric>
#include <set>
#include <tuple>
#include <vector>

#include "search/sweep_polish.hpp"

namespace thriftree {

// The leaf that a row comes to from a node on.
std::int32_t leaf_for(const SweepTable& table, const SweepTree& tree, std::int32_t node, std::size_t row);

class Polisher {
 public:
  Polisher(const SweepContext& context, const SweepRows& rows, const SweepTree& tree,
           const PolishOptions& polish, Control& control, Team& team)
      : context_(context), rows_(rows), polish_(polish), control_(control), team_(team) {
    take(tree);
    merge_small_leaves();
  }

  // Passes over all nodes, the deepest first, until one changes nothing. `on_change` hears of every better
  // tree.
  void run(const std::function<void()>& on_change);
  const SweepTree& tree() const { return tree_; }
  std::int64_t cost() const { return std::accumulate(costs_.begin(), costs_.end(), std::int64_t{0}); }

 private:
  struct LeafSize {
    std::int64_t count = 0, weight = 0;
  };
  // A row at a node whose test is renewed.
  struct Move {
    std::int32_t node = -1;              // by its index; -1: none
    std::int32_t left_leaf, right_leaf;  // to which it comes on either side
    std::int64_t gain;                   // what it costs more on the left
  };
  struct Start {
    std::vector<std::int64_t> all_left, all_right;  // per node: what its rows cost if all go there
    std::vector<LeafSize> sizes;                    // per node of the tree
    std::vector<std::int32_t> too_small;            // per node: leaves below it
  };

  void take(const SweepTree& tree);
  bool pass(const std::function<void()>& on_change);
  void merge_small_leaves();
  void route();
  std::int32_t leaf_below(std::int32_t node, std::size_t row) const {
    return leaf_for(context_.table, tree_, node, row);
  }
  std::vector<std::int32_t> nodes_at(std::int32_t depth) const;
  bool renew_subtrees(const std::vector<std::int32_t>& nodes);
  bool renew_tests(const std::vector<std::int32_t>& nodes);
  Start start_of(const std::vector<std::int32_t>& nodes);
  void scan_column(std::size_t c, const Start& start, std::vector<SweepTest>& best) const;
  bool decide(std::int32_t node, const SweepTest& test, std::int64_t all_left, std::int64_t all_right,
              SweepTree& made) const;
  bool is_small(const LeafSize& leaf) const {
    return !is_large_enough(context_.options, static_cast<std::size_t>(leaf.count), leaf.weight);
  }
  SweepTree rebuilt(std::int32_t node, const std::vector<std::int32_t>& changed,
                    const std::vector<SweepTree>& made) const;
  bool is_renewed_whole(std::int32_t node) const;
  std::size_t bytes_of_renewal(std::int64_t n_rows) const;
  std::int64_t cost_below(std::int32_t node) const;
  std::int32_t leaves_below(std::int32_t node) const;

  const SweepContext& context_;
  const SweepRows& rows_;  // all rows: places are rows of the table
  const PolishOptions& polish_;
  Control& control_;
  Team& team_;

  SweepTree tree_;
  std::vector<std::int32_t> depth_, height_, end_;  // per node; `end_` is after the last node of its subtree
  std::vector<std::int32_t> parent_;                // per node; -1 at the root
  std::vector<std::int64_t> count_, weight_;        // per node: of its rows
  std::vector<std::int64_t> costs_;                 // per node: of its rows if it is a leaf, else 0
  std::vector<std::int64_t> label_costs_;           // per node and label, of leaves
  std::vector<std::int32_t> leaf_of_row_;
  std::vector<std::uint64_t> hash_;  // per node: of the set of its rows
  // Sets of rows, by hash, with the leaves and depth for which the best subtree is known to be in the tree.
  std::set<std::tuple<std::uint64_t, std::int32_t, std::int32_t>> settled_;
  std::vector<Move> moves_;  // per row, while tests are renewed
};

}  // namespace thriftree
