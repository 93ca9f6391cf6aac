// Functions of class counts against their definitions in whole numbers, the worst-case score against every
// outcome, and prices that depend on the outcome or run out.
#include "criterion/worst_case.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "choose/branch_prices.hpp"
#include "criterion/impurity_registry.hpp"
#include "price/test_prices.hpp"
#include "refused.hpp"
#include "run/control.hpp"
#include "testing.hpp"

using namespace thriftree;
using thriftree::testing::refused;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct Named {
  std::string name;
  std::unique_ptr<SetFunction> function;
};

std::vector<Named> functions_of_three_classes() {
  std::vector<Named> all;
  all.push_back({"pairs", make_pairs()});
  for (int l : {2, 3, 4, 5, 8, 31, 32, 33, 60})
    all.push_back({"powers " + std::to_string(l), make_powers(l)});
  for (double alpha : {0.0, 0.5, 1.0, 2.5}) {
    all.push_back({"hinged", make_hinged_pairs(alpha, true)});
    all.push_back({"hinged, no offset", make_hinged_pairs(alpha, false)});
  }
  all.push_back({"polynomial", make_polynomial({2, 0.5}, {{1, 2, 0}, {1, 1, 3}})});
  all.push_back({"huge polynomial", make_polynomial({1}, {{200, 300, 400}})});
  return all;
}

std::vector<double> random_counts(std::mt19937& random, std::size_t n_classes, unsigned most) {
  std::vector<double> counts;
  for (std::size_t k = 0; k < n_classes; ++k) counts.push_back(random() % (most + 1));
  return counts;
}

std::vector<double> random_part(std::mt19937& random, const std::vector<double>& whole) {
  std::vector<double> part;
  for (double count : whole) part.push_back(random() % (static_cast<unsigned>(count) + 1));
  return part;
}

bool close(double a, double b, double relative) {
  return std::abs(a - b) <= relative * std::max({std::abs(a), std::abs(b), 1e-300});
}

std::unique_ptr<WorstCase> worst_case(std::unique_ptr<SetFunction> function, std::size_t n_classes,
                                      double tolerance = 0) {
  Statistics statistics;
  statistics.base = statistics.n_groups = n_classes;
  return std::make_unique<WorstCase>(std::move(function), make_impurity("gini"), statistics, tolerance);
}

double sum(const std::vector<double>& counts) {
  double total = 0;
  for (double count : counts) total += count;
  return total;
}

}  // namespace

TEST(powers_are_what_their_definition_says) {
  std::mt19937 random(1);
  for (int round = 0; round < 300; ++round) {
    const auto counts = random_counts(random, 1 + random() % 5, 30);
    for (int l = 2; l <= 6; ++l) {
      double expected = std::pow(sum(counts), l);
      for (double count : counts) expected -= std::pow(count, l);
      CHECK(close(make_powers(l)->value(counts), expected, 1e-12) || std::abs(expected) < 1e-3);
    }
    CHECK(make_powers(2)->value(counts) == 2 * make_pairs()->value(counts));
    CHECK(make_hinged_pairs(0, true)->value(counts) == make_pairs()->value(counts));
  }
}

TEST(a_logarithm_of_a_drop_agrees_with_the_values) {
  std::mt19937 random(2);
  for (const auto& [name, function] : functions_of_three_classes()) {
    for (int round = 0; round < 200; ++round) {
      const auto whole = random_counts(random, 3, round % 2 ? 9 : 300), part = random_part(random, whole);
      const double all = function->value(whole), left = function->value(part);
      if (all == 0 || !std::isfinite(all)) continue;
      const double drop = function->log_drop(whole, part);
      CHECK(drop >= 0);
      CHECK(left == 0 ? drop == kAllGone : close(std::exp(-drop), left / all, 1e-9));
      CHECK(function->log_drop(whole, whole) == 0);
    }
  }
}

