// CHAID's and QUEST's choosers in the loop: the same trees whoever counts, and what their rules promise. That
// they choose what the methods say is held in tests/chaid and tests/quest.
#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "choose/chaid_chooser.hpp"
#include "choose/narrowed_chooser.hpp"
#include "choose/quest_chooser.hpp"
#include "counted_apart.hpp"
#include "grow_table.hpp"
#include "learn/learn.hpp"
#include "same_tree.hpp"
#include "testing.hpp"
#include "tree/validate.hpp"

using namespace thriftree;
using namespace thriftree::testing;

namespace {

constexpr std::size_t kMixedRows = 900;

Table columns_of_all_kinds(std::mt19937& random) {
  return make_table({random_column(random, kMixedRows, 12, true),
                     random_column(random, kMixedRows, 300, false),
                     random_column(random, kMixedRows, 9, true, ColumnKind::category),
                     random_column(random, kMixedRows, 30, false, ColumnKind::category)});
}

using MakeChooser = std::function<std::unique_ptr<Chooser>(std::span<const Column>, Control&)>;

// The tree, which is the same on threads and from sums of parts.
Tree tree_by(const Table& table, const Target& target, const MakeChooser& chooser) {
  LearnOptions options;
  options.tests.candidates.assign(table.columns.size(), 0);
  options.parts.chooser = chooser;
  Control control;
  const Tree tree = learn(table, target, options, control).tree;
  validate(tree);
  Control threads;
  threads.n_threads = 3;
  CHECK(testing::same(tree, learn(table, target, options, threads).tree));
  CountedApart source(table, target, 4);
  CHECK(testing::same(tree, learn({table.columns, target, {}, source}, options, control).tree));
  return tree;
}

}  // namespace

TEST(chaid_grows_the_same_tree_whoever_counts_and_tells_what_decided_it) {
  std::mt19937 random(81);
  for (const ChiSquared statistic : {ChiSquared::pearson, ChiSquared::likelihood_ratio}) {
    for (const bool exhaustive : {false, true}) {
      const Table table = columns_of_all_kinds(random);
      const Target target = random_classes(random, kMixedRows, 3, exhaustive);
      ChaidRules rules;
      rules.alpha_split = rules.alpha_merge = 0.3;
      rules.alpha_resplit = 0.2;
      rules.exhaustive = exhaustive;
      rules.statistic = statistic;
      rules.least = {5, 0};
      ChaidSplits splits;
      const Tree tree = tree_by(table, target, [&](std::span<const Column> columns, Control& control) {
        return make_chaid_chooser(columns, rules, splits, control);
      });
      CHECK(tree.n_nodes() > 8);
      CHECK(*std::min_element(tree.rows.begin(), tree.rows.end()) >= 5);
      const ChaidSplit& root = splits.at({});
      CHECK(root.column == static_cast<std::uint32_t>(tree.column[0]));
      std::size_t n_codes = 0;
      for (const auto& group : root.grouping.groups) n_codes += group.size();
      CHECK(n_codes == root.codes.size() && root.grouping.log_adjusted <= std::log(0.3));
    }
  }
}

TEST(quest_grows_the_same_tree_whoever_counts) {
  std::mt19937 random(82);
  for (const bool factors : {false, true}) {
    const Table table = columns_of_all_kinds(random);
    const Target target = random_classes(random, kMixedRows, 3, true);
    QuestRules rules;
    rules.min_leaf_rows = 4;
    if (factors) {
      rules.class_factors = {1, 2, 5};
      rules.min_leaf_share = 0.01;
      rules.subset_min_rows = 6;
      rules.subset_max_categories = 3;
    }
    const MakeChooser make = [&](std::span<const Column> columns, Control& control) {
      return make_quest_chooser(columns, rules, control);
    };
    const Tree tree = tree_by(table, target, make);
    CHECK(tree.n_nodes() > 40);
    const Tree narrow = tree_by(table, target, [&](std::span<const Column> columns, Control& control) {
      return std::make_unique<NarrowedChooser>(make(columns, control), 1);
    });
    CHECK(narrow.n_nodes() > 2);
    for (const auto column : narrow.column) CHECK(column < 0 || column == 1);
  }
}

TEST(groups_that_are_left_differ_pair_by_pair) {
  std::mt19937 random(83);
  std::gamma_distribution<double> amount(2.0, 6.0);
  for (const bool ordered : {false, true}) {
    for (int n = 2; n < 25; ++n) {
      std::vector<double> table;
      std::vector<GroupSize> sizes(static_cast<std::size_t>(n), GroupSize{1, 1});
      for (int i = 0; i < 3 * n; ++i) table.push_back(amount(random));
      ContingencyTests tests(ChiSquared::pearson, 3);
      ChaidRules rules;
      rules.alpha_resplit.reset();
      const Categories categories{table, sizes, ordered, false};
      const auto found = group_categories(categories, rules, tests, {});
      if (!found) continue;
      std::vector<std::vector<double>> sums;
      for (const auto& group : found->groups) {
        sums.emplace_back(3, 0.0);
        for (const auto i : group) {
          for (std::size_t k = 0; k < 3; ++k) sums.back()[k] += table[3 * i + k];
        }
      }
      for (std::size_t a = 0; a < sums.size(); ++a) {
        for (std::size_t b = a + 1; b < (ordered ? std::min(a + 2, sums.size()) : sums.size()); ++b)
          CHECK(tests.log_p_of_pair(sums[a].data(), sums[b].data()) <= std::log(0.05) + 1e-9);
      }
      CHECK(least_log_p(categories, rules, tests) <= found->log_adjusted + 1e-9);
    }
  }
}
