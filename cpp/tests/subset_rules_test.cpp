// Sets of categories under rules: which are placed, where rare ones go, and what is on offer.
#include "choose/subset_rules.hpp"

#include <algorithm>
#include <random>
#include <vector>

#include "choose/candidates.hpp"
#include "counted_apart.hpp"
#include "grow_table.hpp"
#include "learn/learn.hpp"
#include "refused.hpp"
#include "same_tree.hpp"
#include "testing.hpp"
#include "tree/validate.hpp"

using namespace thriftree;
using namespace thriftree::testing;

namespace {

// Runs of so many rows, one sum a row.
ColumnRuns runs_of_rows(const std::vector<std::int64_t>& rows) {
  ColumnRuns runs;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    runs.codes.push_back(static_cast<std::uint32_t>(i));
    runs.rows.push_back(rows[i]);
    runs.sums.push_back(static_cast<double>(rows[i]));
    runs.totals.push_back(static_cast<double>(rows[i]));
  }
  return runs;
}

Table categories_table(std::mt19937& random, std::size_t n) {
  return make_table({random_column(random, n, 30, true, ColumnKind::category),
                     random_column(random, n, 40, false),
                     random_column(random, n, 6, true, ColumnKind::category)});
}

LearnOptions category_options(const Table& table, const Target& target) {
  LearnOptions options;
  options.scoring.criterion = target.n_classes > 0 ? "gini" : "squared_error";
  for (const Column& column : table.columns)
    options.tests.candidates.push_back(column.kind == ColumnKind::ordered ? kThreshold
                                                                          : kSubset | kOneVsRest);
  return options;
}

}  // namespace

TEST(rare_runs_are_not_placed_but_missing_ones_are) {
  SubsetPlacing placing;
  SubsetRules rules;
  rules.min_rows = 4;
  const ColumnRuns runs = runs_of_rows({5, 1, 4, 3, 2});
  placing.look(rules, runs, 1, 1);  // the last run is missing
  CHECK((placing.placed() == std::vector<std::uint32_t>{0, 2, 4}));
  CHECK(placing.is_rare(1) && placing.is_rare(3) && !placing.is_rare(4));
  CHECK(placing.n_known() == 4);
  placing.look(rules, runs_of_rows({1, 2}), 0, 1);  // two codes make one test
  CHECK(placing.placed().size() == 2);
}

TEST(rare_runs_join_the_heavier_side_and_wide_sides_are_left_out) {
  SubsetPlacing placing;
  SubsetRules rules;
  rules.min_rows = 4;
  rules.max_categories = 2;
  placing.look(rules, runs_of_rows({5, 1, 4, 3, 6, 7}), 0, 1);
  CandidateSums sums;  // {5} left of {4, 6, 7}; {5, 6} of {4, 7}; {6, 7, 5} of {4}
  sums.left = sums.left_total = {5, 11, 18};
  sums.left_rows = {5, 11, 18};
  const std::size_t n_left[] = {1, 2, 3};
  placing.settle(rules, 1, sums, [&](std::size_t i) { return n_left[i]; });
  // With the rare ones the sides have 1 and 5, 4 and 2 (11 is as much as 11: left), 5 and 1.
  CHECK(sums.size() == 3 && placing.was(1) == 1);
  CHECK(!placing.rare_left(0) && placing.rare_left(1) && placing.rare_left(2));
  CHECK((sums.left_total == std::vector<double>{5, 15, 22}));
  CHECK((sums.left_rows == std::vector<std::int64_t>{5, 15, 22}));
  rules.max_categories = 1;
  sums.left = sums.left_total = {5, 11, 18};
  sums.left_rows = {5, 11, 18};
  placing.settle(rules, 1, sums, [&](std::size_t i) { return n_left[i]; });
  CHECK(sums.size() == 2 && placing.was(0) == 0 && placing.was(1) == 2);
  CHECK((sums.left_total == std::vector<double>{5, 22}));
}

TEST(no_set_has_more_categories_on_its_narrower_side_than_the_rule_says) {
  std::mt19937 random(71);
  const Table table = categories_table(random, 600);
  for (const bool numbers : {false, true}) {
    const Target target = numbers ? random_numbers(random, 600, true) : random_classes(random, 600, 3, true);
    LearnOptions options = category_options(table, target);
    options.tests.subset_max_categories = 2;
    options.tests.subset_min_rows = 3;
    options.tests.subset_smoothing = 5;
    Control control;
    const Tree tree = learn(table, target, options, control).tree;
    validate(tree);
    std::size_t n_sets = 0;
    for (std::size_t node = 0; node < tree.n_nodes(); ++node) {
      if (tree.kind[node] != TestKind::category) continue;
      const auto begin = tree.to.begin() + tree.to_begin[node],
                 end = tree.to.begin() + tree.to_begin[node + 1];
      const auto n_left = std::count(begin, end, 0);
      CHECK(std::min<std::ptrdiff_t>(n_left, (end - begin) - n_left) <= 2);
      ++n_sets;
    }
    CHECK(n_sets > 5);
    for (const std::size_t n_parts : {2, 7}) {
      CountedApart source(table, target, n_parts);
      CHECK(same(tree, learn({table.columns, target, {}, source}, options, control).tree));
    }
  }
}

TEST(rules_of_sets_that_make_no_sense_are_refused) {
  std::mt19937 random(72);
  const Table table = categories_table(random, 50);
  const Target target = random_classes(random, 50, 2, false);
  const auto refuses = [&](void (*change)(TestParameters&)) {
    LearnOptions options = category_options(table, target);
    change(options.tests);
    Control control;
    return refused([&] { learn(table, target, options, control); });
  };
  CHECK(!refuses([](TestParameters&) {}));
  CHECK(refuses([](TestParameters& tests) { tests.subset_min_rows = 0; }));
  CHECK(refuses([](TestParameters& tests) { tests.subset_max_categories = 0; }));
  CHECK(refuses([](TestParameters& tests) { tests.subset_smoothing = -1; }));
}
