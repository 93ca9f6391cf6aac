#include "search/units.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <string>

#include "run/control.hpp"

namespace thriftree {

SearchUnits::SearchUnits(double leaf_penalty, std::int64_t most_cost, std::int64_t most_leaves)
    : most_leaves_(most_leaves), most_cost_(most_cost) {
  const int bits = std::bit_width(static_cast<std::uint64_t>(most_cost) + 1);
  shift_ = std::min(32, 58 - bits);
  if (shift_ < 0 || (std::int64_t{1} << shift_) <= most_leaves) {
    throw BadInput("the weights and error costs add up to " + std::to_string(most_cost) +
                   ", too much for trees of " + std::to_string(most_leaves) +
                   " leaves: give the weights in coarser units");
  }
  // A leaf that costs more than every mistake together is as good as any that costs still more.
  const double penalty = std::min(leaf_penalty, static_cast<double>(most_cost) + 1);
  leaf_ = static_cast<SearchValue>(std::floor(std::ldexp(penalty, shift_))) + 1;
}

double SearchUnits::lower_bound(SearchValue value) const {
  const double at_least = std::ldexp(static_cast<double>(value - most_leaves_), -shift_);
  return std::max(0.0, std::nextafter(at_least, -1.0));
}

}  // namespace thriftree
