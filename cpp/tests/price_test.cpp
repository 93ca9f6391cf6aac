// The rules of prices: the worked examples with the heart prices, each number, and what the examples leave
// out.
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "price/prices.hpp"
#include "price/tree_price.hpp"
#include "refused.hpp"
#include "testing.hpp"
#include "tree/builder.hpp"
#include "tree/inputs.hpp"

using namespace thriftree;
using thriftree::testing::refused;

namespace {

enum HeartColumn : std::int32_t { cp, chol, fbs, thal, thalach, exang, oldpeak, n_columns };

const std::vector<double> kFull{1, 7.27, 5.20, 102.90, 102.90, 87.30, 87.30};
const std::vector<double> kOwn{1, 5.17, 3.10, 1, 1, 1, 1};

std::vector<bool> flags(const std::vector<HeartColumn>& columns) {
  std::vector<bool> set(n_columns, false);
  for (const HeartColumn column : columns) set[column] = true;
  return set;
}

PriceRules full_prices() {
  return {.own = kFull, .group = std::vector<std::int32_t>(n_columns, -1), .setup = {}, .known = flags({})};
}

// chol and fbs share a draw, thal and thalach one set-up, exang and oldpeak another.
PriceRules with_groups() {
  return {.own = kOwn, .group = {-1, 0, 0, 1, 1, 2, 2}, .setup = {2.10, 101.90, 86.30}, .known = flags({})};
}

// A leaf of this weight, or a test with as many branches as parts.
struct SmallTree {
  double weight = 0;
  Test test = {};
  std::vector<SmallTree> parts = {};
};

SmallTree leaf(double weight) { return {weight}; }

SmallTree asked(std::int32_t column, double cut, SmallTree low, SmallTree high, std::int32_t missing = 0) {
  Test test{TestKind::ordered, column, {cut}, {0, 1}, missing, 0};
  return {low.weight + high.weight, std::move(test), {std::move(low), std::move(high)}};
}

void add(TreeBuilder& builder, const SmallTree& part, int parent, int branch) {
  const double value[] = {part.weight, 0};
  const int node = builder.add_node(parent, branch, {1, 1, part.weight, 0, 0, value});
  if (part.parts.empty()) return;
  builder.set_test(node, part.test);
  for (std::size_t b = 0; b < part.parts.size(); ++b) add(builder, part.parts[b], node, static_cast<int>(b));
}

Tree tree_of(const SmallTree& root) {
  TreeBuilder builder(n_columns, 2);
  add(builder, root, -1, 0);
  return builder.finish();
}

std::vector<double> leaf_prices(const Tree& tree, const TreePrice& price) {
  std::vector<double> prices;
  for (std::size_t node = 0; node < tree.n_nodes(); ++node) {
    if (tree.column[node] < 0) prices.push_back(price.paid[node]);
  }
  return prices;
}

bool near(double a, double b) { return std::abs(a - b) < 1e-9; }

void check_example(const Tree& tree, const PriceRules& rules, const std::vector<double>& leaves,
                   double expected, double worst) {
  const TreePrice price = price_tree(tree, Prices(rules));
  const std::vector<double> found = leaf_prices(tree, price);
  CHECK(found.size() == leaves.size());
  for (std::size_t i = 0; i < leaves.size(); ++i) CHECK(near(found[i], leaves[i]));
  CHECK(near(price.expected(tree), expected));
  CHECK(near(price.worst_case(tree), worst));
}

// cp? leaf .60 : chol? .25 : fbs? .10 : chol again .05, in two leaves
Tree example_1() {
  return tree_of(asked(
      cp, 1, leaf(0.60),
      asked(chol, 200, leaf(0.25), asked(fbs, 0.5, leaf(0.10), asked(chol, 250, leaf(0.02), leaf(0.03))))));
}

// thal? (thalach? .30, .25) : (exang? .20 : oldpeak? .15, .10)
Tree example_2() {
  return tree_of(asked(thal, 3, asked(thalach, 150, leaf(0.30), leaf(0.25)),
                       asked(exang, 0.5, leaf(0.20), asked(oldpeak, 1, leaf(0.15), leaf(0.10)))));
}

const auto kNoBill = [](std::size_t, const Prices::Due&) {};

}  // namespace

