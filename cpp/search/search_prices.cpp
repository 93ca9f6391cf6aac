#include "search/search_prices.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <string>

#include "run/control.hpp"

namespace thriftree {

namespace {

constexpr int kMostBits = 50;       // of any sum, so that doubles hold it
constexpr double kBudgetBits = 40;  // of a budget: far below the rounding that it allows

void check_prices_of(const SearchProblem& problem, const SearchOptions& options) {
  const PriceRules& rules = *problem.prices;
  if (!(options.price_weight >= 0) || !std::isfinite(options.price_weight))
    throw BadInput("price_weight must be a finite number >= 0");
  for (std::int32_t feature : problem.feature) {
    if (feature < 0 || static_cast<std::size_t>(feature) >= rules.own.size())
      throw BadInput("prices must have an entry for every feature");
  }
  if (!problem.payers.empty() && problem.payers.size() != problem.n_rows)
    throw BadInput("payers must have one entry per row");
  for (auto payers : problem.payers) {
    if (payers < 0) throw BadInput("payers must not be negative");
  }
  if (problem.outcome_price.size() != rules.outcomes.size() * problem.n_rows)
    throw BadInput("outcome_price must have a row for each column whose price depends on the outcome");
  for (double price : problem.outcome_price) {
    if (!(price >= 0) || !std::isfinite(price)) throw BadInput("outcome_price must hold prices");
  }
}

// The most tests on a path.
std::size_t most_tests(const SearchProblem& problem, const SearchOptions& options) {
  std::size_t most = std::min(problem.n_tests, problem.n_rows);
  if (options.max_depth) most = std::min(most, static_cast<std::size_t>(*options.max_depth));
  if (options.max_leaves) most = std::min(most, static_cast<std::size_t>(*options.max_leaves) - 1);
  return most;
}

}  // namespace

SearchPrices::SearchPrices(const SearchProblem& problem, const SearchOptions& options,
                           std::int64_t most_error, std::int64_t most_leaves)
    : problem_(problem), rules_(*problem.prices) {
  check_prices_of(problem, options);
  const PriceRules& rules = rules_.rules();
  has_delay_ = std::find(rules.delayed.begin(), rules.delayed.end(), true) != rules.delayed.end();
  for (std::size_t row = 0; row < problem.n_rows; ++row) payers_ += payers_of(row);
  // The highest prices of a path, in units of error; none counts more than all mistakes together.
  std::vector<double> highest;
  const double cap = static_cast<double>(most_error) + 1;
  for (std::size_t f = 0; f < rules.own.size(); ++f) {
    const double setup = rules.group[f] < 0 ? 0 : rules.setup[static_cast<std::size_t>(rules.group[f])];
    highest.push_back(std::min(cap, rules.own[f] * options.price_weight) +
                      std::min(cap, setup * options.price_weight));
  }
  std::sort(highest.rbegin(), highest.rend());
  const std::size_t n_tests = most_tests(problem, options);
  // A delayed test may order more than a path has tests.
  const std::size_t n_paid = has_delay_ ? std::max(n_tests, problem.n_tests) : n_tests;
  double a_path = 0;
  for (std::size_t i = 0; i < n_paid; ++i)
    a_path += rules.pay_once ? (i < highest.size() ? highest[i] : 0) : highest.empty() ? 0 : highest[0];
  const double most = static_cast<double>(most_error) + static_cast<double>(payers_) * a_path + 1;
  const int bits = static_cast<int>(std::ceil(std::log2(most))) + 1;
  const int leaf_bits = std::bit_width(static_cast<std::uint64_t>(most_leaves)) + 1;
  shift_ = std::min({kMostBits - bits, 57 - bits - leaf_bits, 40});
  if (shift_ < 0) {
    throw BadInput("weights times prices add up to " + std::to_string(most) +
                   ", which does not fit beside the weights of mistakes: give the weights in coarser units");
  }
  scale_ = std::ldexp(options.price_weight, shift_);
  cap_ = static_cast<std::int64_t>(std::ldexp(cap, shift_));
  most_ = static_cast<std::int64_t>(std::ceil(std::ldexp(static_cast<double>(payers_) * a_path, shift_)));
  // An own price and a set-up of every test, each rounded by half a unit at most.
  rounding_ = std::ldexp(static_cast<double>(payers_) * static_cast<double>(n_paid), -shift_);
  if (std::isfinite(rules.budget)) {
    const double unit = std::ldexp(1.0, static_cast<int>(kBudgetBits));
    budget_scale_ = rules.budget > 0 ? unit / rules.budget : 0;
    budget_ = rules.budget > 0 ? static_cast<std::int64_t>(unit * (1 + 0.5e-9)) : 0;
  }
}

std::int64_t SearchPrices::fixed(double amount) const {
  return static_cast<std::int64_t>(std::min(static_cast<double>(cap_), std::round(amount * scale_)));
}

std::int64_t SearchPrices::of_budget(double amount) const {
  if (budget_ == kAnyPrice || amount == 0) return 0;
  if (budget_ == 0) return 1;  // any price is too much
  // Prices far above the budget are all the same.
  return static_cast<std::int64_t>(std::round(std::min(amount * budget_scale_, std::ldexp(1.0, 50))));
}

Charge SearchPrices::charge_of(std::size_t feature, const Prices::Due& due) const {
  Charge charge;
  if (due.own) {
    charge.slot = rules_.outcome_slot(feature);
    if (charge.slot < 0) charge.fixed = fixed(rules_.rules().own[feature]);
    charge.of_budget = of_budget(rules_.rules().own[feature]);
  }
  charge.fixed += fixed(due.setup);
  charge.of_budget += of_budget(due.setup);
  return charge;
}

Charge SearchPrices::ask(PathState& path, std::size_t feature) const {
  Charge made;
  const std::uint32_t only[] = {static_cast<std::uint32_t>(feature)};
  rules_.ask(
      path, feature, [&] { return std::span<const std::uint32_t>(only); },
      [&](std::size_t column, const Prices::Due& due) { made = charge_of(column, due); });
  return made;
}

Charge SearchPrices::charge(const PathState& path, std::size_t feature) const {
  PathState after = path;
  return ask(after, feature);
}

std::vector<Charge> SearchPrices::order(PathState& path, const std::vector<std::uint32_t>& features) const {
  std::vector<Charge> made;
  rules_.order(path, features,
               [&](std::size_t column, const Prices::Due& due) { made.push_back(charge_of(column, due)); });
  return made;
}

bool SearchPrices::is_orderable(std::size_t feature) const {
  const PriceRules& rules = rules_.rules();
  return has_delay_ && !rules.known[feature] && (rules.order_all || rules.delayed[feature]);
}

bool SearchPrices::is_forbidden(const PathState& path, std::size_t feature) const {
  return has_delay_ && rules_.has_ordered(path) && is_orderable(feature) && !rules_.is_bought(path, feature);
}

bool SearchPrices::is_always_free(std::size_t feature) const {
  if (rules_.is_known(feature)) return true;
  return rules_.rules().own[feature] == 0 && rules_.rules().group[feature] < 0 && !is_orderable(feature);
}

Charge SearchPrices::everything(const PathState& path, const std::vector<std::uint32_t>& features,
                                int depth) const {
  Charge sum;
  std::int64_t most = 0, most_of_budget = 0;
  PathState after = path;
  for (const std::uint32_t feature : features) {
    Charge one = ask(after, feature);
    one.fixed = highest(feature, one);
    sum.fixed += one.fixed;
    sum.of_budget += one.of_budget;
    most = std::max(most, one.fixed);
    most_of_budget = std::max(most_of_budget, one.of_budget);
  }
  if (rules_.rules().pay_once || features.empty()) return sum;
  // Each level may pay the highest price again; the sum has the set-ups.
  const std::int64_t levels = std::min<std::int64_t>(depth, 1 << 20);
  const auto times = [levels](std::int64_t price) {
    return price > (std::int64_t{1} << 50) / std::max<std::int64_t>(1, levels) ? std::int64_t{1} << 50
                                                                               : price * levels;
  };
  return {sum.fixed + times(most), sum.of_budget + times(most_of_budget), -1};
}

PaidPath SearchPrices::restricted(const PaidPath& path, const std::vector<std::uint32_t>& features) const {
  std::vector<std::uint32_t> matter = features;
  if (has_delay_) {  // an order matters even where no test of it is left: it forbids the others
    for (std::size_t f = 0; f < rules_.n_columns(); ++f) {
      if (!is_orderable(f)) continue;
      matter.push_back(static_cast<std::uint32_t>(f));
      break;
    }
  }
  PaidPath made{rules_.restricted(path.bought, matter), path.left, path.cut};
  if (made.left != kAnyPrice && !made.cut && rules_.rules().pay_once &&
      everything(made.bought, features, 0).of_budget <= made.left)
    made.left = kAnyPrice;
  return made;
}

}  // namespace thriftree
