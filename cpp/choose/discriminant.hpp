// A number for each category, such that the classes lie as far apart as can be (CRIMCOORD of QUEST).
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "run/control.hpp"

namespace thriftree {

// The first discriminant coordinate of the categories as vectors of 0 and 1, from counts[category * n_classes
// + class] of categories that all have some weight, moved to the scale from 0 to 1.
//
// The total scatter of such vectors is diag(n) - nn'/N, so the largest ratio of the scatter between classes
// to the total one is the singular value problem of (counts - expected) / sqrt(n_category n_class), the
// correspondence analysis of the table.
//
// The direction is made definite: of all directions that tell the classes apart as well as any (there can be
// several), it is the one in which the first category that tells anything lies farthest to the left. Scores
// that differ by rounding only are equal. Where no category differs from another, the scores are in order.
std::vector<double> discriminant_scores(std::span<const double> counts, int n_classes,
                                        const std::function<void()>& poll);

}  // namespace thriftree
