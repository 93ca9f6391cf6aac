#include "search/near_optimal.hpp"

#include <algorithm>
#include <cmath>

#include "search/booked_memory.hpp"
#include "search/finished_tree.hpp"
#include "search/near_grower.hpp"
#include "search/stopped.hpp"

namespace thriftree {

namespace {

constexpr std::size_t kCacheBytes = std::size_t{16} << 20;
constexpr double kFirstShare = 0.25;  // of the slack, that is done first, so that there is a set at any time

// An order pays for tests that may lie anywhere below it, so a part of a tree has no price of its own.
void check_no_order(const SearchProblem& problem) {
  if (problem.prices == nullptr) return;
  for (const std::int32_t feature : problem.feature) {
    const auto f = static_cast<std::size_t>(feature);
    if (f < problem.prices->delayed.size() && problem.prices->delayed[f] && !problem.prices->known[f])
      throw BadInput(
          "sets of nearly best trees weigh no delayed tests: price_weight=0 and no budget, or "
          "prices without delay");
  }
}

}  // namespace

NearOptimal::NearOptimal(const SearchProblem& problem, const SearchOptions& options, const NearSlack& slack,
                         Control& control, const SearchProgress& progress) {
  if (!(slack.slack >= 0)) throw BadInput("slack must be 0 or more");
  check_no_order(problem);
  best_ = search_tree(problem, options, {}, control, progress);
  status_ = best_.status;
  if (status_ != "optimal") return;
  control.watch_time();
  try {
    control.reserve(bytes_of_entries(problem), "a search of these rows and tests");
    rows_ = std::make_unique<NearRows>(problem, options, [&control] { control.poll_or_throw(); });
    grow(problem, slack, control);
  } catch (const BadInput&) {
    throw;
  } catch (...) {
    status_ = status_after(std::current_exception(), control);
  }
  control.leave_time();
  if (graph_) trees_ = std::make_unique<NearTrees>(*rows_, *graph_);
}

void NearOptimal::grow(const SearchProblem& problem, const NearSlack& slack, Control& control) {
  const NearUnits& units = rows_->units;
  const SearchValue floor = rows_->entries.floor;
  const SearchPrices* prices = rows_->entries.prices.get();
  const int shift = rows_->entries.shift();
  const FinishedCost finished = finish_tree(problem, prices, best_.tree);
  const SearchValue best =
      units.value(units.key((finished.cost << shift) + finished.fixed_price - floor, finished.leaves));
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
  // Penalties and prices are rounded to fractions of a unit, and people's numbers to doubles: trees that lie
  // on the bound but for that are in.
  const double unit = std::ldexp(static_cast<double>(units.unit), shift);
  const double rounding =
      static_cast<double>(rows_->most_leaves) + 2 + (prices == nullptr ? 0 : prices->rounding() * unit);
  double wanted = slack.slack;
  if (slack.objective) {
    wanted = *slack.objective - best_.objective;
    if (wanted * unit < -rounding) return;  // there are none
    wanted = std::max(0.0, wanted);
  }
  const double everything = std::ldexp(static_cast<double>(rows_->entries.most_cost), -shift) +
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

}  // namespace thriftree