TEST(shares_of_both_sides_of_all_ends_agree_with_the_values) {
  std::mt19937 random(17);
  constexpr std::size_t n_ends = 40;
  for (std::size_t n_classes : {2U, 3U, 5U}) {
    std::vector<std::unique_ptr<SetFunction>> functions;
    functions.push_back(make_pairs());
    functions.push_back(make_powers(5));
    for (double alpha : {0.0, 2.5, 40.0}) {
      functions.push_back(make_hinged_pairs(alpha, true));
      functions.push_back(make_hinged_pairs(alpha, false));
    }
    for (const auto& function : functions) {
      for (int round = 0; round < 50; ++round) {
        const auto whole = random_counts(random, n_classes, round % 2 ? 9 : 300);
        const double all = function->value(whole);
        if (all == 0) continue;
        std::vector<double> left(n_classes * n_ends), on_left(n_ends), on_right(n_ends);
        for (std::size_t i = 0; i < n_ends; ++i) {
          const auto part = random_part(random, whole);
          for (std::size_t k = 0; k < n_classes; ++k) left[k * n_ends + i] = part[k];
        }
        function->both_shares(whole, left.data(), n_ends, n_ends, on_left.data(), on_right.data());
        for (std::size_t i = 0; i < n_ends; ++i) {
          std::vector<double> part, rest;
          for (std::size_t k = 0; k < n_classes; ++k) {
            part.push_back(left[k * n_ends + i]);
            rest.push_back(whole[k] - part[k]);
          }
          CHECK(std::abs(on_left[i] - function->value(part) / all) <= 1e-12);
          CHECK(std::abs(on_right[i] - function->value(rest) / all) <= 1e-12);
        }
      }
    }
  }
}

TEST(what_no_double_holds_is_still_ordered) {
  const auto powers = make_powers(1000);
  const std::vector<double> whole{50000, 50000}, half{25000, 25000}, less{25000, 24999}, one{1, 1};
  CHECK(powers->value(whole) == kInfinity);
  CHECK(powers->log_drop(whole, less) > powers->log_drop(whole, half));
  CHECK(close(powers->log_drop(whole, half), 1000 * std::log(2.0), 1e-12));
  CHECK(std::isfinite(powers->log_drop(whole, one)) && powers->log_drop(whole, one) < kAllGone);
  CHECK(powers->log_drop(whole, std::vector<double>{50000, 0}) == kAllGone);
  const auto polynomial = make_polynomial({1}, {{100, 100}});
  CHECK(polynomial->value(whole) == kInfinity);
  CHECK(close(polynomial->log_drop(whole, half), 200 * std::log(2.0), 1e-12));
}

TEST(one_object_less_is_seen_among_many) {
  for (int l : {2, 3, 5, 7}) {
    const auto powers = make_powers(l);
    const std::vector<double> whole{70000, 30000, 5}, a{69999, 30000, 5}, b{70000, 29999, 5};
    CHECK(powers->log_drop(whole, a) > 0);
    CHECK(powers->log_drop(whole, b) > powers->log_drop(whole, a));
  }
}

TEST(the_filter_is_within_its_error) {
  std::mt19937 random(3);
  for (std::size_t n_classes : {2U, 3U, 7U}) {
    for (int l : {2, 3, 5, 20, 40, 0}) {  // 0: hinged pairs
      const auto criterion = worst_case(l > 0 ? make_powers(l) : make_hinged_pairs(1.5, true), n_classes);
      for (int round = 0; round < 40; ++round) {
        const auto whole = random_counts(random, n_classes, round % 2 ? 4000 : 6);
        const NodeSums node{whole, sum(whole)};
        if (criterion->done(node)) continue;
        std::vector<double> left, totals, q(kBatch);
        for (int i = 0; i < kBatch; ++i) {
          const auto part = random_part(random, whole);
          left.insert(left.end(), part.begin(), part.end());
          totals.push_back(sum(part));
        }
        criterion->filter_prefixes(node, {kBatch, left.data(), totals.data()}, q.data());
        for (std::size_t i = 0; i < kBatch; ++i) {
          std::vector<double> both(left.begin() + static_cast<std::ptrdiff_t>(i * n_classes),
                                   left.begin() + static_cast<std::ptrdiff_t>((i + 1) * n_classes));
          for (std::size_t k = 0; k < n_classes; ++k) both.push_back(whole[k] - both[k]);
          const double branch_totals[2] = {totals[i], node.total - totals[i]};
          const double exact = -std::exp(-criterion->decrease(node, {both, branch_totals}));
          CHECK(std::abs(q[i] - exact) <= criterion->filter_error(node));
        }
      }
    }
  }
}

