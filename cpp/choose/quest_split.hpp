// Where QUEST splits a variable: two normal distributions, one for each group of classes, cross there.
#pragma once

#include <optional>
#include <span>

namespace thriftree {

// How many of the ascending values (from 0 to 1) go left, by the weights counts[value * n_classes + class];
// at least one, and not all.
std::size_t quest_n_left(std::span<const double> values, std::span<const double> counts,
                         std::size_t n_classes);

// How far from the mean of A, towards the mean of B, the densities of the two normal distributions, times
// their shares, are equal; none if nowhere.
//
// `narrow` and `wide` are the variances of A and B, `apart` the distance of their means, and `log_odds` the
// logarithm of A's share over B's. Of two crossings it is the one nearer to the mean of A, and also to that
// of B: both lie on the same side of the point halfway between the crossings. With s, v and δ for the
// variances and the distance, and L = log odds + log(v / s) / 2, the equation is
// (v - s) t² + 2 s δ t - (s δ² + 2 s v L) = 0; the root is written so that v = s is no special case.
std::optional<double> crossing_of_normals(double narrow, double wide, double apart, double log_odds);

}  // namespace thriftree
