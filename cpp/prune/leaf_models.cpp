#include "prune/leaf_models.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "run/team.hpp"

namespace thriftree {

namespace {

// Rows by leaf; nodes are in preorder, so those that pass a node lie side by side.
class RowsOfNodes {
 public:
  RowsOfNodes(const Tree& tree, std::span<const std::int32_t> leaf)
      : begin_(tree.n_nodes() + 1), end_(tree.n_nodes()), rows_(leaf.size()) {
    for (const std::int32_t node : leaf) ++begin_[static_cast<std::size_t>(node) + 1];
    for (std::size_t node = 0; node < end_.size(); ++node) begin_[node + 1] += begin_[node];
    std::vector<std::size_t> next(begin_.begin(), begin_.end() - 1);
    for (std::size_t r = 0; r < leaf.size(); ++r)
      rows_[next[static_cast<std::size_t>(leaf[r])]++] = static_cast<std::uint32_t>(r);
    for (std::size_t node = end_.size(); node-- > 0;) {
      end_[node] = std::max(end_[node], begin_[node + 1]);
      if (tree.parent[node] < 0) continue;
      std::size_t& above = end_[static_cast<std::size_t>(tree.parent[node])];
      above = std::max(above, end_[node]);
    }
  }

  std::span<const std::uint32_t> of(std::size_t node) const {
    return {rows_.data() + begin_[node], end_[node] - begin_[node]};
  }

 private:
  std::vector<std::size_t> begin_;   // per node: the first of its rows
  std::vector<std::size_t> end_;     // per node: after the last of those that pass it
  std::vector<std::uint32_t> rows_;  // by leaf, ascending in each
};

void require_model_rows(const Tree& tree, const ModelRows& data, std::span<const std::int32_t> leaf) {
  const std::size_t n = data.target.size();
  if (data.weight.size() != n || leaf.size() != n || data.values.size() != n * data.n_columns)
    throw BadInput("values, target, weight and leaf must have the same number of rows");
  for (const std::int32_t node : leaf) {
    if (node < 0 || static_cast<std::size_t>(node) >= tree.n_nodes())
      throw BadInput("leaf has the node " + std::to_string(node) + ", and the tree has " +
                     std::to_string(tree.n_nodes()) + " nodes");
  }
  const auto positive = [](double w) { return w > 0 && std::isfinite(w); };
  if (!std::all_of(data.weight.begin(), data.weight.end(), positive))
    throw BadInput("weights must be finite and above 0");
  if (!std::all_of(data.target.begin(), data.target.end(), [](double y) { return std::isfinite(y); }))
    throw BadInput("the target must be finite");
}

void require_models(const Tree& tree, const ModelRows& data, AllowedColumns allowed,
                    std::span<const double> penalties) {
  if (tree.n_classes != 0) throw BadInput("linear leaves need a numeric target");
  if (!allowed.empty() && allowed.size() != tree.n_nodes() * data.n_columns)
    throw BadInput("allowed must have a row for each node and a column for each of values");
  for (const double penalty : penalties) {
    if (!(penalty > 0) || !std::isfinite(penalty)) throw BadInput("a penalty must be finite and above 0");
  }
}

std::vector<std::uint32_t> columns_allowed(AllowedColumns allowed, std::size_t n_columns, std::size_t node) {
  std::vector<std::uint32_t> found;
  for (std::size_t j = 0; j < n_columns; ++j) {
    if (allowed.empty() || allowed[node * n_columns + j]) found.push_back(static_cast<std::uint32_t>(j));
  }
  return found;
}

double squared_loss(const ModelRows& data, std::span<const std::uint32_t> rows, const NodeColumns& known,
                    const double* coefficients, double base) {
  double sum = 0;
  for (const std::uint32_t r : rows) {
    const double off = data.target[r] - model_answer(known, coefficients, base, data.row(r));
    sum += data.weight[r] * (off * off);
  }
  return sum;
}

}  // namespace

ModelErrors model_errors(const Tree& tree, const ModelRows& training, std::span<const std::int32_t> leaf,
                         const ModelRows& held, std::span<const std::int32_t> held_leaf,
                         AllowedColumns allowed, std::span<const double> penalties, Control& control) {
  require_model_rows(tree, training, leaf);
  require_model_rows(tree, held, held_leaf);
  require_models(tree, training, allowed, penalties);
  if (held.n_columns != training.n_columns) throw BadInput("both kinds of rows must have the same columns");
  const std::size_t n = tree.n_nodes();
  const RowsOfNodes rows(tree, leaf), others(tree, held_leaf);
  ModelErrors errors{std::vector<double>(penalties.size() * n), std::vector<double>(penalties.size() * n),
                     std::vector<std::uint8_t>(n * training.n_columns)};
  control.watch_time();
  Team team(control);
  team.run(n, [&](std::size_t node, int worker) {
    const auto mine = rows.of(node), theirs = others.of(node);
    const double base = tree.value[2 * node];
    NodeColumns known;
    std::vector<double> found;
    if (!mine.empty()) {
      known = node_columns(training, mine, columns_allowed(allowed, training.n_columns, node));
      found = ridge_coefficients(training, mine, known, base, penalties, control.poll_on(worker));
    } else {
      known.lowest = known.highest = base;  // no row made this node: it says what it is stated to say
    }
    for (const std::uint32_t column : known.columns) errors.reads[node * training.n_columns + column] = 1;
    for (std::size_t set = 0; set < penalties.size(); ++set) {
      const double* const own = found.data() + set * known.columns.size();
      errors.training[set * n + node] = squared_loss(training, mine, known, own, base);
      errors.held[set * n + node] = squared_loss(held, theirs, known, own, base);
    }
  });
  control.leave_time();
  return errors;
}

LeafModels leaf_models(const Tree& tree, const ModelRows& training, std::span<const std::int32_t> leaf,
                       AllowedColumns allowed, double penalty, Control& control) {
  const std::span<const double> penalties(&penalty, 1);
  require_model_rows(tree, training, leaf);
  require_models(tree, training, allowed, penalties);
  const RowsOfNodes rows(tree, leaf);
  LeafModels models;
  models.begin.push_back(0);
  for (std::size_t node = 0; node < tree.n_nodes(); ++node) {
    const auto mine = rows.of(node);
    if (tree.column[node] >= 0 || mine.empty()) continue;
    const NodeColumns known =
        node_columns(training, mine, columns_allowed(allowed, training.n_columns, node));
    const std::vector<double> found = ridge_coefficients(training, mine, known, tree.value[2 * node],
                                                         penalties, [&] { control.poll_or_throw(); });
    for (std::size_t j = 0; j < found.size(); ++j) {
      if (found[j] == 0) continue;
      models.column.push_back(static_cast<std::int32_t>(known.columns[j]));
      models.coefficient.push_back(found[j]);
      models.mean.push_back(known.mean[j]);
    }
    if (static_cast<std::size_t>(models.begin.back()) == models.column.size()) continue;
    models.node.push_back(static_cast<std::int32_t>(node));
    models.begin.push_back(static_cast<std::int32_t>(models.column.size()));
    models.lowest.push_back(known.lowest);
    models.highest.push_back(known.highest);
  }
  return models;
}

}  // namespace thriftree
