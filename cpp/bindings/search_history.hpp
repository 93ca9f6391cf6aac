// The moments of a search, for Python.
#pragma once

#include <nanobind/nanobind.h>

#include "search/moment.hpp"

namespace thriftree::bindings {

// (seconds, objective, lower bound), whenever one has changed, of what has a `history`.
template <class Result>
nanobind::list history_of(const Result& result) {
  nanobind::list made;
  for (const SearchMoment& moment : result.history)
    made.append(nanobind::make_tuple(moment.seconds, moment.objective, moment.lower_bound));
  return made;
}

}  // namespace thriftree::bindings
