#include "criterion/object_sums.hpp"

#include <cmath>

#include "run/control.hpp"

namespace thriftree {

namespace {

// floor(theta * total), exactly, for a theta below 1.
std::int64_t share_of(double theta, std::int64_t total) {
  int exponent = 0;
  const double fraction = std::frexp(theta, &exponent);  // theta = fraction * 2^exponent, exponent <= 0
  const auto digits = static_cast<int128>(std::ldexp(fraction, 53));
  const int shift = 53 - exponent;
  return shift > 126 ? 0 : static_cast<std::int64_t>((digits * total) >> shift);
}

}  // namespace

ObjectSums object_sums(const TargetHeader& target, double theta) {
  if (!(theta >= 0)) throw BadInput("min_mass must be a share of the weight: 0 or more");
  ObjectSums sums;
  sums.statistics = plain_statistics(target);
  sums.weights.unit = !target.weighted;
  sums.statistics.counts = target.weighted || target.n_classes == 0;
  if (sums.weights.unit) {
    sums.weights.total = static_cast<double>(target.n_rows);
    sums.weights.theta = theta * sums.weights.total;
    sums.weights.all_heavy = sums.weights.theta < 1;
    return sums;
  }
  const std::int64_t mass = theta >= 1 ? target.total : share_of(theta, target.total);
  sums.weights.total = static_cast<double>(target.total) * target.growth_unit;
  sums.weights.theta = theta * sums.weights.total;
  sums.weights.all_heavy = target.lightest > mass;
  sums.statistics.heavy_above = mass;
  sums.statistics.heavy_terms = target.heaviest > mass;
  sums.statistics.heavy_weight = sums.statistics.heavy_terms && !sums.weights.all_heavy;
  return sums;
}

}  // namespace thriftree
