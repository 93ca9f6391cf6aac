// Prices inside the search: the rules of price/, with amounts in whole numbers.
//
// The objective is error + price_weight * price, and both are counted in one unit: 2^-shift of a unit of
// error. Own prices and set-ups are rounded to it one by one, so sums are exact, whatever their order.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "price/prices.hpp"
#include "search/hashing.hpp"
#include "search/problem.hpp"

namespace thriftree {

constexpr std::int64_t kAnyPrice = std::numeric_limits<std::int64_t>::max() / 4;  // no budget binds

// What the path to a node has paid for.
struct PaidPath {
  PathState bought;               // as far as it matters to the node's tests
  std::int64_t left = kAnyPrice;  // of the budget; kAnyPrice where it allows all that may come
  bool cut = false;               // tests were left out because the budget does not allow them

  Hash128 hash() const {
    Hash128 made{bought.hash(0x51ed270b9f1a3d5bU), bought.hash(0xa24baed4963ee407U)};
    if (left != kAnyPrice) made ^= hash_of(static_cast<std::uint64_t>(left) ^ (std::uint64_t{1} << 62));
    return made;
  }
};

// What a test adds. A payer pays `fixed`, and its own price in `slot` if there is one.
struct Charge {
  std::int64_t fixed = 0;
  std::int64_t of_budget = 0;  // at the most expensive outcome
  std::int32_t slot = -1;      // of the rules' outcomes; -1: all pay the same

  bool is_free() const { return fixed == 0 && of_budget == 0 && slot < 0; }
};

class SearchPrices {
 public:
  // `most_error` is that of any tree. Throws BadInput where weights and prices do not fit 64 bits.
  SearchPrices(const SearchProblem& problem, const SearchOptions& options, std::int64_t most_error,
               std::int64_t most_leaves);

  const Prices& rules() const { return rules_; }
  int shift() const { return shift_; }
  std::int64_t payers() const { return payers_; }  // in all
  // What all payers together can pay on any tree.
  std::int64_t most() const { return most_; }
  std::int64_t budget() const { return budget_; }  // of a path, in the units of Charge::of_budget
  // What rounding can have added to the price of a tree, in units of error.
  double rounding() const { return rounding_; }
  std::int64_t payers_of(std::size_t row) const { return problem_.payers.empty() ? 1 : problem_.payers[row]; }
  std::size_t n_slots() const { return rules_.rules().outcomes.size(); }
  std::int64_t outcome(std::size_t slot, std::size_t row) const { return fixed(outcome_price(slot, row)); }
  double outcome_price(std::size_t slot, std::size_t row) const {
    return problem_.outcome_price[slot * problem_.n_rows + row];
  }

  PaidPath root() const { return {{}, budget_, false}; }
  // What asking for a feature adds. One that is delayed and not ordered is ordered alone.
  Charge charge(const PathState& path, std::size_t feature) const;
  // The same; the path has asked for it.
  Charge ask(PathState& path, std::size_t feature) const;
  // What a charge for the feature is for a payer at most.
  std::int64_t highest(std::size_t feature, const Charge& charge) const {
    return charge.fixed + (charge.slot >= 0 ? fixed(rules_.rules().own[feature]) : 0);
  }
  // Places an order of these features.
  std::vector<Charge> order(PathState& path, const std::vector<std::uint32_t>& features) const;
  Charge charge_of(std::size_t feature, const Prices::Due& due) const;

  // A test of the feature has to be ordered first.
  bool is_pending(const PathState& path, std::size_t feature) const {
    return has_delay_ && rules_.places_order(path, feature);
  }
  // An order was placed that does not hold the feature: it can no longer be asked for.
  bool is_forbidden(const PathState& path, std::size_t feature) const;
  // The most that a payer can pay on trees of these features and so many levels.
  Charge everything(const PathState& path, const std::vector<std::uint32_t>& features, int depth) const;
  // The path as far as it matters to tests of these features.
  PaidPath restricted(const PaidPath& path, const std::vector<std::uint32_t>& features) const;
  // No test of the feature ever costs anything, nor does it change what others cost.
  bool is_always_free(std::size_t feature) const;
  // Features that an order may hold.
  bool is_orderable(std::size_t feature) const;

 private:
  std::int64_t fixed(double amount) const;
  std::int64_t of_budget(double amount) const;

  const SearchProblem& problem_;  // asked only while entries are made: a near-optimal set outlives it
  Prices rules_;
  bool has_delay_ = false;
  int shift_ = 0;
  double scale_ = 0;         // of a price, to fixed
  double budget_scale_ = 0;  // of a price, to the units of the budget
  std::int64_t cap_ = 0;     // a higher price is never worth its error: it counts as this one
  std::int64_t budget_ = kAnyPrice;
  std::int64_t payers_ = 0, most_ = 0;
  double rounding_ = 0;
};

}  // namespace thriftree
