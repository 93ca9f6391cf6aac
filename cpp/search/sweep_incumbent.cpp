#include "search/sweep_incumbent.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace thriftree {

namespace {

// The largest whole cost with which so many leaves have this objective at most; generous by some roundings.
std::int64_t cost_within(const SweepContext& context, double objective, int leaves) {
  const double slack = 1e-12 * (std::abs(objective) + context.penalty.value() * leaves + 1);
  const double cost =
      objective + slack - context.penalty.value() * leaves - static_cast<double>(context.table.unavoidable);
  if (cost < 0) return -1;
  return cost >= static_cast<double>(context.table.total) ? context.table.total
                                                          : static_cast<std::int64_t>(std::floor(cost));
}

}  // namespace

SweepIncumbent::SweepIncumbent(const SweepContext& context, std::optional<double> upper_bound)
    : context_(context) {
  for (int leaves = 1; leaves <= 8; ++leaves) {
    std::int64_t& most = bound_[static_cast<std::size_t>(leaves)];
    const bool fits = context.options.max_leaves == 0 || leaves <= context.options.max_leaves;
    most = !fits ? -1 : upper_bound ? cost_within(context, *upper_bound, leaves) : context.table.total;
  }
}

bool SweepIncumbent::is_better(const SweepRank& rank) const {
  const int order = context_.penalty.compare(rank.cost, rank.leaves, best_.cost, best_.leaves);
  if (order != 0) return order < 0;
  return std::tie(rank.leaves, rank.depth, rank.column, rank.cut) <
         std::tie(best_.leaves, best_.depth, best_.column, best_.cut);
}

bool SweepIncumbent::offer(const SweepRank& rank, const SweepTree& tree) {
  if (is_there() && !is_better(rank)) return false;
  best_ = rank;
  tree_ = tree;
  return true;
}

SweepLimits SweepIncumbent::limits(std::int32_t column, std::int32_t cut) const {
  SweepLimits most = bound_;
  if (!is_there()) return most;
  const bool is_before = std::tie(column, cut) < std::tie(best_.column, best_.cut);
  for (int leaves = 1; leaves <= 8; ++leaves) {
    std::int64_t allowed = best_.cost - (is_before ? 0 : 1);
    if (leaves < best_.leaves) allowed = best_.cost + context_.penalty.whole(best_.leaves - leaves);
    if (leaves > best_.leaves) allowed = best_.cost - context_.penalty.whole(leaves - best_.leaves) - 1;
    std::int64_t& limit = most[static_cast<std::size_t>(leaves)];
    limit = std::min(limit, allowed);
  }
  return most;
}

double SweepIncumbent::objective() const {
  return context_.penalty.objective(best_.cost + context_.table.unavoidable, best_.leaves);
}

bool SweepIncumbent::is_within_bound() const {
  return is_there() && best_.cost <= bound_[static_cast<std::size_t>(std::min(best_.leaves, 8))];
}

}  // namespace thriftree
