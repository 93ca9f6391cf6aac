// Partitions, growers and the loop as a whole.
#include "grow/grow.hpp"

#include <chrono>
#include <random>
#include <thread>
#include <vector>

#include "choose/score_chooser.hpp"
#include "criterion/impurity_registry.hpp"
#include "criterion/score_registry.hpp"
#include "grow_table.hpp"
#include "rows/local_store.hpp"
#include "same_tree.hpp"
#include "testing.hpp"
#include "tree/validate.hpp"

using namespace thriftree;
using namespace thriftree::testing;

namespace {

struct GrowthAndTree {
  Tree tree;
  std::string stopped_by;
};

GrowthAndTree grow_with(const Table& table, const Target& target, const std::string& name, std::uint8_t kind,
                        Grower& grower, Control& control) {
  ScoreRequest request;
  request.impurity = name;
  const auto score = make_score(request, target);
  score->prepare(table.n_rows, !target.weighted());
  ScoreRules rules;
  for (const Column& column : table.columns) {
    const bool ordered = column.kind == ColumnKind::ordered;
    rules.kinds.push_back(ordered ? kind : static_cast<std::uint8_t>(kind == kThreshold ? kSubset : kind));
  }
  const FlatPrices prices(std::vector<double>(table.columns.size(), 1.0));
  ScoreChooser chooser(table.columns, {score.get()}, rules, prices);
  Team team(control);
  LocalStore store(table, target, control, team);
  const StopRules stop = make_stop_rules({}, *score);
  GrowthResult grown = grow({table.columns, *score, stop, store, chooser, grower}, control, team);
  return {make_tree(grown.growth, table.columns, target, {}), grown.stopped_by};
}

Tree grow_plainly(const Table& table, const Target& target, const std::string& name, std::uint8_t kind,
                  int n_threads) {
  ByLevel grower(32768);
  Control control;
  control.n_threads = n_threads;
  return grow_with(table, target, name, kind, grower, control).tree;
}

Table mixed_table(std::mt19937& random, std::size_t n) {
  return make_table({random_column(random, n, 6, true), random_column(random, n, 300, true),
                     random_column(random, n, 7, true, ColumnKind::category),
                     random_column(random, n, 12, false, ColumnKind::category)});
}

}  // namespace

TEST(a_category_partition_sends_unseen_codes_to_other) {
  Partition p;
  p.last = {2, 5, 9};
  p.to = {0, 1, 0};
  p.other = 1;
  CHECK(p.branch_of(2) == 0 && p.branch_of(5) == 1 && p.branch_of(9) == 0);
  CHECK(p.branch_of(0) == 1 && p.branch_of(3) == 1 && p.branch_of(10) == 1);
}

TEST(a_partition_made_ordered_joins_neighbours_of_one_branch_and_cuts_between_seen_codes) {
  Partition p;
  p.n_branches = 3;
  p.last = {1, 2, 4, 7, 8};
  p.to = {0, 0, 1, 0, 2};
  p.make_ordered();
  CHECK(p.ordered);
  CHECK((p.last == std::vector<std::uint32_t>{2, 4, 7}));
  CHECK((p.next == std::vector<std::uint32_t>{4, 7, 8}));
  CHECK((p.to == std::vector<std::int32_t>{0, 1, 0, 2}));
  const std::vector<std::int32_t> wanted{0, 0, 0, 1, 1, 0, 0, 0, 2, 2};
  for (std::uint32_t code = 0; code < wanted.size(); ++code) CHECK(p.branch_of(code) == wanted[code]);
}

TEST(one_interval_is_the_question_whether_a_value_is_known) {
  Partition p;
  p.last = {1, 3};
  p.to = {0, 0};
  p.missing = 1;
  p.make_ordered();
  CHECK(p.last.empty() && p.to.size() == 1);
  CHECK(p.branch_of(0) == 0 && p.branch_of(99) == 0);
}

TEST(every_kind_and_impurity_grows_a_valid_tree_that_threads_do_not_change) {
  std::mt19937 random(21);
  for (std::size_t n : {2, 40, 700}) {
    const Table table = mixed_table(random, n);
    for (bool weighted : {false, true}) {
      for (std::uint8_t kind : {kThreshold, kOneVsRest, kSubset, kMultiway}) {
        for (const std::string& name : impurity_names()) {
          const bool numbers = make_impurity(name)->for_numbers();
          const Target target =
              numbers ? random_numbers(random, n, weighted) : random_classes(random, n, 3, weighted);
          const Tree tree = grow_plainly(table, target, name, kind, 1);
          validate(tree);
          CHECK(same(tree, grow_plainly(table, target, name, kind, 3)));
        }
      }
    }
  }
}

TEST(best_first_without_a_bound_grows_what_by_level_grows) {
  std::mt19937 random(22);
  const Table table = mixed_table(random, 300);
  const Target target = random_classes(random, 300, 2, true);
  BestFirst grower(1 << 30);
  Control control;
  CHECK(same(grow_with(table, target, "gini", kThreshold, grower, control).tree,
             grow_plainly(table, target, "gini", kThreshold, 1)));
}

