// The best tree so far and what is proved, shared by the workers of a search.
#pragma once

#include <algorithm>
#include <atomic>
#include <cmath>
#include <mutex>
#include <vector>

#include "run/control.hpp"
#include "search/entries.hpp"
#include "search/finished_tree.hpp"
#include "search/units.hpp"

namespace thriftree {

class Incumbent {
 public:
  Incumbent(const SearchProblem& problem, const SearchOptions& options, const SearchUnits& units,
            const SearchEntries& entries, const Control& control)
      : problem_(problem), options_(options), units_(units), entries_(entries), control_(control) {}

  // Of the best tree so far; any thread may ask.
  SearchValue value() const { return value_.load(std::memory_order_relaxed); }

  // Takes the tree if it is better than the best so far.
  void offer(SearchTree tree) {
    const FinishedCost cost = finish_tree(problem_, entries_.prices.get(), tree);
    if (!cost.within_budget) return;
    const std::lock_guard lock(mutex_);
    const SearchValue value = value_of(cost);
    if (value >= value_) return;
    take(std::move(tree), cost);
    value_ = value;
    history_.push_back(moment());
  }
  // Takes the tree in place of another one of its value. Says whether it has that value.
  bool replace(SearchTree tree) {
    const FinishedCost cost = finish_tree(problem_, entries_.prices.get(), tree);
    const std::lock_guard lock(mutex_);
    if (!cost.within_budget || value_of(cost) != value_) return false;
    take(std::move(tree), cost);
    return true;
  }

  // No tree that is better than the best so far is below the least of these: of each option of the root that
  // is open its bound.
  void set_open(const std::vector<SearchValue>& bounds) {
    const std::lock_guard lock(mutex_);
    SearchValue least = value_;
    for (SearchValue bound : bounds) least = std::min(least, bound);
    if (least <= lower_bound_) return;
    lower_bound_ = least;
    history_.push_back(moment());
  }
  void raise_lower_bound(SearchValue bound) {
    const std::lock_guard lock(mutex_);
    lower_bound_ = std::max(lower_bound_, bound);
  }
  void set_proved() {
    const std::lock_guard lock(mutex_);
    proved_ = true;
    history_.push_back(moment());
  }
  bool proved() const { return proved_; }

  SearchMoment now() {
    const std::lock_guard lock(mutex_);
    return moment();
  }

  // When the workers are done.
  void write(SearchResult& result) {
    history_.push_back(moment());
    result.tree = tree_;
    result.cost = cost_.cost;
    result.leaves = cost_.leaves;
    result.price = cost_.price;
    result.objective = objective();
    result.lower_bound = lower_bound();
    result.history = history_;
  }

 private:
  void take(SearchTree tree, const FinishedCost& cost) {
    tree_ = std::move(tree);
    cost_ = cost;
  }
  SearchValue value_of(const FinishedCost& cost) const {
    const std::int64_t with_price = (cost.cost << entries_.shift()) + cost.fixed_price;
    return units_.of_cost(with_price - entries_.floor) + cost.leaves * units_.leaf();
  }
  double objective() const {
    const double cost = static_cast<double>(cost_.cost) + options_.leaf_penalty * cost_.leaves;
    return entries_.prices ? cost + options_.price_weight * cost_.price : cost;
  }
  double lower_bound() const {
    if (proved_) return std::max(least_cost(), objective() - rounding());
    const SearchValue least = std::min(lower_bound_, value_.load());
    const double bound = units_.lower_bound(least) + static_cast<double>(entries_.floor);
    return std::min(objective(), std::max(least_cost(), std::ldexp(bound, -entries_.shift()) - rounding()));
  }
  // Of any tree: 0, or where the target is a number what the gains of leaves can be at most, below 0.
  double least_cost() const { return static_cast<double>(std::min<std::int64_t>(0, entries_.floor)); }
  // Prices are rounded, in the tree and in those that it was compared with; what is proved gives that away.
  double rounding() const {
    if (!entries_.prices) return 0;
    return 2 * (entries_.prices->rounding() + std::ldexp(units_.leaf_rounding(), -entries_.shift()));
  }
  SearchMoment moment() const { return {control_.elapsed_s(), objective(), lower_bound()}; }

  const SearchProblem& problem_;
  const SearchOptions& options_;
  const SearchUnits& units_;
  const SearchEntries& entries_;
  const Control& control_;
  mutable std::mutex mutex_;
  std::atomic<SearchValue> value_{kNoTree};  // of tree_
  SearchTree tree_;                          // with labels; empty before the first offer
  FinishedCost cost_;                        // of tree_
  SearchValue lower_bound_ = 0;              // of every tree
  std::atomic<bool> proved_{false};          // whether value_ is the least
  std::vector<SearchMoment> history_;
};

}  // namespace thriftree
