// Several trees that share their counting are those that single fits grow; and the prices on their paths.
#include <chrono>
#include <cmath>
#include <limits>
#include <memory>
#include <random>
#include <thread>
#include <vector>

#include "choose/score_chooser.hpp"
#include "criterion/enhanced.hpp"
#include "criterion/impurity_registry.hpp"
#include "grow/grow.hpp"
#include "grow_table.hpp"
#include "object_targets.hpp"
#include "price/test_prices.hpp"
#include "rows/local_store.hpp"
#include "same_tree.hpp"
#include "testing.hpp"
#include "tree/validate.hpp"

using namespace thriftree;
using namespace thriftree::testing;

namespace {

const std::vector<double> kTradeOffs{std::numeric_limits<double>::infinity(), 100, 5, 1, 0.3, 0};

// Every storage: blocks of many and of two codes, bits, sorted columns, with and without missing values.
Table many_kinds(std::mt19937& random, std::size_t n) {
  return make_table({random_column(random, n, 5, true), random_column(random, n, 2, false),
                     random_column(random, n, 300, true), random_column(random, n, 700, false),
                     random_column(random, n, 6, true, ColumnKind::category)});
}

PriceRules grouped_prices() {
  PriceRules rules;
  rules.own = {3, 1, 10, 4, 2};
  rules.group = {0, 0, -1, 1, 1};
  rules.setup = {5, 2};
  rules.known = {false, false, false, false, true};
  rules.asking = 0.01;
  rules.read = true;
  return rules;
}

// What all fits of a test have in common.
struct PathProblem {
  PathProblem(const Table& rows, const Target& objects, double theta, PriceRules rules)
      : table(rows), target(objects), sums(object_sums(objects, theta)), prices(std::move(rules)) {
    for (double trade_off : kTradeOffs) {
      scores.push_back(
          std::make_unique<Enhanced>(make_impurity("gini"), trade_off, 1, sums.statistics, sums.weights));
      scores.back()->prepare(table.n_rows, !target.weighted());
    }
    for (const Column& column : table.columns)
      score.kinds.push_back(column.kind == ColumnKind::ordered ? kThreshold : kSubset);
    score.divide_by_price = true;
    stop = make_stop_rules({{"min_mass", theta}}, *scores[0]);
  }
  std::unique_ptr<Grower> grower() const {
    if (max_leaves > 0) return std::make_unique<BestFirst>(max_leaves);
    return std::make_unique<ByLevel>(32768);
  }
  Tree tree_of(GrowthResult grown) const {
    keep_plain_totals(grown.growth, sums.statistics, *make_impurity("gini"));
    Tree tree = make_tree(grown.growth, table.columns, target, {});
    validate(tree);
    return tree;
  }
  Tree alone(std::size_t variant) const {
    Control control;
    Team team(control);
    LocalStore store(table, target, sums.statistics, control, team);
    ScoreChooser chooser(table.columns, {scores[variant].get()}, score, prices);
    const auto grows = grower();
    const Loop loop{table.columns, *scores[variant], stop, store, chooser, *grows};
    return tree_of(grow(loop, control, team));
  }

  const Table& table;
  const Target& target;
  ObjectSums sums;
  TestPrices prices;
  std::vector<std::unique_ptr<Score>> scores;
  ScoreRules score;
  StopRules stop;
  int max_leaves = 0;
};

// The fits of a path, which share a store and a memory.
struct Path {
  explicit Path(const PathProblem& of, int n_threads = 1) : problem(of) {
    control.n_threads = n_threads;
    team = std::make_unique<Team>(control);
    store = std::make_unique<LocalStore>(of.table, of.target, of.sums.statistics, control, *team);
    std::vector<const Score*> all;
    for (const auto& one : of.scores) all.push_back(one.get());
    chooser = std::make_unique<ScoreChooser>(of.table.columns, all, of.score, of.prices);
    memory = std::make_unique<ChoiceMemory>(*chooser, static_cast<int>(all.size()));
  }
  GrowthResult next() {
    const auto grower = problem.grower();
    Loop loop{problem.table.columns, *problem.scores[variant], problem.stop, *store, *chooser, *grower};
    loop.memory = memory.get();
    loop.variant = static_cast<int>(variant++);
    return grow(loop, control, *team);
  }

