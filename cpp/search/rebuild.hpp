// From values to trees: of all trees of the least value the one that comes first. First means: fewest leaves
// (part of the value), least depth, then at each node, from the root on and the first branch first, the
// smallest test by (feature, test), and where max_leaves forces a choice the fewest leaves on the first
// branch.
#pragma once

#include "search/solver.hpp"

namespace thriftree {

class Rebuild {
 public:
  Rebuild(Solver& solver, const SearchEntries& entries) : solver_(solver), entries_(entries) {}

  // A tree of this value, which must be V(node, budget). Its labels are not set.
  // `looked` is what the kernel says of the node within the budget, if the caller has asked it.
  SearchTree build(const NodeBits& node, TreeBudget budget, SearchValue value,
                   const KernelAnswer* looked = nullptr);
  // The same where the root's test is known; `value` is the least of such trees.
  SearchTree build_from(const NodeBits& node, const RootOption& option, TreeBudget budget, SearchValue value);

 private:
  struct Division {
    std::size_t column;
    TreeBudget first, second;
    SearchValue first_value, second_value;
  };

  std::int32_t add(const NodeBits& node, TreeBudget budget, SearchValue value, const KernelAnswer* looked,
                   SearchTree& tree);
  static std::vector<RootOption> take_orders(std::vector<RootOption>& options);
  std::int32_t divide(const NodeBits& node, const Division& division, SearchTree& tree);
  bool find_looked_at(const NodeBits& node, const KernelAnswer& answer, TreeBudget budget, SearchValue value,
                      Division& found);
  bool find_deeper(const NodeBits& node, const RootOption& option, TreeBudget budget, SearchValue value,
                   Division& found);
  bool find_pair(const NodeBits& node, const RootOption& option, TreeBudget first, TreeBudget second,
                 SearchValue value, Division& found);

  Solver& solver_;
  const SearchEntries& entries_;
};

}  // namespace thriftree
