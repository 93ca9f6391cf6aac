// A good tree in milliseconds: at each node the kernel looks some levels ahead, the most promising tests are
// tried, and the last levels are exact.
#pragma once

#include <functional>
#include <utility>

#include "search/rebuild.hpp"
#include "search/solver.hpp"

namespace thriftree {

struct FoundTree {
  SearchTree tree;  // labels are not set
  SearchValue value = kNoTree;

  int leaves() const { return static_cast<int>((tree.test.size() + 1) / 2); }
};

// What a look-ahead may take in all, as Solver::work counts it: about 30 ms of a CPU with AVX-512.
// Counted and not timed, so that a tree depends on no clock.
constexpr std::int64_t kLookaheadWork = 120'000'000;

class Lookahead {
 public:
  using Better = std::function<void(const FoundTree&)>;

  // `levels` are looked at before a test is chosen: 1 is greedy, 3 the kernel's most.
  Lookahead(Solver& solver, const SearchEntries& entries, int levels)
      : solver_(solver), entries_(entries), levels_(levels) {}

  // At each node so many tests are tried, the most promising first.
  FoundTree grow(const NodeBits& node, TreeBudget budget, int beam, int level = 0);
  // As many tests as the work allows, and at least one: first each by a plain look-ahead below it, then the
  // best of these with more work below. Never worse than grow with a beam of 1. `better` hears of every
  // tree of `node` that is better than those before it.
  FoundTree grow_within(const NodeBits& node, TreeBudget budget, std::int64_t work,
                        const Better& better = {});

 private:
  struct Plan {
    std::size_t column;
    SearchValue value;  // of the trees that were looked at
    int first, second;  // leaves of the two sides
    SearchValue pay;    // what asking costs
  };
  using GrowChild = std::function<FoundTree(const NodeBits&, TreeBudget)>;

  static constexpr int kBeamLevels =
      4;  // below them one test is tried at each node, or depth would multiply the beam
  static constexpr int kRefined = 3;  // plans that share the work of refining

  // A leaf, or the best tree where the kernel sees it; else what the kernel says of the node is in `answer`.
  bool is_settled(const NodeBits& node, TreeBudget budget, KernelAnswer& answer, FoundTree& best);
  // The most promising plans, best first.
  std::vector<Plan> plans(const KernelAnswer& answer, TreeBudget budget, std::size_t most) const;
  // The best tree one level above the kernel's, where children are exact: its tests by branch and bound, as
  // many as there is work for. `best` is better than a leaf afterwards, if a tree is.
  void grow_exactly_below(const NodeBits& node, TreeBudget budget, const KernelAnswer& answer,
                          std::int64_t end, FoundTree& best);
  FoundTree grow_from(const NodeBits& node, const Plan& plan, TreeBudget budget,
                      const GrowChild& grow_child) const;

  Solver& solver_;
  const SearchEntries& entries_;
  int levels_;
};

}  // namespace thriftree