  const PathProblem& problem;
  Control control;
  std::unique_ptr<Team> team;
  std::unique_ptr<LocalStore> store;
  std::unique_ptr<ScoreChooser> chooser;
  std::unique_ptr<ChoiceMemory> memory;
  std::size_t variant = 0;
};

}  // namespace

TEST(trees_that_share_their_counting_are_those_of_single_fits) {
  std::mt19937 random(61);
  int different = 0, problems = 0;
  for (Weights weights : {Weights::unit, Weights::small_whole, Weights::one_giant}) {
    for (std::size_t n : {30, 260}) {
      const Table table = many_kinds(random, n);
      const Target target = random_target(random, n, 3, weights);
      PathProblem problem(table, target, problems % 2 ? 0.0 : 0.02, grouped_prices());
      problem.max_leaves = problems++ % 3 == 1 ? 9 : 0;
      Path path(problem, problems % 3 + 1);
      std::int64_t rows_alone = 0;
      std::vector<Tree> trees;
      for (std::size_t v = 0; v < kTradeOffs.size(); ++v) {
        trees.push_back(problem.tree_of(path.next()));
        const Tree alone = problem.alone(v);
        CHECK(same(trees.back(), alone));
        for (std::size_t i = 0; i < alone.rows.size(); ++i) rows_alone += alone.rows[i];
        different += v > 0 && !same(trees[v], trees[v - 1]);
      }
      CHECK(path.memory->rows_counted >= path.memory->rows_of_distinct_nodes());
      CHECK(path.memory->rows_counted < rows_alone);
    }
  }
  CHECK(different > 10);  // or the trees had nothing to differ in
}

TEST(trees_of_a_path_that_are_out_of_time_are_one_leaf_each) {
  std::mt19937 random(62);
  const Table table = many_kinds(random, 400);
  const Target target = random_target(random, 400, 2, Weights::any);
  const PathProblem problem(table, target, 0, grouped_prices());
  Path path(problem);
  const GrowthResult first = path.next();
  CHECK(first.stopped_by.empty() && first.growth.nodes.size() > 1);
  path.control.time_limit_s = 0;
  for (std::size_t v = 1; v < kTradeOffs.size(); ++v) {
    std::this_thread::sleep_for(std::chrono::milliseconds(25));  // the next look at the clock is due
    GrowthResult grown = path.next();
    CHECK(grown.stopped_by == "time_limit");
    const Tree tree = problem.tree_of(std::move(grown));
    CHECK(tree.n_nodes() == 1 && tree.rows[0] == 400);
  }
}

TEST(time_that_runs_out_in_one_growth_does_not_end_what_comes_after_it) {
  // The clock of a caller who gives more time after the first tree.
  std::mt19937 random(63);
  const Table table = many_kinds(random, 400);
  const Target target = random_target(random, 400, 2, Weights::any);
  const PathProblem problem(table, target, 0, grouped_prices());
  Path path(problem);
  path.control.time_limit_s = 0;
  CHECK(path.next().stopped_by == "time_limit");
  path.control.time_limit_s = std::numeric_limits<double>::infinity();
  for (std::size_t v = 1; v < kTradeOffs.size(); ++v)
    CHECK(same(problem.tree_of(path.next()), problem.alone(v)));
}

