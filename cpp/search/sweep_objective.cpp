#include "search/sweep_objective.hpp"

#include <cmath>

#include "run/control.hpp"

namespace thriftree {

namespace {
__extension__ using Wide = unsigned __int128;
}

LeafPenalty::LeafPenalty(double penalty) : value_(penalty) {
  if (!(penalty >= 0) || std::isinf(penalty)) throw BadInput("leaf_penalty must be a number of 0 or more");
  const double fraction = std::frexp(penalty, &exponent_);
  mantissa_ = static_cast<std::uint64_t>(std::ldexp(fraction, 53));
  exponent_ -= 53;
}

std::int64_t LeafPenalty::whole(std::int64_t k) const {
  const Wide product = Wide{mantissa_} * static_cast<std::uint64_t>(k);
  if (product == 0) return 0;
  if (exponent_ <= -128) return 0;
  if (exponent_ < 0) {
    const Wide whole = product >> -exponent_;
    return whole < Wide{kNoSweep} ? static_cast<std::int64_t>(whole) : kNoSweep;
  }
  if (exponent_ >= 60 || product >= (Wide{kNoSweep} >> exponent_)) return kNoSweep;
  return static_cast<std::int64_t>(product << exponent_);
}

int LeafPenalty::compare(std::int64_t cost_a, std::int64_t leaves_a, std::int64_t cost_b,
                         std::int64_t leaves_b) const {
  if (leaves_a < leaves_b) return -compare(cost_b, leaves_b, cost_a, leaves_a);
  const std::int64_t k = leaves_a - leaves_b, room = cost_b - cost_a;
  const std::int64_t floor = whole(k);
  if (floor != room) return floor < room ? -1 : 1;
  // λ·k lies in [room, room + 1): it is equal only if nothing was rounded off.
  const Wide product = Wide{mantissa_} * static_cast<std::uint64_t>(k);
  if (product == 0 || exponent_ >= 0) return 0;
  if (exponent_ <= -128) return 1;
  return (product & ((Wide{1} << -exponent_) - 1)) == 0 ? 0 : 1;
}

double LeafPenalty::objective(std::int64_t cost, std::int64_t leaves) const {
  return static_cast<double>(cost) + value_ * static_cast<double>(leaves);
}

}  // namespace thriftree
