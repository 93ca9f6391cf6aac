// The rules of prices, each written once: what a test pays for after a path, what an order of delayed tests
// holds, what a budget admits. Scores, prices of trees, questionnaires and bounds all ask here.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "price/path_state.hpp"
#include "price/rules.hpp"

namespace thriftree {

// Whether a path may cost so much: prices are sums, so a budget is passed only beyond rounding.
bool within_budget(double amount, double budget);

class Prices {
 public:
  // Throws BadInput for lengths that differ, unknown groups, or prices that are negative or not finite.
  explicit Prices(PriceRules rules);

  const PriceRules& rules() const { return rules_; }
  std::size_t n_columns() const { return rules_.own.size(); }
  bool is_known(std::size_t column) const { return rules_.known[column]; }

  // What a test pays for: its own price or nothing, and a set-up price that is still to be paid.
  struct Due {
    bool own = false;
    double setup = 0;
  };
  Due due(const PathState& path, std::size_t column) const;
  // The set-up price that the next test of the group pays.
  double setup_due(const PathState& path, std::size_t group) const {
    return is_open(path, group) ? 0 : rules_.setup[group];
  }
  // The path has tested the column. Of a known one nothing stays.
  void visit(PathState& path, std::size_t column) const;

  // What testing the column adds to the price of the path, at the most expensive outcome or at a given one.
  // Asking is not in it, nor what else the test may order.
  double marginal(const PathState& path, std::size_t column) const;
  double marginal(const PathState& path, std::size_t column, double outcome) const;
  // The least that a test of the column costs beside its group's set-up, whatever its outcome: for bounds.
  double least(std::size_t column) const;

  // The column's place in the rules' outcomes; -1: its price does not depend on the outcome.
  std::int32_t outcome_slot(std::size_t column) const { return outcome_slot_[column]; }

  bool is_bought(const PathState& path, std::size_t column) const { return path.has(column); }
  bool is_open(const PathState& path, std::size_t group) const { return path.has(n_columns() + group); }
  bool has_ordered(const PathState& path) const { return path.has(order_bit()); }

  // A column is asked for. `still_open()` gives, if that places an order, the columns of the tests that may
  // be needed from here on, this one among them; pay(column, due) is told of every purchase, in their order.
  template <class StillOpen, class Pay>
  void ask(PathState& path, std::size_t column, const StillOpen& still_open, const Pay& pay) const {
    if (is_known(column) || came_with_order(path, column)) return;
    if (!places_order(path, column)) return buy(path, column, pay);
    order(path, still_open(), pay);
  }
  // Buys what an order of these tests holds.
  template <class Columns, class Pay>
  void order(PathState& path, const Columns& columns, const Pay& pay) const {
    for (const std::size_t column : columns) {
      if (is_ordered_with_others(column)) buy(path, column, pay);
    }
    path.add(order_bit());
  }
  // Whether asking for the column would place an order.
  bool places_order(const PathState& path, std::size_t column) const {
    return is_delayed(column) && !is_known(column) && !has_ordered(path);
  }

  // Whether an order holds the column, if it may be needed.
  bool is_ordered_with_others(std::size_t column) const {
    return !is_known(column) && (rules_.order_all || is_delayed(column));
  }

  // What `after`, which holds `before`, has paid more, each column once; own[column] is the price at its
  // outcome.
  double between(const PathState& before, const PathState& after, std::span<const double> own) const;
  // What of a path matters to tests of these columns: other states of the same remainder cost the same.
  PathState restricted(const PathState& path, std::span<const std::uint32_t> columns) const;
  // The rules for a tree below a path: what was bought there is known, set-ups that were paid are 0.
  PriceRules below(const PathState& path) const;
  // The rules of bounds: every test at its least price, paid once and without delay. A known column is in no
  // group.
  PriceRules least_rules() const;

 private:
  std::size_t order_bit() const { return n_columns() + rules_.setup.size(); }
  bool is_delayed(std::size_t column) const { return !rules_.delayed.empty() && rules_.delayed[column]; }
  // Bought with the path's order, so that its result is there.
  bool came_with_order(const PathState& path, std::size_t column) const {
    return has_ordered(path) && is_ordered_with_others(column) && is_bought(path, column);
  }
  template <class Pay>
  void buy(PathState& path, std::size_t column, const Pay& pay) const {
    const Due paid = due(path, column);
    visit(path, column);
    if (paid.own) pay(column, paid);
  }

  PriceRules rules_;
  std::vector<std::int32_t> outcome_slot_;  // by column
};

}  // namespace thriftree