TEST(prices_weigh_as_in_the_paper) {
  std::mt19937 random(4);
  const auto criterion = worst_case(make_pairs(), 3);
  const auto value = make_pairs();
  for (int round = 0; round < 500; ++round) {
    const auto whole = random_counts(random, 3, 40), left = random_part(random, whole);
    std::vector<double> both = left, right;
    for (std::size_t k = 0; k < 3; ++k) right.push_back(whole[k] - left[k]);
    both.insert(both.end(), right.begin(), right.end());
    const NodeSums node{whole, sum(whole)};
    const double totals[2] = {sum(left), sum(right)}, all = value->value(whole);
    if (all == 0) continue;
    const double prices[2] = {1.0 + random() % 7, 1.0 + random() % 7};
    const double least = std::min(prices[0], prices[1]);
    const double cheapness[2] = {least / prices[0], least / prices[1]};
    const double score = criterion->decrease_at_prices(node, {both, totals}, cheapness);
    // The paper minimises the larger of price / drop; its inverse, in units of F(S).
    const double expected =
        std::min((all - value->value(left)) / prices[0], (all - value->value(right)) / prices[1]) / all;
    const double cheapest = 0.5;
    CHECK(close(-std::expm1(-criterion->per_price(score, least, cheapest)), expected * cheapest, 1e-9) ||
          expected == 0);
  }
}

TEST(a_node_is_done_at_the_tolerance) {
  const std::vector<double> counts{3, 4};
  const NodeSums node{counts, 7};
  CHECK(worst_case(make_pairs(), 2, 12)->done(node));
  CHECK(!worst_case(make_pairs(), 2, 11.999)->done(node));
  CHECK(worst_case(make_hinged_pairs(2, true), 2)->done(node));
}

TEST(functions_that_are_not_admissible_are_refused) {
  CHECK(refused([] { make_powers(1); }));
  CHECK(refused([] { make_hinged_pairs(-1, true); }));
  CHECK(refused([] { make_hinged_pairs(std::nan(""), true); }));
  CHECK(refused([] { make_polynomial({}, {}); }));
  CHECK(refused([] { make_polynomial({1}, {{3, 0}}); }));
  CHECK(refused([] { make_polynomial({-1}, {{1, 1}}); }));
  CHECK(refused([] { make_polynomial({1, 1}, {{1, 1}, {1, 1, 1}}); }));
  CHECK(refused([] { make_polynomial({1}, {{1, -1}}); }));
  CHECK(refused([] { make_polynomial({1}, {{1, 1}})->value(std::vector<double>{1, 1, 1}); }));
}

TEST(a_path_asks_for_nothing_that_it_cannot_pay) {
  PriceRules rules{{5, 3, 1}, {0, 0, -1}, {2}, {false, false, false}};
  rules.budget = 9;
  const TestPrices prices(rules);
  std::vector<double> marginal(3);
  prices.marginal({}, marginal);
  CHECK((marginal == std::vector<double>{7, 5, 1}));
  const PathStep first{0, 0};
  prices.marginal({&first, 1}, marginal);  // 7 of 9 are spent, and the group is open
  CHECK((marginal == std::vector<double>{0, kInfinity, 1}));
  CHECK(prices.bundles({}).empty());  // 2 + 5 + 3
  rules.budget = -1;
  CHECK(refused([&] { TestPrices broken(rules); }));
}

TEST(outcomes_have_prices_until_they_are_paid) {
  PriceRules rules{{5, 3}, {0, -1}, {2}, {false, false}};
  rules.by_code = {{1, 5, 4}, {}};
  const TestPrices prices(rules);
  std::vector<double> by_code;
  CHECK(prices.by_outcome({}, 0, by_code) && (by_code == std::vector<double>{3, 7, 6}));
  CHECK(!prices.by_outcome({}, 1, by_code));
  const PathStep first{0, 0};
  CHECK(!prices.by_outcome({&first, 1}, 0, by_code));
  rules.by_code[0][0] = 6;
  CHECK(refused([&] { TestPrices broken(rules); }));
}

TEST(a_branch_costs_as_much_as_its_most_expensive_outcome) {
  const std::vector<double> by_code{4, 1, 8, 2, 16};
  const std::vector<std::uint32_t> codes{0, 2, 3, 4}, order{2, 0, 1};
  const BranchPrices prices(by_code, codes);
  CHECK(prices.differ());
  CHECK(
      (prices.cheapness([](std::size_t run) { return run < 2; }) == std::array<double, 2>{1. / 8, 1. / 16}));
  const BranchPrices::Prefixes prefixes(prices, order);
  CHECK((prefixes.cheapness(1, true) == std::array<double, 2>{1. / 16, 1. / 8}));
  CHECK((prefixes.cheapness(2, false) == std::array<double, 2>{1. / 4, 1. / 16}));
  CHECK((prices.cheapness_apart(1) == std::vector<double>{2. / 5, 2. / 9, 2. / 3, 2. / 17}));
  CHECK(!BranchPrices({}, codes).differ());
}
