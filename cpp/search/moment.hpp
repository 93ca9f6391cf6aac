// How far a search has come.
#pragma once

namespace thriftree {

// How good the best tree is, and what no tree can go below.
struct SearchMoment {
  double seconds, objective, lower_bound;
};

}  // namespace thriftree
