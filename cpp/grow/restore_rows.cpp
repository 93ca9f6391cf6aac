// From objects back to the rows they stand for.
#include <algorithm>

#include "grow/grow.hpp"

namespace thriftree {

namespace {

constexpr std::size_t kRowsPerTask = 8192;

int leaf_of(const Growth& growth, const Table& table, std::size_t row) {
  int id = 0;
  for (;;) {
    const GrowthNode& node = growth.nodes[static_cast<std::size_t>(id)];
    if (node.children.empty()) return id;
    const Partition& partition = node.choice->partition;
    const Column& column = table.columns[partition.column];
    const std::uint32_t code = table.code(row, partition.column);
    const bool missing = column.has_missing && code == column.n_codes - 1;
    const std::int32_t branch = missing ? partition.missing : partition.branch_of(code);
    id = node.children[static_cast<std::size_t>(branch)];
  }
}

// Sums of one node in fixed point.
struct RowSums {
  std::int64_t rows = 0, sample = 0;
  std::vector<std::int64_t> weights;  // by class, or one
  int128 moment = 0, square = 0;

  void add(const RowSums& other) {
    rows += other.rows;
    sample += other.sample;
    for (std::size_t k = 0; k < weights.size(); ++k) weights[k] += other.weights[k];
    moment += other.moment;
    square += other.square;
  }
};

void add_row(const Target& target, std::size_t row, RowSums& sums) {
  ++sums.rows;
  if (!target.sample.empty()) sums.sample += target.sample[row];
  sums.weights[target.n_classes > 0 ? target.labels[row] : 0] += target.weighted() ? target.growth[row] : 1;
  if (target.n_classes > 0) return;
  sums.moment += target.moment[row];
  sums.square += target.square[row];
}

void set_totals(const RowSums& sums, const Target& target, NodeTotals& totals) {
  totals.rows = sums.rows;
  totals.sums.clear();
  totals.total = 0;
  for (std::int64_t weight : sums.weights) {
    totals.sums.push_back(static_cast<double>(weight) * target.growth_unit);
    totals.total += totals.sums.back();
  }
  if (target.n_classes == 0) {
    totals.sums.push_back(static_cast<double>(sums.moment) * target.moment_unit);
    totals.sums.push_back(static_cast<double>(sums.square) * target.square_unit);
  }
  if (target.unit_samples) {
    totals.weight = static_cast<double>(sums.rows);
  } else {
    totals.weight =
        target.sample.empty() ? totals.total : static_cast<double>(sums.sample) * target.sample_unit;
  }
}

}  // namespace

void restore_rows(Growth& growth, const Table& table, const std::vector<std::uint32_t>& object_of_row,
                  const Target& rows, const Criterion& impurity, Team& team) {
  std::vector<int> leaf(table.n_rows);
  team.run((table.n_rows + kRowsPerTask - 1) / kRowsPerTask, [&](std::size_t task, int) {
    const std::size_t end = std::min(table.n_rows, (task + 1) * kRowsPerTask);
    for (std::size_t object = task * kRowsPerTask; object < end; ++object)
      leaf[object] = leaf_of(growth, table, object);
  });
  std::vector<RowSums> sums(growth.nodes.size());
  for (auto& s : sums) s.weights.resize(static_cast<std::size_t>(std::max(rows.n_classes, 1)));
  for (std::size_t row = 0; row < rows.n_rows; ++row)
    add_row(rows, row, sums[static_cast<std::size_t>(leaf[object_of_row[row]])]);
  for (std::size_t id = growth.nodes.size(); id-- > 0;) {
    GrowthNode& node = growth.nodes[id];
    for (int child : node.children) sums[id].add(sums[static_cast<std::size_t>(child)]);
    set_totals(sums[id], rows, node.totals);
    if (node.totals.rows > 0) node.impurity = impurity.impurity(node.totals.view());
  }
}

}  // namespace thriftree
