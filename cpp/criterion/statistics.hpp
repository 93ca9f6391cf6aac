// Which sums are kept of every set of rows, and where each is: the plain ones first, then what a criterion
// needs beside them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "table/target.hpp"

namespace thriftree {

// An object is *heavy* if it weighs more than the mass at which a node may stay as it is (theta). The terms
// of heavy objects depend on the node: they are counted anew there, never subtracted.
struct Statistics {
  std::size_t base = 0;       // plain sums: the weight of each class, or {weight, weight * y}
  std::size_t n_groups = 0;   // classes, or bins of a numeric target; what `counts` counts by
  bool counts = false;        // objects per group, where they differ from the weights
  bool heavy_weight = false;  // weight of heavy objects, where some are heavy and some are not
  bool heavy_terms = false;   // sum of p / (P - p) over heavy objects, P the node's weight; and the weight of
                              // the dominant one (more than P / 2), which that sum leaves out
  std::int64_t heavy_above = std::numeric_limits<std::int64_t>::max();  // in the target's fixed point
  bool members = false;  // rows behind the objects, where limits ask for them
  // What impurities count a unit of each class's weight for (see TargetScale::factors_apart). Empty: 1 each.
  std::vector<double> class_factors = {};

  std::size_t counts_at() const { return base; }
  std::size_t heavy_weight_at() const { return base + (counts ? n_groups : 0); }
  std::size_t heavy_terms_at() const { return heavy_weight_at() + (heavy_weight ? 1 : 0); }
  std::size_t dominant_at() const { return heavy_terms_at() + 1; }
  std::size_t width() const { return heavy_terms_at() + (heavy_terms ? 2 : 0); }
  bool recounted() const { return heavy_terms || members; }
};

// The plain sums alone.
inline Statistics plain_statistics(const TargetScale& target) {
  Statistics statistics;
  statistics.base = static_cast<std::size_t>(target.width());
  statistics.n_groups = static_cast<std::size_t>(target.n_groups());
  if (target.factors_apart) statistics.class_factors = target.class_factors;
  return statistics;
}

// Terms p / (P - p) are at most 2 in sum once the dominant object is left out. In units of 2^-56 sixteen
// times that fits: see weights_in_fixed_point for the sixteen.
inline constexpr double kTermUnit = 0x1p-56;

}  // namespace thriftree
