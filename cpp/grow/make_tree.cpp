// From a grown tree in codes to the finished tree in values.
#include <algorithm>

#include "grow/grow.hpp"
#include "tree/builder.hpp"

namespace thriftree {

namespace {

std::int32_t heaviest_child(const Growth& growth, const GrowthNode& node) {
  std::size_t heaviest = 0;
  const auto weight = [&](std::size_t v) {
    return growth.nodes[static_cast<std::size_t>(node.children[v])].totals.weight;
  };
  for (std::size_t v = 1; v < node.children.size(); ++v) {
    if (clearly_better(weight(v), weight(heaviest))) heaviest = v;
  }
  return static_cast<std::int32_t>(heaviest);
}

// Into `test`, whose lists keep their room from node to node.
void make_test(const Growth& growth, const GrowthNode& node, const std::vector<Column>& columns, Test& test) {
  const Partition& partition = node.choice->partition;
  const Column& column = columns[partition.column];
  test.keys.clear();
  test.to.clear();
  test.column = static_cast<std::int32_t>(partition.column);
  test.kind = partition.ordered && !column.ranked_category ? TestKind::ordered : TestKind::category;
  if (column.ranked_category) {  // a cut in the ranking is a set of categories
    for (std::uint32_t code = 0; code < column.n_known(); ++code) {
      test.keys.push_back(code);
      test.to.push_back(partition.branch_of(code));
    }
  } else {
    test.to = partition.to;
    if (partition.cut) test.keys.push_back(midpoint(partition.cut->low, partition.cut->high));
    for (std::size_t i = 0; i < partition.last.size() && !partition.cut; ++i) {
      test.keys.push_back(partition.ordered ? column.cut(partition.last[i], partition.next[i])
                                            : partition.last[i]);
    }
  }
  const std::int32_t heaviest = heaviest_child(growth, node);
  test.missing = partition.missing >= 0 ? partition.missing : heaviest;
  test.other = partition.other >= 0 ? partition.other : heaviest;
}

// Class weights without the altered priors; for numbers the mean and the mean squared deviation.
void make_value(const GrowthNode& node, const TargetScale& target, std::vector<double>& value) {
  const NodeTotals& totals = node.totals;
  if (target.n_classes == 0) {
    value = {target.center + totals.sums[1] / totals.total, node.impurity};
    return;
  }
  value = totals.sums;
  for (std::size_t k = 0; k < target.priors.size(); ++k) value[k] /= target.priors[k];
}

// The class of least expected error cost; the first of equals.
std::int32_t make_label(const std::vector<double>& value, const std::vector<double>& error_costs) {
  const std::size_t n = value.size();
  std::size_t best = 0;
  if (error_costs.empty()) {
    for (std::size_t k = 1; k < n; ++k) {
      if (clearly_better(value[k], value[best])) best = k;
    }
    return static_cast<std::int32_t>(best);
  }
  double least = 0;
  for (std::size_t j = 0; j < n; ++j) {
    double cost = 0;
    for (std::size_t k = 0; k < n; ++k) cost += value[k] * error_costs[k * n + j];
    if (j == 0 || cost < least * (1 - 1e-12)) {
      best = j;
      least = cost;
    }
  }
  return static_cast<std::int32_t>(best);
}

}  // namespace

void keep_plain_totals(Growth& growth, const Statistics& statistics, const Impurity& impurity) {
  const bool more_sums = statistics.width() != statistics.base, numbers = impurity.for_numbers();
  for (GrowthNode& node : growth.nodes) {
    NodeTotals& totals = node.totals;
    if (totals.behind) {
      totals.rows = totals.behind->rows;
      totals.weight = totals.behind->weight;
      totals.total = totals.behind->total;
      totals.sums = totals.behind->sums;
    } else if (more_sums) {
      if (numbers) totals.sums[statistics.base] = totals.sums.back();
      totals.sums.resize(statistics.base + (numbers ? 1 : 0));
    } else {
      continue;
    }
    node.impurity = impurity.of(totals.view());
  }
}

Tree make_tree(const Growth& growth, const std::vector<Column>& columns, const TargetScale& target,
               const std::vector<double>& error_costs) {
  TreeBuilder builder(static_cast<std::int32_t>(columns.size()), target.n_classes);
  builder.reserve(growth.nodes.size());
  std::vector<std::pair<int, int>> stack{{0, -1}};  // (node, its parent's number in the builder)
  Test test;
  std::vector<double> value;
  while (!stack.empty()) {
    const auto [id, parent] = stack.back();
    stack.pop_back();
    const GrowthNode& node = growth.nodes[static_cast<std::size_t>(id)];
    make_value(node, target, value);
    const std::int32_t label = target.n_classes > 0 ? make_label(value, error_costs) : 0;
    const int number = builder.add_node(
        parent, node.branch,
        {node.totals.rows, node.totals.objects, node.totals.weight, node.impurity, label, value});
    if (node.children.empty()) continue;
    make_test(growth, node, columns, test);
    builder.set_test(number, test, node.choice->score);
    for (int child : node.children) stack.emplace_back(child, number);
  }
  return builder.finish();
}

}  // namespace thriftree