TEST(the_first_worked_example_holds_under_every_rule) {
  const Tree tree = example_1();
  PriceRules rules = full_prices();
  check_example(tree, rules, {1, 8.27, 13.47, 13.47, 13.47}, 4.688, 13.47);
  rules.pay_once = false;
  check_example(tree, rules, {1, 8.27, 13.47, 20.74, 20.74}, 5.0515, 20.74);
  rules = with_groups();
  check_example(tree, rules, {1, 8.27, 11.37, 11.37, 11.37}, 4.373, 11.37);
  rules.delayed = flags({chol, fbs});
  check_example(tree, rules, {1, 11.37, 11.37, 11.37, 11.37}, 5.148, 11.37);
  rules = with_groups();
  rules.known = flags({chol});
  check_example(tree, rules, {1, 1, 6.20, 6.20, 6.20}, 1.78, 6.20);
}

TEST(the_second_worked_example_holds_under_every_rule) {
  const Tree tree = example_2();
  check_example(tree, full_prices(), {205.8, 205.8, 190.2, 277.5, 277.5}, 220.605, 277.5);
  PriceRules rules = with_groups();
  check_example(tree, rules, {103.9, 103.9, 190.2, 191.2, 191.2}, 142.985, 191.2);
  rules.delayed = flags({thal, thalach, exang, oldpeak});
  check_example(tree, rules, {192.2, 192.2, 192.2, 192.2, 192.2}, 192.2, 192.2);
}

TEST(an_order_of_everything_below_pays_for_immediate_tests_too) {
  PriceRules rules = with_groups();
  rules.delayed = flags({thal});
  check_example(example_2(), rules, {103.9, 103.9, 190.2, 191.2, 191.2}, 142.985, 191.2);
  rules.order_all = true;
  check_example(example_2(), rules, {192.2, 192.2, 192.2, 192.2, 192.2}, 192.2, 192.2);
}

TEST(an_order_counts_a_split_once_whichever_way_missing_values_go) {
  PriceRules rules = full_prices();
  rules.pay_once = false;
  rules.delayed = flags({chol, fbs});
  for (const std::int32_t missing : {0, 1}) {
    const Tree same = tree_of(
        asked(fbs, 0.5, asked(chol, 200, leaf(1), leaf(1)), asked(chol, 200, leaf(1), leaf(1), missing)));
    CHECK(near(price_tree(same, Prices(rules)).worst_case(same), 5.20 + 7.27));
  }
  const Tree other =
      tree_of(asked(fbs, 0.5, asked(chol, 200, leaf(1), leaf(1)), asked(chol, 250, leaf(1), leaf(1))));
  CHECK(near(price_tree(other, Prices(rules)).worst_case(other), 5.20 + 2 * 7.27));
}

TEST(nodes_say_for_how_many_columns_their_test_pays) {
  const Tree tree = example_1();
  CHECK((price_tree(tree, Prices(with_groups())).bought ==
         std::vector<std::int32_t>{1, 0, 1, 0, 1, 0, 0, 0, 0}));
  PriceRules rules = with_groups();
  rules.delayed = flags({chol, fbs});
  CHECK((price_tree(tree, Prices(rules)).bought == std::vector<std::int32_t>{1, 0, 2, 0, 0, 0, 0, 0, 0}));
}

TEST(a_path_pays_a_feature_and_a_set_up_once_and_a_known_feature_never) {
  PriceRules rules = with_groups();
  rules.known = flags({thal});
  const Prices prices(rules);
  PathState path;
  CHECK(near(prices.marginal(path, chol), 7.27));
  prices.visit(path, chol);
  CHECK(prices.marginal(path, chol) == 0);
  CHECK(prices.marginal(path, fbs) == 3.10);
  prices.visit(path, thal);
  CHECK(prices.marginal(path, thal) == 0);
  CHECK(near(prices.marginal(path, thalach), 102.90));  // what is known does not open its group
  rules.pay_once = false;
  CHECK(Prices(rules).marginal(path, chol) == 5.17);  // again, but the group is open
}

