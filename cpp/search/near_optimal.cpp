#include "search/near_optimal.hpp"

#include <algorithm>
#include <cmath>

#include "search/booked_memory.hpp"
#include "search/near_grower.hpp"
#include "search/stopped.hpp"

namespace thriftree {

namespace {

constexpr std::size_t kCacheBytes = std::size_t{16} << 20;
constexpr double kFirstShare = 0.25;  // of the slack, that is done first, so that there is a set at any time

}  // namespace

NearOptimal::NearOptimal(const SearchProblem& problem, const SearchOptions& options, const NearSlack& slack,
                         Control& control, const SearchProgress& progress) {
  if (!(slack.slack >= 0)) throw BadInput("slack must be 0 or more");
  best_ = search_tree(problem, options, {}, control, progress);
  status_ = best_.status;
  if (status_ != "optimal") return;
  control.watch_time();
  try {
    control.reserve(bytes_of_entries(problem), "a search of these rows and tests");
    rows_ = std::make_unique<NearRows>(problem, options, [&control] { control.poll_or_throw(); });
    grow(slack, control);
  } catch (const BadInput&) {
    throw;
  } catch (...) {
    status_ = status_after(std::current_exception(), control);
  }
  control.leave_time();
  if (graph_) trees_ = std::make_unique<NearTrees>(*rows_, *graph_);
}

void NearOptimal::grow(const NearSlack& slack, Control& control) {
  const NearUnits& units = rows_->units;
  const SearchValue floor = rows_->entries.floor;
  const SearchValue best = units.value(units.key(best_.cost - floor, best_.leaves));
  SearchCache cache(kCacheBytes);
  BookedMemory booked(control);
  booked.take(std::min(kCacheBytes, booked.room() / 4), "the search");
  cache.set_most_bytes(booked.last());
  const SearchShared shared{rows_->maker,
                            rows_->solver_units,
                            rows_->options.switches,
                            {rows_->options.min_leaf, rows_->options.min_leaf_weight},
                            cache};
  Solver solver(shared, control.poll_on(0));
  Team team(control);
  // Penalties are rounded to 2^-shift of a unit, and people's numbers to doubles: trees that lie on the bound
  // but for that are in.
  const double unit = static_cast<double>(units.unit), rounding = static_cast<double>(rows_->most_leaves) + 2;
  double wanted = slack.slack;
  if (slack.objective) {
    wanted = *slack.objective - best_.objective;
    if (wanted * unit < -rounding) return;  // there are none
    wanted = std::max(0.0, wanted);
  }
  const double everything = static_cast<double>(rows_->entries.most_cost) +
                            rows_->options.leaf_penalty * static_cast<double>(rows_->most_leaves);
  const double most_slack = std::min(wanted, everything);
  for (const double share : {kFirstShare, 1.0}) {
    if (share < 1 && most_slack == 0) continue;
    const double above = share * most_slack * unit;
    const auto most = static_cast<SearchValue>(std::min(above * (1 + 0x1p-50) + rounding, 0x1p60));
    graph_ = std::make_unique<NearGraph>(NearGrower(*rows_, solver, control).grow(best + most, team));
    slack_ = share < 1 ? share * wanted : wanted;
  }
}

NearTrees& NearOptimal::trees() {
  if (!trees_) throw BadInput("there are no trees: the search was stopped before it had any");
  return *trees_;
}

double NearOptimal::objective(NearKey key) const {
  return static_cast<double>(cost(key)) + rows_->options.leaf_penalty * key.leaves;
}

}  // namespace thriftree
