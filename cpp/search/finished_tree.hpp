// Trees over the rows as given: what they cost, their labels, and a caller's tree within the limits.
#pragma once

#include "search/problem.hpp"

namespace thriftree {

struct FinishedCost {
  std::int64_t cost = 0;
  int leaves = 0;
};

// Sets the labels, and sums up what the leaves cost on the rows as given.
FinishedCost finish_tree(const SearchProblem& problem, SearchTree& tree);

// The tree cut to the limits, and to leaves where a subtree is not worth its leaves; a single leaf where it
// has too many leaves all the same. BadInput if it is no tree over these tests.
SearchTree cut_to_limits(const SearchProblem& problem, const SearchOptions& options, const SearchTree& tree);

}  // namespace thriftree
