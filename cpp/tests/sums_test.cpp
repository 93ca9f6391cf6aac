// Rows that are counted elsewhere: the same trees, in few passes.
#include <algorithm>
#include <random>
#include <vector>

#include "choose/candidates.hpp"
#include "counted_apart.hpp"
#include "grow_table.hpp"
#include "learn/learn.hpp"
#include "rows/local_store.hpp"
#include "rows/store_of_sums.hpp"
#include "same_tree.hpp"
#include "testing.hpp"
#include "tree/shape.hpp"

using namespace thriftree;
using namespace thriftree::testing;

namespace {

Table mixed_table(std::mt19937& random, std::size_t n) {
  return make_table({random_column(random, n, 7, true), random_column(random, n, 300, false),
                     random_column(random, n, 6, true, ColumnKind::category),
                     random_column(random, n, 2, false)});
}

LearnOptions options_for(const Table& table, const Target& target) {
  LearnOptions options;
  options.scoring.criterion = target.n_classes > 0 ? "gini" : "squared_error";
  for (const Column& column : table.columns)
    options.tests.candidates.push_back(column.kind == ColumnKind::ordered ? kThreshold : kSubset);
  return options;
}

struct Counted {
  Tree tree;
  int n_counts, n_divides;
};

Counted learnt_apart(const Table& table, const Target& target, const LearnOptions& options,
                     std::size_t n_parts) {
  Control control;
  CountedApart source(table, target, n_parts);
  Tree tree = learn({table.columns, target, {}, source}, options, control).tree;
  return {std::move(tree), source.n_counts, source.n_divides};
}

Tree learnt_here(const Table& table, const Target& target, const LearnOptions& options) {
  Control control;
  return learn(table, target, options, control).tree;
}

int depth_of(const Tree& tree) {
  std::vector<int> depth(tree.n_nodes(), 0);
  for (std::size_t i = 1; i < depth.size(); ++i)
    depth[i] = depth[static_cast<std::size_t>(tree.parent[i])] + 1;
  return *std::max_element(depth.begin(), depth.end());
}

bool same_totals(const NodeTotals& a, const NodeTotals& b) {
  return a.rows == b.rows && a.objects == b.objects && a.weight == b.weight && a.total == b.total &&
         a.sums == b.sums && a.pure == b.pure && a.pairs == b.pairs;
}

}  // namespace

TEST(rows_counted_in_parts_give_the_tree_of_rows_in_one_place) {
  std::mt19937 random(31);
  const Table table = mixed_table(random, 200);
  for (const bool weighted : {false, true}) {
    for (const bool numbers : {false, true}) {
      const Target target =
          numbers ? random_numbers(random, 200, weighted) : random_classes(random, 200, 3, weighted);
      LearnOptions options = options_for(table, target);
      options.tests.min_leaf_rows = 3;
      const Tree here = learnt_here(table, target, options);
      for (const std::size_t n_parts : {1, 3, 250}) {
        const Counted apart = learnt_apart(table, target, options, n_parts);
        CHECK(same(here, apart.tree));
        CHECK(apart.n_divides == depth_of(here) && apart.n_counts <= depth_of(here) + 1);
      }
    }
  }
}

TEST(heavy_objects_are_counted_apart_with_the_weight_of_their_node) {
  std::mt19937 random(32);
  const Table table = mixed_table(random, 120);
  const Target target = random_classes(random, 120, 2, true);
  for (const char* score : {"enhanced", "impure_pairs", "balance"}) {
    for (const double min_mass : {0.0, 0.008}) {
      LearnOptions options = options_for(table, target);
      options.scoring.score = score;
      options.stopping.rules["min_mass"] = min_mass;
      CHECK(same(learnt_here(table, target, options), learnt_apart(table, target, options, 4).tree));
    }
  }
}

TEST(the_best_leaves_are_looked_at_ahead_and_the_tree_does_not_change) {
  std::mt19937 random(33);
  for (int turn = 0; turn < 5; ++turn) {
    const Table table = mixed_table(random, 900);
    const Target target = random_classes(random, 900, 3, turn % 2 == 0);
    for (const int max_leaves : {2, 9, 64}) {
      LearnOptions options = options_for(table, target);
      options.stopping.max_leaves = max_leaves;
      const Tree here = learnt_here(table, target, options);
      const Counted apart = learnt_apart(table, target, options, 2);
      CHECK(same(here, apart.tree));
      CHECK(apart.n_counts <= depth_of(here) + 1 && apart.n_divides <= depth_of(here));
    }
  }
}

TEST(a_peek_tells_what_dividing_tells_and_moves_no_row) {
  std::mt19937 random(34);
  const Table table = mixed_table(random, 150);
  for (const bool weighted : {false, true}) {
    const Target target = random_classes(random, 150, 3, weighted);
    Statistics statistics = plain_statistics(target);
    statistics.heavy_terms = statistics.heavy_weight = statistics.counts = weighted;
    if (weighted) statistics.heavy_above = TargetHeader(target).heaviest / 2;
    Control control;
    Team team(control);
    LocalStore local(table, target, statistics, control, team);
    CountedApart source(table, target, 3);
    StoreOfSums apart(source, table.columns, NamedStatistics(statistics, target, nullptr),
                      TargetHeader(target).total);
    Partition partition;
    partition.column = 0;
    partition.ordered = true;
    partition.last = {2};
    partition.next = {3};
    partition.to = {0, 1};
    partition.missing = 1;
    const auto all =
        std::make_shared<const std::vector<std::uint32_t>>(std::vector<std::uint32_t>{0, 1, 2, 3});
    const CountRequest root{0, all};
    for (RowStore* store : std::initializer_list<RowStore*>{&local, &apart}) {
      store->open_root(team);
      store->count({&root, 1}, team);
      ColumnRuns before, after;
      store->runs(0, 0, 0, before);
      const auto peeked = store->peek(0, partition);
      store->runs(0, 0, 0, after);
      CHECK(before.codes == after.codes && before.sums == after.sums);
      const DivideRequest request{0, &partition, 1};
      const auto divided = store->divide({&request, 1}, team)[0];
      CHECK(peeked.size() == 2 && same_totals(peeked[0], divided[0]) && same_totals(peeked[1], divided[1]));
    }
  }
}
