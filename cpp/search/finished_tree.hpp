// Trees over the rows as given: what they cost, their labels, and a caller's tree within the limits.
#pragma once

#include "search/problem.hpp"
#include "search/search_prices.hpp"

namespace thriftree {

struct FinishedCost {
  std::int64_t cost = 0;
  int leaves = 0;
  std::int64_t fixed_price = 0;  // what all payers pay, as the search counts it
  double price = 0;              // the same as people count it
  bool within_budget = true;
};

// Sets the labels, and sums up what the leaves cost on the rows as given. `prices` may be null.
FinishedCost finish_tree(const SearchProblem& problem, const SearchPrices* prices, SearchTree& tree);

// The tree itself; BadInput if it is no tree over these tests.
const SearchTree& checked_tree(const SearchProblem& problem, const SearchTree& tree);

// The tree cut to the limits, and to leaves where a subtree is not worth its leaves; a single leaf where it
// has too many leaves all the same. BadInput if it is no tree over these tests.
SearchTree cut_to_limits(const SearchProblem& problem, const SearchOptions& options,
                         const SearchPrices* prices, const SearchTree& tree);

}  // namespace thriftree
