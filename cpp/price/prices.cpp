#include "price/prices.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <utility>

#include "run/control.hpp"

namespace thriftree {

namespace {

constexpr double kRounding = 1e-9;  // of a budget

void check_price(double price, const std::string& place) {
  if (!(price >= 0) || !std::isfinite(price))
    throw BadInput(place + " must be a price: finite and not negative");
}

std::string entry(const char* array, std::size_t i) {
  return std::string(array) + "[" + std::to_string(i) + "]";
}

void check_by_code(const PriceRules& rules) {
  if (!rules.by_code.empty() && rules.by_code.size() != rules.own.size())
    throw BadInput("by_code must be empty or have one list per column");
  for (std::size_t j = 0; j < rules.by_code.size(); ++j) {
    for (const double price : rules.by_code[j]) {
      check_price(price, entry("by_code", j));
      if (price > rules.own[j])
        throw BadInput(entry("by_code", j) + " has a price above own, which must be the highest");
    }
  }
}

void check(const PriceRules& rules) {
  const std::size_t n = rules.own.size();
  if (rules.group.size() != n || rules.known.size() != n)
    throw BadInput("own, group and known must have one entry per column");
  if (!rules.delayed.empty() && rules.delayed.size() != n)
    throw BadInput("delayed must be empty or have one entry per column");
  for (std::size_t j = 0; j < n; ++j) {
    check_price(rules.own[j], entry("own", j));
    if (rules.group[j] < -1 || rules.group[j] >= static_cast<std::int64_t>(rules.setup.size()))
      throw BadInput(entry("group", j) + " is not a group: it has no set-up price");
  }
  for (std::size_t g = 0; g < rules.setup.size(); ++g) check_price(rules.setup[g], entry("setup", g));
  check_price(rules.asking, "asking");
  if (!(rules.budget >= 0)) throw BadInput("budget must be a number of at least 0, or infinity");
  check_by_code(rules);
  for (const auto& [column, outcomes] : rules.outcomes) {
    if (column >= n) throw BadInput("outcomes names column " + std::to_string(column) + ", which is none");
    if (outcomes.highest() != rules.own[column])
      throw BadInput(entry("own", column) + " must be the highest price of the column's outcomes");
  }
}

}  // namespace

bool within_budget(double amount, double budget) { return amount <= budget * (1 + kRounding); }

bool PriceRules::some_may_be_free() const {
  if (asking > 0) return false;
  if (pay_once) return true;
  for (std::size_t j = 0; j < own.size(); ++j) {
    if (known[j] || own[j] == 0) return true;
    if (j < by_code.size() && std::count(by_code[j].begin(), by_code[j].end(), 0.0) > 0) return true;
  }
  return false;
}

Prices::Prices(PriceRules rules) : rules_(std::move(rules)) {
  check(rules_);
  outcome_slot_.assign(n_columns(), -1);
  for (std::size_t slot = 0; slot < rules_.outcomes.size(); ++slot)
    outcome_slot_[rules_.outcomes[slot].first] = static_cast<std::int32_t>(slot);
}

Prices::Due Prices::due(const PathState& path, std::size_t column) const {
  if (is_known(column) || (rules_.pay_once && is_bought(path, column))) return {};
  const std::int32_t group = rules_.group[column];
  return {true, group < 0 ? 0 : setup_due(path, static_cast<std::size_t>(group))};
}

void Prices::visit(PathState& path, std::size_t column) const {
  if (is_known(column)) return;
  path.add(column);
  if (rules_.group[column] >= 0) path.add(n_columns() + static_cast<std::size_t>(rules_.group[column]));
}

double Prices::marginal(const PathState& path, std::size_t column) const {
  const Due paid = due(path, column);
  return paid.own ? rules_.own[column] + paid.setup : 0;
}

double Prices::marginal(const PathState& path, std::size_t column, double outcome) const {
  const std::int32_t slot = outcome_slot_[column];
  if (slot < 0) return marginal(path, column);
  const Due paid = due(path, column);
  return paid.own ? rules_.outcomes[static_cast<std::size_t>(slot)].second.of(outcome) + paid.setup : 0;
}

double Prices::least(std::size_t column) const {
  if (is_known(column)) return 0;
  const std::int32_t slot = outcome_slot_[column];
  return slot < 0 ? rules_.own[column] : rules_.outcomes[static_cast<std::size_t>(slot)].second.least();
}

double Prices::between(const PathState& before, const PathState& after, std::span<const double> own) const {
  PathState path = before;
  double of_columns = 0;
  std::vector<double> of_groups(rules_.setup.size());  // added last, so that equal purchases have equal sums
  const auto pay = [&](std::size_t column, const Due& paid) {
    of_columns += own[column];
    if (rules_.group[column] >= 0) of_groups[static_cast<std::size_t>(rules_.group[column])] += paid.setup;
  };
  for (std::size_t column = 0; column < n_columns(); ++column) {
    if (is_bought(after, column) && !is_bought(before, column)) buy(path, column, pay);
  }
  return of_columns + std::accumulate(of_groups.begin(), of_groups.end(), 0.0);
}

PathState Prices::restricted(const PathState& path, std::span<const std::uint32_t> columns) const {
  PathState kept;
  for (const std::uint32_t column : columns) {
    if (is_known(column)) continue;
    if (is_bought(path, column)) kept.add(column);
    const std::int32_t group = rules_.group[column];
    if (group >= 0 && is_open(path, static_cast<std::size_t>(group)))
      kept.add(n_columns() + static_cast<std::size_t>(group));
    if (is_ordered_with_others(column) && has_ordered(path)) kept.add(order_bit());
  }
  return kept;
}

PriceRules Prices::below(const PathState& path) const {
  PriceRules rules = rules_;
  for (std::size_t column = 0; rules_.pay_once && column < n_columns(); ++column) {
    if (is_bought(path, column)) rules.known[column] = true;
  }
  for (std::size_t group = 0; group < rules.setup.size(); ++group)
    rules.setup[group] = setup_due(path, group);
  return rules;
}

PriceRules Prices::least_rules() const {
  PriceRules rules;
  rules.setup = rules_.setup;
  for (std::size_t column = 0; column < n_columns(); ++column) {
    rules.own.push_back(least(column));
    rules.group.push_back(is_known(column) ? -1 : rules_.group[column]);
    rules.known.push_back(is_known(column));
  }
  return rules;
}

}  // namespace thriftree
