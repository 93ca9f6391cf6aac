// The door to the search: a problem and limits to a tree, and how far it is proved to be best.
#pragma once

#include "run/control.hpp"
#include "search/problem.hpp"

namespace thriftree {

// Where a search may start from: any tree over the tests; labels are not read. Empty: none.
using WarmStart = SearchTree;

SearchResult search_tree(const SearchProblem& problem, const SearchOptions& options,
                         const WarmStart& warm_start, Control& control, const SearchProgress& progress);

// What a tree costs, and whether it is within the budget: its objective is infinite if not. `cut`: first cut
// to the limits, and to leaves where a subtree is not worth what it costs.
SearchResult evaluate_tree(const SearchProblem& problem, const SearchOptions& options, const SearchTree& tree,
                           bool cut);

// The optimum for each leaf penalty, in the order given; what one search learns the next ones use.
std::vector<SearchResult> search_path(const SearchProblem& problem, const SearchOptions& options,
                                      const std::vector<double>& leaf_penalties, const WarmStart& warm_start,
                                      Control& control, const SearchProgress& progress);

}  // namespace thriftree
