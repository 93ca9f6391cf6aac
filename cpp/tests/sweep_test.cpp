#include <cstdint>
#include <random>
#include <vector>

#include "search/sweep_tree.hpp"
#include "testing.hpp"

using namespace thriftree;

namespace {

struct RandomTable {
  std::size_t n_rows, n_columns;
  std::vector<std::int32_t> ranks, labels;
  std::vector<std::int64_t> weights;
  SweepOptions options;
};

RandomTable random_table(std::mt19937& random, std::size_t most_rows) {
  const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
  RandomTable table;
  table.n_rows = 1 + below(most_rows);
  table.n_columns = 1 + below(3);
  table.options.n_classes = static_cast<std::int32_t>(1 + below(6));
  table.options.max_depth = static_cast<std::int32_t>(1 + below(3));
  table.options.max_leaves = static_cast<std::int64_t>(below(3) ? 0 : 1 + below(8));
  table.options.min_leaf = static_cast<std::int64_t>(below(2) ? 1 : 1 + below(4));
  table.options.min_leaf_weight = static_cast<std::int64_t>(below(3) ? 0 : below(6));
  table.options.leaf_penalty = static_cast<double>(below(4)) / 2;
  for (std::size_t i = 0; i < table.n_rows * table.n_columns; ++i)
    table.ranks.push_back(static_cast<std::int32_t>(below(1 + below(table.n_rows))));
  for (std::size_t i = 0; i < table.n_rows; ++i)
    table.labels.push_back(
        static_cast<std::int32_t>(below(static_cast<std::size_t>(table.options.n_classes))));
  if (below(2)) {
    const std::int64_t unit = below(2) ? 1 : std::int64_t{1} << 40;
    for (std::size_t i = 0; i < table.n_rows; ++i)
      table.weights.push_back(unit * static_cast<std::int64_t>(below(5)));
  }
  return table;
}

// What the tree costs, row by row.
std::int64_t cost_of(const RandomTable& table, const SweepTree& tree) {
  std::int64_t cost = 0;
  for (std::size_t i = 0; i < table.n_rows; ++i) {
    std::size_t node = 0;
    while (tree.column[node] >= 0) {
      const auto column = static_cast<std::size_t>(tree.column[node]);
      const bool goes_left = table.ranks[column * table.n_rows + i] <= tree.cut[node];
      node = static_cast<std::size_t>(goes_left ? tree.left[node] : tree.right[node]);
    }
    if (tree.label[node] != table.labels[i]) cost += table.weights.empty() ? 1 : table.weights[i];
  }
  return cost;
}

SweepResult swept(const RandomTable& random, int n_threads) {
  const SweepTable table(random.ranks, random.n_rows, random.labels, random.weights, random.options);
  Control control;
  control.n_threads = n_threads;
  return sweep_tree(table, random.options, {}, control, {});
}

}  // namespace

TEST(a_sweep_gives_the_same_tree_on_any_number_of_threads_and_its_true_cost) {
  std::mt19937 random(5);
  for (int round = 0; round < 300; ++round) {
    const RandomTable table = random_table(random, round % 10 == 0 ? 120 : 20);
    const SweepResult one = swept(table, 1), three = swept(table, 3);
    CHECK(one.status == "optimal" && one.objective == one.lower_bound);
    CHECK(one.cost == cost_of(table, one.tree));
    CHECK(one.tree.column == three.tree.column && one.tree.cut == three.tree.cut);
    CHECK(one.tree.label == three.tree.label && three.objective == one.objective);
  }
}
