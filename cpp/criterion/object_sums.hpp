// Which sums scores need that count objects, and how these weigh.
#pragma once

#include "criterion/statistics.hpp"

namespace thriftree {

// How the objects of a fit weigh.
struct ObjectWeights {
  double total = 1;        // of all objects
  double theta = 0;        // a node of at most this weight may stay as it is
  bool unit = false;       // every object weighs 1, so that counts are weights
  bool all_heavy = false;  // every object weighs more than theta
};

// What the enhanced score needs to know of objects, where a node of the share `theta` of all weight may stay
// as it is. Throws BadInput where `theta` is negative or not a number.
struct ObjectSums {
  Statistics statistics;
  ObjectWeights weights;
};
ObjectSums object_sums(const TargetHeader& target, double theta);

}  // namespace thriftree