TEST(an_outcome_has_its_price_and_one_without_costs_as_much_as_the_most_expensive) {
  PriceRules rules = with_groups();
  rules.own[cp] = 9;
  rules.own[fbs] = 15;
  rules.outcomes = {{cp, OutcomePrices::of_codes({3, 9, 4}, 9, 2)},
                    {fbs, OutcomePrices::of_steps({10, 20}, {5, 9, 15})}};
  const Prices prices(rules);
  const PathState start;
  const double missing = std::numeric_limits<double>::quiet_NaN();
  CHECK(prices.marginal(start, cp) == 9 && prices.marginal(start, cp, 2) == 4);
  for (const double unpriced : {missing, -1.0, 3.0, InputColumn::kOther})
    CHECK(prices.marginal(start, cp, unpriced) == 9);
  CHECK(near(prices.marginal(start, fbs, 10), 5 + 2.10) && near(prices.marginal(start, fbs, 10.5), 9 + 2.10));
  CHECK(near(prices.marginal(start, fbs, missing), 15 + 2.10));
  CHECK(prices.least(cp) == 2 && prices.least(fbs) == 5 && prices.least(chol) == 5.17);
  CHECK(prices.marginal(start, chol, 250) == prices.marginal(start, chol));
}

TEST(a_leaf_costs_the_most_expensive_outcome_that_reaches_it_and_a_row_its_own) {
  PriceRules rules = with_groups();
  rules.own[cp] = 9;
  rules.outcomes = {{cp, OutcomePrices::of_steps({1, 2}, {3, 9, 4})}};
  const Prices prices(rules);
  const Tree tree = tree_of(asked(cp, 1, leaf(1), asked(cp, 2, leaf(1), leaf(1)), 1));
  const TreePrice price = price_tree(tree, prices);
  // Missing values go right and then left.
  CHECK((leaf_prices(tree, price) == std::vector<double>{3, 9, 4}));
  CHECK(price.worst_case(tree) == 9);
  CHECK(price.marginal[0] == 9 && price.marginal[2] == 0);
  CHECK(refused([&] { price.expected(tree); }));
  const std::vector<std::int64_t> leaves{1, 3, 4, 3};
  const std::vector<double> values{0.5, 2, 7, std::numeric_limits<double>::quiet_NaN()};
  const std::span<const double> outcomes[] = {values};
  CHECK((price_rows(price, rules, leaves, outcomes) == std::vector<double>{3, 9, 4, 9}));
}

TEST(asking_in_any_order_places_one_order_of_what_is_still_open) {
  PriceRules rules = with_groups();
  rules.delayed = flags({chol, thal});
  const Prices prices(rules);
  PathState path;
  const std::vector<std::size_t> open{chol, fbs, thal};
  prices.ask(path, cp, [&] { return open; }, kNoBill);
  CHECK(!prices.has_ordered(path) && prices.places_order(path, thal));
  prices.ask(path, thal, [&] { return open; }, kNoBill);
  CHECK(prices.has_ordered(path) && !prices.places_order(path, chol));
  CHECK(prices.is_bought(path, chol) && prices.is_bought(path, thal) && !prices.is_bought(path, fbs));
  CHECK(near(prices.between({}, path, rules.own), 1 + 7.27 + 102.90));
  PathState more = path;
  prices.ask(more, fbs, [&] { return open; }, kNoBill);
  CHECK(prices.between(path, more, rules.own) == 3.10);
}

TEST(what_was_bought_on_a_path_is_known_below_it) {
  const Prices prices(with_groups());
  PathState path;
  prices.visit(path, chol);
  const Prices below(prices.below(path));
  for (std::size_t column = 0; column < n_columns; ++column)
    CHECK(below.marginal({}, column) == prices.marginal(path, column));
}

