// Efficiency (E of paper 000) for many candidates at one node, in factors that are the same for all of them.
#pragma once

#include "run/cpu.hpp"

namespace thriftree {

struct EnhancedRates {
  double weight, objects, pairs, heavy, terms;  // of the node
  double per_pair;                              // 1 / pairs; 0 where there are none
  double theta, light_share, light_rate;        // light objects: do they count? what each unit does
  double dominant_rate;                         // what the dominant object does

  // Weight that E can cover of these objects.
  THRIFTREE_INLINE double mass(double weight_here, double heavy_here) const {
    return light_share * (weight_here - heavy_here) + heavy_here;
  }
  THRIFTREE_INLINE double efficiency(double pairs_here, double weight_here, double rest, double heavy_here,
                                     double terms_here, bool dominant_here) const {
    const double light = light_share * (weight_here - heavy_here);
    const double light_done = weight_here > theta ? light * (rest * light_rate) : light;
    const double done = light_done + rest * (terms_here + (dominant_here ? dominant_rate : 0.0));
    return ((pairs - pairs_here) * (light + heavy_here) + pairs_here * done) * per_pair;
  }
};

}  // namespace thriftree
