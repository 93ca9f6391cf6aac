#include <algorithm>
#include <limits>
#include <random>

#include "search/kernel_task.hpp"
#include "search/search.hpp"
#include "solved_search.hpp"
#include "testing.hpp"

using namespace thriftree;

namespace {

// A random problem with prices that owns its arrays: two tests a feature, groups, and a budget every third
// time.
struct PricedMade {
  std::vector<std::uint8_t> tests;
  std::vector<std::int32_t> feature, label;
  PriceRules rules;
  SearchProblem problem;
};

void fill(PricedMade& made, std::mt19937& random, std::size_t n_rows, std::size_t n_features, int n_classes,
          int round) {
  const auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  const std::size_t n_tests = 2 * n_features;
  for (std::size_t i = 0; i < n_rows * n_tests; ++i)
    made.tests.push_back(static_cast<std::uint8_t>(below(2)));
  for (std::size_t i = 0; i < n_tests; ++i) made.feature.push_back(static_cast<std::int32_t>(i / 2));
  for (std::size_t i = 0; i < n_rows; ++i) made.label.push_back(below(n_classes));
  for (std::size_t f = 0; f < n_features; ++f) {
    made.rules.own.push_back(below(40) / 7.0);
    made.rules.group.push_back(below(3) - 1);
    made.rules.known.push_back(below(9) == 0);
  }
  made.rules.setup = {1.3, 0.4};
  made.rules.pay_once = round % 4 != 0;
  if (round % 3 == 0) made.rules.budget = 4 + below(8);
  made.problem.n_rows = n_rows;
  made.problem.n_tests = n_tests;
  made.problem.tests = made.tests;
  made.problem.feature = made.feature;
  made.problem.label = made.label;
  made.problem.n_classes = n_classes;
  made.problem.prices = &made.rules;
}

}  // namespace

TEST(kernels_with_prices_agree_on_every_cpu) {
  std::mt19937 random(21);
  for (int round = 0; round < 40; ++round) {
    PricedMade made;
    fill(made, random, 5 + random() % 150, 1 + random() % 14, 2 + round % 3, round);
    SearchOptions options;
    options.price_weight = 0.05;
    options.min_leaf = round % 5 == 0 ? 3 : 1;
    const SearchEntries entries = make_entries(made.problem, options, [] {});
    const NodeMaker nodes(entries, true, 0);
    const NodeBits root = nodes.root();
    if (root.n_columns() == 0) continue;
    const KernelLimits limits{options.min_leaf, 0};
    KernelAnswer start;
    Kernel(nodes, limits).run(root, 1, [] {}, start);
    const PricesAtNode prices = prices_of(root, nodes);
    KernelAnswer expected;
    Kernel(nodes, limits).run(root, 3, [] {}, expected);
    for (KernelFunction run : kernels_of_this_cpu()) {
      KernelAnswer answer = start;
      KernelScratch scratch;
      const std::function<void()> poll = [] {};
      KernelTask task{root, entries.channels, limits, 3, poll, scratch, 0, answer, &prices};
      run(task);
      CHECK(answer.side == expected.side);
    }
  }
}

TEST(rough_prices_bound_exact_ones_closely_and_alike_on_every_cpu) {
  std::mt19937 random(23);
  int bounded = 0, n_close = 0;
  for (int round = 0; round < 60; ++round) {
    PricedMade made;
    fill(made, random, 5 + random() % 1200, 1 + random() % 14, 2, round);
    made.rules.budget = std::numeric_limits<double>::infinity();
    SearchOptions options;
    options.price_weight = round % 7 == 0 ? 40 : 0.05;  // prices that are far above what errors cost, too
    const SearchEntries entries = make_entries(made.problem, options, [] {});
    const NodeMaker nodes(entries, true, 0);
    const NodeBits root = nodes.root();
    KernelAnswer exact, rough;
    if (root.n_columns() == 0 || !Kernel(nodes, {}).bound(root, [] {}, rough)) continue;
    ++bounded;
    Kernel(nodes, {}).run(root, 3, [] {}, exact);
    CHECK(rough.pay == exact.pay && rough.base == exact.base);
    // Of a side three tests are rounded, by less than two units of 2^-15 of all gains each, and prices that
    // are too high for a lane are lowered.
    const RoughScale fitted = *rough_scale(root, nodes);
    const PricesAtNode asked = prices_of(root, nodes);
    const bool lowered = std::any_of(asked.columns.begin(), asked.columns.end(), [&](const auto& column) {
      return fitted.share(column.alone) == std::numeric_limits<std::uint16_t>::max();
    });
    n_close += lowered ? 0 : 1;
    const std::int64_t gains = *std::max_element(exact.base.begin(), exact.base.end());
    for (std::size_t side = 0; side < exact.side.size(); ++side) {
      for (std::size_t k = 0; k < 4; ++k) {
        if (exact.side[side][k] >= kNoCost) continue;
        CHECK(rough.side[side][k] <= exact.side[side][k]);
        if (!lowered) CHECK(exact.side[side][k] - rough.side[side][k] <= gains / 1024);
      }
    }
    for (KernelFunction run : kernels_of_this_cpu()) {
      KernelAnswer answer = exact;
      KernelScratch scratch;
      const std::function<void()> poll = [] {};
      KernelTask task{root, entries.channels, {}, 3, poll, scratch, 0, answer, &asked, &fitted};
      run(task);
      CHECK(answer.side == rough.side);
    }
  }
  CHECK(bounded > 40 && n_close > 20);
}

TEST(rough_prices_change_no_tree) {
  std::mt19937 random(24);
  std::int64_t bounded = 0;
  for (int round = 0; round < 30; ++round) {
    PricedMade made;
    fill(made, random, 20 + random() % 200, 3 + random() % 5, 2, round);
    SearchOptions options;
    options.max_depth = 4 + round % 2;
    options.leaf_penalty = round % 3;
    options.price_weight = 0.02;
    if (round % 5 == 0) options.max_leaves = 9;
    const SearchResult rough = solved(made.problem, options);
    bounded += rough.statistics.rough_kernels;
    options.switches.rough = false;
    const SearchResult exact = solved(made.problem, options);
    CHECK(exact.statistics.rough_kernels == 0);
    CHECK(rough.tree.test == exact.tree.test && rough.objective == exact.objective);
    CHECK(rough.status == "optimal" && rough.lower_bound == exact.lower_bound);
  }
  CHECK(bounded > 100);
}

TEST(a_tree_with_prices_is_the_same_for_any_threads_cache_and_switches) {
  std::mt19937 random(22);
  for (int round = 0; round < 12; ++round) {
    PricedMade made;
    fill(made, random, 40 + random() % 100, 3 + random() % 4, 2 + round % 2, round);
    SearchOptions options;
    options.max_depth = 3 + round % 2;
    options.leaf_penalty = round % 3;
    options.price_weight = 0.02;
    const SearchResult expected = solved(made.problem, options);
    CHECK(expected.status == "optimal");
    CHECK(solved(made.problem, options, 4).tree.test == expected.tree.test);
    options.cache_bytes = 0;
    CHECK(solved(made.problem, options, 2).tree.test == expected.tree.test);
    options.switches.cache = options.switches.similarity = options.switches.triples = false;
    CHECK(solved(made.problem, options).tree.test == expected.tree.test);
  }
}