TEST(a_time_limit_that_has_passed_leaves_one_leaf) {
  std::mt19937 random(23);
  const Table table = mixed_table(random, 100);
  const Target target = random_classes(random, 100, 2, false);
  ByLevel grower(32768);
  Control control;
  control.time_limit_s = 0;
  const GrowthAndTree result = grow_with(table, target, "gini", kThreshold, grower, control);
  CHECK(result.stopped_by == "time_limit");
  CHECK(result.tree.n_nodes() == 1);
}

TEST(an_interrupt_ends_the_growth) {
  std::mt19937 random(24);
  const Table table = mixed_table(random, 100);
  const Target target = random_classes(random, 100, 2, false);
  ByLevel grower(32768);
  Control control;
  control.interrupted = [] { return true; };
  bool interrupted = false;
  try {
    grow_with(table, target, "gini", kThreshold, grower, control);
  } catch (const Interrupted&) {
    interrupted = true;
  }
  CHECK(interrupted);
}

TEST(an_interrupt_leaves_the_tree_so_far_where_it_is_wanted) {
  struct OneByOne final : Grower {
    std::vector<int> select(const Growth& growth) override {
      ++n_selected;
      for (std::size_t i = 0; i < growth.nodes.size(); ++i) {
        if (growth.nodes[i].state == NodeState::open) return {static_cast<int>(i)};
      }
      return {};
    }
    int n_selected = 0;
  };
  std::mt19937 random(26);
  const Table table = mixed_table(random, 400);
  const Target target = random_classes(random, 400, 2, false);
  std::size_t before = 1;
  for (int n_selected : {2, 6}) {
    OneByOne grower;
    Control control;
    control.keeps_interrupted = true;
    control.interrupted = [&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(21));  // so that the next poll asks again
      return grower.n_selected >= n_selected;
    };
    const GrowthAndTree result = grow_with(table, target, "gini", kThreshold, grower, control);
    CHECK(result.stopped_by == "interrupt");
    CHECK(grower.n_selected == n_selected);
    CHECK(result.tree.n_nodes() > before);
    before = result.tree.n_nodes();
    std::int64_t rows = 0;
    for (std::size_t i = 0; i < result.tree.n_nodes(); ++i)
      rows += result.tree.column[i] < 0 ? result.tree.rows[i] : 0;
    CHECK(rows == 400);
    CHECK(control.out_of_time());
  }
}

TEST(an_error_of_a_part_is_an_interrupt_only_if_the_caller_says_so) {
  struct Failing final : Grower {
    std::vector<int> select(const Growth& growth) override {
      if (growth.nodes.size() > 1) throw BadInput("no more");
      return {0};
    }
  };
  std::mt19937 random(27);
  const Table table = mixed_table(random, 100);
  const Target target = random_classes(random, 100, 2, false);
  for (bool means_stop : {false, true}) {
    Failing grower;
    Control control;
    control.keeps_interrupted = true;
    control.is_interrupt = [&](const std::exception_ptr&) { return means_stop; };
    bool refused = false;
    try {
      const GrowthAndTree result = grow_with(table, target, "gini", kThreshold, grower, control);
      CHECK(result.stopped_by == "interrupt");
      CHECK(result.tree.n_nodes() > 1);
    } catch (const BadInput&) {
      refused = true;
    }
    CHECK(refused != means_stop);
  }
}

TEST(collapsing_a_subtree_makes_it_a_leaf_and_counts_the_leaves_anew) {
  // Splits everything, then collapses the root's first child when the tree has more than eight leaves.
  struct Collapser final : Grower {
    std::vector<int> select(const Growth& growth) override {
      for (std::size_t i = 0; i < growth.nodes.size(); ++i) {
        if (growth.nodes[i].state == NodeState::open) return {static_cast<int>(i)};
      }
      return {};
    }
    std::vector<int> collapse(const Growth& growth, std::span<const int>) override {
      int leaves = 0;
      for (std::vector<int> stack{0}; !stack.empty();) {
        const GrowthNode& node = growth.nodes[static_cast<std::size_t>(stack.back())];
        stack.pop_back();
        leaves += node.children.empty();
        stack.insert(stack.end(), node.children.begin(), node.children.end());
      }
      CHECK(growth.n_leaves == leaves);
      if (leaves <= 8 || collapsed) return {};
      collapsed = true;
      return {growth.nodes[0].children[0]};
    }
    bool collapsed = false;
  };
  std::mt19937 random(25);
  const Table table = mixed_table(random, 200);
  const Target target = random_classes(random, 200, 2, false);
  Collapser grower;
  Control control;
  const Tree tree = grow_with(table, target, "gini", kThreshold, grower, control).tree;
  CHECK(grower.collapsed);
  CHECK(tree.column[0] >= 0);
  CHECK(tree.column[1] == -1);
  CHECK(tree.rows[1] > 1);
}
