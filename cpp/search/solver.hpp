// Branch and bound over the sets of rows that tests cut out. V(S, budget) is the least value of a tree for
// the rows S; see docs/guide/optimal_bounds.md for the bounds B1 to B8.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "search/budget.hpp"
#include "search/cache.hpp"
#include "search/kept_answers.hpp"
#include "search/kernel.hpp"
#include "search/node_bits.hpp"
#include "search/units.hpp"

namespace thriftree {

// What all workers of one search share; nothing of it changes but the cache.
struct SearchShared {
  const NodeMaker& nodes;
  const SearchUnits& units;
  const SearchSwitches& switches;
  KernelLimits limits;
  SearchCache& cache;
};

// V itself, or at least a lower bound of it.
struct SearchAnswer {
  SearchValue value = 0;
  bool exact = false;
};

// A test at a node, with what is known of trees that begin with it and are deeper than the kernel looked.
struct RootOption {
  std::size_t column = 0;
  SearchValue lower_bound = 0;
  SearchValue side[2] = {0, 0};     // lower bounds of the two children
  bool solved[2] = {false, false};  // whether the side's bound comes from a search of it
  SearchValue guess = 0;  // the best of the kernel's own trees: the order in which options are tried
  SearchValue pay = 0;    // what asking, or the order, costs
  std::vector<std::uint32_t> order;  // features that are ordered in place of a test; empty: none are
};

class Solver {
 public:
  Solver(const SearchShared& shared, std::function<void()> poll)
      : shared_(shared), kernel_(shared.nodes, shared.limits), poll_(std::move(poll)) {}

  // V if it is below `target`; else a lower bound that is not below it.
  SearchAnswer solve(const NodeBits& node, TreeBudget budget, SearchValue target);
  // The same for a child, which is made only if nothing is known of it.
  SearchAnswer solve_child(const NodeBits& node, std::size_t column, int side, TreeBudget budget,
                           SearchValue target);

  // What is known of a child without searching it: a lower bound of V, 0 if it is nothing.
  SearchValue known_bound(const NodeBits& node, std::size_t column, int side, TreeBudget budget);

  // How deep the kernel looks at a node: three levels, fewer where the switches or prices say so.
  int most_levels(const NodeBits& node) const;
  // What the kernel says of the node: as deep as the budget allows, at most so many levels.
  void look(const NodeBits& node, TreeBudget budget, KernelAnswer& answer);
  // What no tree that the kernel did not look at is below: its leaves, and the cheapest test of the node.
  SearchValue beyond(const KernelAnswer& answer) const;
  // The best tree that the kernel looked at.
  SearchValue best_looked_at(const KernelAnswer& answer, TreeBudget budget) const;
  // The tests that may begin a deeper tree, most promising first.
  std::vector<RootOption> options(const NodeBits& node, const KernelAnswer& answer) const;
  // The best value below `target` of a tree that begins with this test; else a lower bound that is not below
  // it. What is learnt of the two sides is noted in the option.
  SearchAnswer try_option(const NodeBits& node, RootOption& option, TreeBudget budget, SearchValue target);
  // B4: what is known of a side of `known` raises the bounds of `other`.
  void compare(const NodeBits& node, const KernelAnswer& answer, TreeBudget budget, const RootOption& known,
               RootOption& other) const;

  SearchValue leaf_value(std::int64_t cost) const { return value_of(cost, 1); }
  SearchValue value_of(std::int64_t cost, int leaves) const {
    return cost >= kNoCost ? kNoTree : shared_.units.of_cost(cost) + leaves * shared_.units.leaf();
  }
  // The best of a side's trees that the kernel looked at, with at most so many leaves.
  SearchValue side_value(const KernelAnswer& answer, std::size_t column, int side, int leaves) const;
  // Where the value of a shallower budget is asked for: a value known for so many levels more bounds it.
  void set_known_slack(int levels) { known_slack_ = levels; }

  const SearchShared& shared() const { return shared_; }
  SearchStatistics statistics;
  // What kernels took so far, in blocks of 16 tests x 16 entries. The same on every machine.
  std::int64_t work = 0;

 private:
  SearchAnswer branch(const NodeBits& node, const KernelAnswer& answer, TreeBudget budget,
                      SearchValue target);
  // `only_pair`: the leaves are divided in no other way, so what is learnt of a side holds for the option.
  SearchAnswer solve_pair(const NodeBits& node, RootOption& option, TreeBudget first, TreeBudget second,
                          bool only_pair, SearchValue target);
  SearchAnswer solve_order(const NodeBits& node, RootOption& option, TreeBudget budget, SearchValue target);
  void add_orders(const NodeBits& node, std::vector<RootOption>& options) const;
  // A lower bound of V by rough prices, where they are quicker than V itself; else 0.
  SearchValue rough_bound(const NodeBits& node, TreeBudget budget);
  static void note_side(RootOption& option, int side, SearchValue value);
  bool is_known(const Hash128& rows, TreeBudget budget, SearchValue target, SearchAnswer& answer);
  SearchAnswer try_test(const NodeBits& node, RootOption& option, TreeBudget budget, SearchValue target);
  // A side of a test.
  struct Side {
    std::size_t column;
    int side;
  };
  bool may_compare(const NodeBits& node, std::size_t known, std::size_t other) const;
  // What payers could pay more if the tree of side `other` served side `known`; `both` answer both tests with
  // 1.
  std::int64_t price_of_moving(const NodeBits& node, const KernelAnswer& answer, Side known, Side other,
                               std::int64_t both) const;
  SearchValue bound_of(const RootOption& option, const KernelAnswer& answer) const;

  const SearchShared& shared_;
  Kernel kernel_;
  KeptAnswers kept_;
  std::function<void()> poll_;
  int known_slack_ = 0;
};

}  // namespace thriftree