TEST(marginal_prices_and_bundles_are_what_a_path_has_left_to_pay) {
  std::mt19937 random(64);
  for (int round = 0; round < 300; ++round) {
    const std::size_t n = 1 + random() % 8, n_groups = random() % 4;
    PriceRules rules;
    for (std::size_t j = 0; j < n; ++j) {
      rules.own.push_back(static_cast<double>(random() % 9));
      rules.group.push_back(static_cast<std::int32_t>(random() % (n_groups + 1)) - 1);
      rules.known.push_back(random() % 4 == 0);
    }
    for (std::size_t g = 0; g < n_groups; ++g) rules.setup.push_back(static_cast<double>(1 + random() % 9));
    rules.pay_once = random() % 2 == 0;
    rules.asking = static_cast<double>(random() % 3);
    std::vector<PathStep> path;
    for (std::size_t i = 0; i < random() % 5; ++i)
      path.push_back({static_cast<std::uint32_t>(random() % n), 0});
    // Walks the path again for every column.
    const auto was_tested = [&](std::size_t column) {
      return std::any_of(path.begin(), path.end(), [&](const PathStep& s) { return s.column == column; });
    };
    const auto set_up_left = [&](std::int32_t group) {
      if (group < 0) return 0.0;
      for (const PathStep& step : path) {
        if (rules.group[step.column] == group && !rules.known[step.column]) return 0.0;
      }
      return rules.setup[static_cast<std::size_t>(group)];
    };
    const TestPrices prices(rules);
    std::vector<double> marginal(n);
    prices.marginal(path, marginal);
    for (std::size_t j = 0; j < n; ++j) {
      const bool free = rules.known[j] || (rules.pay_once && was_tested(j));
      CHECK(marginal[j] == rules.asking + (free ? 0 : rules.own[j] + set_up_left(rules.group[j])));
    }
    const auto bundles = prices.bundles(path);
    CHECK(bundles.size() == n_groups);
    for (std::size_t g = 0; g < n_groups; ++g) {
      CHECK(bundles[g].setup == set_up_left(static_cast<std::int32_t>(g)));
      std::vector<std::uint32_t> columns;
      std::vector<double> own;
      for (std::uint32_t j = 0; j < n; ++j) {
        if (rules.group[j] != static_cast<std::int32_t>(g) || rules.known[j] || was_tested(j)) continue;
        columns.push_back(j);
        own.push_back(rules.own[j]);
      }
      CHECK(bundles[g].columns == columns && bundles[g].own == own);
    }
  }
}

TEST(a_tree_that_starts_below_a_path_pays_what_it_would_as_its_part) {
  PriceRules rules = grouped_prices();
  rules.budget = 17;
  const std::vector<PathStep> above{{0, 0}, {3, 1}}, own{{1, 0}};
  std::vector<PathStep> whole = above;
  whole.insert(whole.end(), own.begin(), own.end());
  const Prices walked(rules);
  PathState bought;
  double paid = 0;
  for (const PathStep& step : above) {
    paid += walked.marginal(bought, step.column);
    walked.visit(bought, step.column);
  }
  const TestPrices from_the_root(rules), below(rules, bought, paid);
  std::vector<double> wanted(rules.own.size()), found(rules.own.size());
  from_the_root.marginal(whole, wanted);
  below.marginal(own, found);
  CHECK(wanted == found && std::isinf(found[2]) && !std::isinf(found[0]));
  CHECK(from_the_root.bundles(whole).size() == below.bundles(own).size());
}

TEST(prices_that_are_none_are_refused) {
  const auto refused = [](auto change) {
    PriceRules rules = grouped_prices();
    change(rules);
    try {
      TestPrices{rules};
    } catch (const BadInput&) {
      return true;
    }
    return false;
  };
  CHECK(!refused([](PriceRules&) {}));
  CHECK(refused([](PriceRules& r) { r.own[1] = -1; }));
  CHECK(refused([](PriceRules& r) { r.own[1] = std::numeric_limits<double>::quiet_NaN(); }));
  CHECK(refused([](PriceRules& r) { r.setup[0] = std::numeric_limits<double>::infinity(); }));
  CHECK(refused([](PriceRules& r) { r.asking = -0.5; }));
  CHECK(refused([](PriceRules& r) { r.group[0] = 2; }));
  CHECK(refused([](PriceRules& r) { r.group[0] = -2; }));
  CHECK(refused([](PriceRules& r) { r.group.pop_back(); }));
  CHECK(refused([](PriceRules& r) { r.known.push_back(true); }));
}
