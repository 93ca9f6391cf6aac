// A good tree in milliseconds: at each node the kernel looks some levels ahead, the most promising tests are
// tried, and the last levels are exact.
#pragma once

#include "search/rebuild.hpp"
#include "search/solver.hpp"

namespace thriftree {

struct FoundTree {
  SearchTree tree;  // labels are not set
  SearchValue value = kNoTree;
};

class Lookahead {
 public:
  // `levels` are looked at before a test is chosen: 1 is greedy, 3 the kernel's most.
  Lookahead(Solver& solver, const SearchEntries& entries, int levels, int beam)
      : solver_(solver), entries_(entries), levels_(levels), beam_(beam) {}

  FoundTree grow(const NodeBits& node, TreeBudget budget, int level = 0);

 private:
  struct Plan {
    std::size_t column;
    SearchValue value;  // of the trees that were looked at
    int first, second;  // leaves of the two sides
  };

  static constexpr int kBeamLevels =
      4;  // below them one test is tried at each node, or depth would multiply the beam

  std::vector<Plan> plans(const KernelAnswer& answer, TreeBudget budget, int beam) const;
  FoundTree grow_from(const NodeBits& node, const Plan& plan, TreeBudget budget, int level);

  Solver& solver_;
  const SearchEntries& entries_;
  int levels_, beam_;
};

}  // namespace thriftree
