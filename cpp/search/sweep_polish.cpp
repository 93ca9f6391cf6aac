#include "search/sweep_polish.hpp"

#include <string>

#include "search/sweep_passes.hpp"

namespace thriftree {

namespace {

void check_tree(const SweepTree& tree, std::size_t n_columns, std::int32_t n_classes) {
  const std::size_t n = tree.column.size();
  if (n == 0 || tree.cut.size() != n || tree.left.size() != n || tree.right.size() != n ||
      tree.label.size() != n)
    throw BadInput("column, cut, left, right and label of a tree must have one entry per node");
  std::vector<int> parents(n, 0);
  for (std::size_t i = 0; i < n; ++i) {
    if (tree.column[i] >= static_cast<std::int32_t>(n_columns))
      throw BadInput("node " + std::to_string(i) + " tests a column that the table does not have");
    if (tree.column[i] < 0) {
      if (tree.label[i] < 0 || tree.label[i] >= n_classes)
        throw BadInput("the label of leaf " + std::to_string(i) + " is not below n_classes");
      continue;
    }
    for (const std::int32_t child : {tree.left[i], tree.right[i]}) {
      if (child <= static_cast<std::int32_t>(i) || child >= static_cast<std::int32_t>(n))
        throw BadInput("the children of node " + std::to_string(i) + " must come after it");
      ++parents[static_cast<std::size_t>(child)];
    }
  }
  for (std::size_t i = 1; i < n; ++i) {
    if (parents[i] != 1) throw BadInput("node " + std::to_string(i) + " must be the child of one node");
  }
}

std::int64_t cost_of(const SweepTable& table, const SweepTree& tree) {
  std::int64_t cost = 0;
  for (std::size_t row = 0; row < table.n_rows; ++row) {
    const auto leaf = static_cast<std::size_t>(leaf_for(table, tree, 0, row));
    cost += table.weight(row) * table.cost(table.labels[row], tree.label[leaf]);
  }
  return cost;
}

}  // namespace

SweepResult polish_tree(const SweepTable& table, const SweepOptions& options, const SweepTree& tree,
                        const PolishOptions& polish, Control& control) {
  check_tree(tree, table.n_columns, table.n_classes);
  const SweepContext context(table, options);
  SweepResult result;
  result.tree = subtree(tree, 0);
  result.status = "heuristic";
  control.watch_time();
  const auto note = [&](const SweepTree& now, std::int64_t cost) {
    result.tree = now;
    result.cost = cost + table.unavoidable;
    result.objective = context.penalty.objective(result.cost, now.leaves());
    result.lower_bound = context.penalty.objective(table.unavoidable, 1);
    result.history.push_back({control.elapsed_s(), result.objective, result.lower_bound});
  };
  note(result.tree, cost_of(table, result.tree));
  try {
    control.reserve(4 * bytes_of_rows(table, table.n_rows), "the polish of a tree");
    Team team(control);
    const SweepRows rows = all_rows(table, &team);
    Polisher polisher(context, rows, result.tree, polish, control, team);
    polisher.run([&] { note(polisher.tree(), polisher.cost()); });
  } catch (const MemoryLimitReached&) {
    result.status = "memory_limit";
  } catch (const OutOfTime&) {
    result.status = "time_limit";
  } catch (const Interrupted&) {
    if (!control.keeps_after(std::current_exception())) throw;
    result.status = "interrupted";
  }
  return result;
}

}  // namespace thriftree
