// What makes a fit: words and parts put together.
#include "learn/learn.hpp"

#include <algorithm>
#include <random>
#include <vector>

#include "choose/candidates.hpp"
#include "grow_table.hpp"
#include "same_tree.hpp"
#include "testing.hpp"
#include "tree/validate.hpp"

using namespace thriftree;
using namespace thriftree::testing;

namespace {

Table small_table(std::mt19937& random, std::size_t n) {
  return make_table({random_column(random, n, 5, true), random_column(random, n, 4, false),
                     random_column(random, n, 6, true, ColumnKind::category)});
}

LearnOptions options_for(const Table& table) {
  LearnOptions options;
  for (const Column& column : table.columns)
    options.tests.candidates.push_back(column.kind == ColumnKind::ordered ? kThreshold : kSubset);
  return options;
}

Tree learnt(const Table& table, const Target& target, const LearnOptions& options) {
  Control control;
  Tree tree = learn(table, target, options, control).tree;
  validate(tree);
  return tree;
}

template <class Change>
bool refused(const Table& table, const Target& target, Change change) {
  LearnOptions options = options_for(table);
  change(options);
  try {
    learnt(table, target, options);
  } catch (const BadInput&) {
    return true;
  }
  return false;
}

}  // namespace

TEST(every_score_learns_a_valid_tree_of_classes) {
  std::mt19937 random(3);
  const Table table = small_table(random, 150);
  for (const bool weighted : {false, true}) {
    const Target target = random_classes(random, 150, 3, weighted);
    for (const char* score : {"impurity", "enhanced", "impure_pairs", "balance", "worst_case"}) {
      LearnOptions options = options_for(table);
      options.scoring.score = score;
      options.scoring.objects = options.scoring.score != "impurity";
      options.parts.set_function = [] { return make_pairs(); };
      CHECK(learnt(table, target, options).n_nodes() > 10);
    }
  }
}

TEST(a_path_holds_the_tree_of_each_trade_off) {
  std::mt19937 random(4);
  const Table table = small_table(random, 120);
  const Target target = random_classes(random, 120, 2, true);
  LearnOptions options = options_for(table);
  options.scoring.score = "enhanced";
  options.scoring.objects = true;
  const std::vector<double> trade_offs{0, 1, 4};
  Control control;
  const LearntPath path = learn_path(table, target, options, trade_offs, control);
  CHECK(path.trees.size() == 3 && path.rows_counted == path.rows_of_distinct_nodes);
  for (std::size_t v = 0; v < trade_offs.size(); ++v) {
    options.scoring.trade_off = trade_offs[v];
    CHECK(same(path.trees[v].tree, learnt(table, target, options)));
  }
}

TEST(best_first_leaves_are_counted_and_a_part_of_the_callers_own_is_used) {
  std::mt19937 random(5);
  const Table table = small_table(random, 150);
  const Target target = random_classes(random, 150, 3, false);
  LearnOptions options = options_for(table);
  options.stopping.max_leaves = 5;
  const Tree best = learnt(table, target, options);
  CHECK(std::count(best.column.begin(), best.column.end(), -1) == 5);
  options.stopping.max_leaves = -1;
  options.parts.grower = [] { return std::make_unique<BestFirst>(5); };
  CHECK(same(best, learnt(table, target, options)));
}

TEST(words_that_do_not_fit_the_table_are_refused) {
  std::mt19937 random(6);
  const Table table = small_table(random, 40);
  const Target target = random_classes(random, 40, 2, false);
  CHECK(refused(table, target, [](LearnOptions& o) { o.tests.candidates.pop_back(); }));
  CHECK(refused(table, target, [](LearnOptions& o) { o.tests.candidates[2] = kThreshold; }));
  CHECK(refused(table, target, [](LearnOptions& o) { o.scoring.criterion = "squared_error"; }));
  CHECK(refused(table, target, [](LearnOptions& o) { o.scoring.score = "luck"; }));
  CHECK(refused(table, target, [](LearnOptions& o) { o.scoring.score = "worst_case"; }));
  CHECK(refused(table, target, [](LearnOptions& o) { o.pricing.prices = {{1, 2}}; }));
  CHECK(refused(table, target, [](LearnOptions& o) { o.error_costs = {0, 1}; }));
  CHECK(refused(table, random_classes(random, 39, 2, false), [](LearnOptions&) {}));
}
