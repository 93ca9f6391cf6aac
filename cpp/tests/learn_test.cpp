// What makes a fit: parameters and parts put together.
#include "learn/learn.hpp"

#include <algorithm>
#include <random>
#include <vector>

#include "choose/score_chooser.hpp"
#include "criterion/score_registry.hpp"
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

TargetHeader two_classes() {
  TargetHeader target;
  target.n_classes = 2;
  return target;
}

// Asks about column 0 at the root, and below that whatever is best by gini.
class FirstColumn final : public Chooser {
 public:
  FirstColumn(std::span<const Column> columns, const LearnOptions& options)
      : columns_(columns.begin(), columns.end()), score_(make_score({}, two_classes())), prices_({1, 1, 1}) {
    score_->prepare(1000, true);
    depth_of_root_ = options.start.depth;
    rules_.kinds = {kThreshold, kThreshold, kThreshold};
    rules_.candidates.limits.rows = static_cast<std::int64_t>(options.tests.min_leaf_share * 400);
    best_ =
        std::make_unique<ScoreChooser>(columns_, std::vector<const Score*>{score_.get()}, rules_, prices_);
  }
  std::vector<Chosen> choose(std::span<const NodeContext> nodes, RowStore& store, Team& team) override {
    std::vector<Chosen> chosen = best_->choose(nodes, store, team);
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      CHECK(static_cast<int>(nodes[i].path.size()) == nodes[i].depth - depth_of_root_);
      if (nodes[i].depth > 0) continue;
      Partition side;
      side.ordered = true;
      side.last = {0};
      side.next = {1};
      side.to = {0, 1};
      chosen[i] = {Choice{side, 1, 1, 1}, {}};
    }
    return chosen;
  }

 private:
  int depth_of_root_;
  std::vector<Column> columns_;
  std::unique_ptr<Score> score_;
  FlatPrices prices_;
  ScoreRules rules_;
  std::unique_ptr<ScoreChooser> best_;
};

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

TEST(parameters_that_do_not_fit_the_table_are_refused) {
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

TEST(a_growth_that_starts_at_a_node_is_the_part_of_the_larger_tree_there) {
  std::mt19937 random(8);
  const std::size_t n = 400;
  const CodeColumn side = random_column(random, n, 2, false), first = random_column(random, n, 9, true),
                   second = random_column(random, n, 5, false);
  const Target target = random_classes(random, n, 2, false);
  std::vector<std::int32_t> labels;
  CodeColumn part_side{ColumnKind::ordered, 2, false, {}}, part_first{ColumnKind::ordered, 9, true, {}},
      part_second{ColumnKind::ordered, 5, false, {}};
  for (std::size_t i = 0; i < n; ++i) {
    if (side.codes[i] == 0) continue;
    part_side.codes.push_back(1);
    part_first.codes.push_back(first.codes[i]);
    part_second.codes.push_back(second.codes[i]);
    labels.push_back(static_cast<std::int32_t>(target.labels[i]));
  }
  const Table whole = make_table({side, first, second}),
              part = make_table({part_side, part_first, part_second});
  const Target part_target = make_class_target(labels.data(), labels.size(), 2, {}, {}, {});
  LearnOptions options = options_for(whole);
  options.stopping.rules = {{"min_mass", 0.03}, {"max_depth", 4}, {"min_decrease", 0.0005}};
  options.tests.min_leaf_share = 0.01;
  options.parts.chooser = [&](std::span<const Column> columns,
                              Control&) {  // the side first, then whatever is best
    return std::make_unique<FirstColumn>(columns, options);
  };
  const Tree all = learnt(whole, target, options);
  options.start = {1,  0, static_cast<double>(labels.size()) / n, static_cast<double>(labels.size()) / n,
                   {}, 0};
  const Tree below = learnt(part, part_target, options);
  const auto right = static_cast<std::size_t>(all.children[1]);
  CHECK(below.n_nodes() > 5 && below.n_nodes() == all.n_nodes() - right);
  for (std::size_t i = 0; i < below.n_nodes(); ++i) {
    CHECK(below.column[i] == all.column[right + i] && below.rows[i] == all.rows[right + i]);
  }
}
