// A search without limits of time or memory, for the tests of searches.
#pragma once

#include "run/control.hpp"
#include "search/search.hpp"

namespace thriftree {

inline SearchResult solved(const SearchProblem& problem, const SearchOptions& options, int n_threads = 1) {
  Control control;
  control.n_threads = n_threads;
  return search_tree(problem, options, {}, control, {});
}

}  // namespace thriftree
