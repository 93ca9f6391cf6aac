// Prices and the rules by which a path pays them, as plain data: what travels from people's prices to the
// core.
#pragma once

#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "price/outcome_prices.hpp"

namespace thriftree {

// By column, unless it says otherwise.
struct PriceRules {
  std::vector<double> own;          // what the test costs beside its group's set-up
  std::vector<std::int32_t> group;  // -1: in no group
  std::vector<double> setup;        // by group
  std::vector<bool> known;          // free, never ordered, and opens no group
  bool pay_once = true;             // false: every test on a path is paid
  double asking = 0;  // added to every marginal price, so that a free question is not worth infinitely much
  bool read = false;  // READ competes, where tests are paid once,
  // for what has at most so many codes at the node: a column, or a group by the combinations of its columns.
  std::uint32_t read_at_most = std::numeric_limits<std::uint32_t>::max();
  bool free_first = false;
  // Own prices by code of one table, of columns that have different ones; `own` is then the highest. Empty:
  // none have.
  std::vector<std::vector<double>> by_code = {};
  double budget = std::numeric_limits<double>::infinity();  // what a path may cost, without asking
  // Results that arrive later: the first such test on a path orders all that may be needed below. Empty:
  // none.
  std::vector<bool> delayed = {};
  bool order_all = false;  // an order holds immediate tests, too
  // Columns whose own price depends on the outcome; `own` is then the highest.
  std::vector<std::pair<std::uint32_t, OutcomePrices>> outcomes = {};

  // Can a question be free on some path? Then scores cannot be divided by its price.
  bool some_may_be_free() const;
};

}  // namespace thriftree