TEST(only_what_matters_to_the_columns_left_stays_of_a_path) {
  PriceRules rules = with_groups();
  rules.delayed = flags({thal});
  const Prices prices(rules);
  PathState by_chol, by_fbs;
  prices.visit(by_chol, chol);
  prices.visit(by_chol, cp);
  prices.visit(by_fbs, fbs);
  const std::vector<std::uint32_t> others{thal, exang}, both{chol, fbs};
  CHECK(prices.restricted(by_chol, others) == PathState());
  CHECK(prices.restricted(by_chol, both) != prices.restricted(by_fbs, both));
  prices.order(by_chol, std::vector<std::size_t>{thal}, kNoBill);
  CHECK(!prices.has_ordered(prices.restricted(by_chol, both)));
  CHECK(prices.has_ordered(prices.restricted(by_chol, others)));
}

TEST(bounds_see_least_prices_and_no_group_of_a_known_column) {
  PriceRules rules = with_groups();
  rules.known = flags({chol});
  rules.delayed = flags({fbs});
  rules.own[cp] = 9;
  rules.outcomes = {{cp, OutcomePrices::of_codes({3, 9}, 9, 2)}};
  const PriceRules least = Prices(rules).least_rules();
  CHECK((least.own == std::vector<double>{2, 0, 3.10, 1, 1, 1, 1}));
  CHECK((least.group == std::vector<std::int32_t>{-1, -1, 0, 1, 1, 2, 2}));
  CHECK(least.delayed.empty() && least.pay_once);
}

TEST(a_state_holds_any_number_of_columns) {
  CHECK(sizeof(PathState) == 24);
  for (const std::size_t n : {std::size_t{3}, std::size_t{128}, std::size_t{1000}}) {
    PriceRules rules{.own = std::vector<double>(n, 1),
                     .group = std::vector<std::int32_t>(n, 0),
                     .setup = {5},
                     .known = std::vector<bool>(n, false)};
    const Prices prices(rules);
    PathState up, down;
    for (std::size_t i = 0; i < n; i += 2) prices.visit(up, i);
    const PathState half = up;
    for (std::size_t i = 1; i < n; i += 2) prices.visit(up, i);
    for (std::size_t i = n; i-- > 0;) prices.visit(down, i);
    CHECK(up == down && up.hash() == down.hash() && !(up == half));
    CHECK(half.has(0) && !half.has(1) && !half.has(5 * n));
    CHECK(prices.between({}, up, rules.own) == static_cast<double>(n) + 5);
    down = half;
    CHECK(down == half);
    PathState moved = std::move(up);
    up = moved;
    CHECK(up == moved);
  }
}

TEST(a_budget_is_passed_only_beyond_rounding) {
  CHECK(within_budget(0.1 + 0.2, 0.3) && within_budget(5, 5) && within_budget(0, 0));
  CHECK(!within_budget(5.0001, 5) && !within_budget(1e-30, 0));
}

TEST(outcome_prices_that_are_none_are_refused) {
  const double infinity = std::numeric_limits<double>::infinity();
  CHECK(refused([] { OutcomePrices::of_codes({1, 2}, 1, 1); }));
  CHECK(refused([] { OutcomePrices::of_codes({1, 2}, 2, -1); }));
  CHECK(refused([&] { OutcomePrices::of_codes({}, infinity, 0); }));
  CHECK(refused([] { OutcomePrices::of_steps({1}, {1}); }));
  CHECK(refused([] { OutcomePrices::of_steps({2, 1}, {1, 1, 1}); }));
  CHECK(refused([] { OutcomePrices::of_steps({1}, {1, -1}); }));
  PriceRules rules = with_groups();
  rules.outcomes = {{cp, OutcomePrices::of_codes({3, 9}, 9, 2)}};
  CHECK(refused([&] { Prices{rules}; }));  // own is not the highest
  rules.outcomes = {{n_columns, OutcomePrices::of_codes({1}, 1, 1)}};
  CHECK(refused([&] { Prices{rules}; }));
  rules = with_groups();
  rules.delayed = {true};
  CHECK(refused([&] { Prices{rules}; }));
  CHECK(refused([] {
    const PriceRules few{.own = {1}, .group = {-1}, .setup = {}, .known = {false}};
    price_tree(example_1(), Prices(few));
  }));
}
