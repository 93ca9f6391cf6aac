#include "prune/per_node.hpp"

#include <cmath>

#include "prune/rebuild.hpp"
#include "run/control.hpp"

namespace thriftree {
namespace {

void require_same_length(std::size_t got, std::size_t expected, const char* name) {
  if (got != expected) {
    throw BadInput(std::string(name) + " has " + std::to_string(got) + " entries, but leaf has " +
                   std::to_string(expected) + ": give one entry a row");
  }
}

void require_weight(double weight, std::size_t row) {
  if (!(weight >= 0.0) || std::isinf(weight)) {
    throw BadInput("row " + std::to_string(row) + " has weight " + std::to_string(weight) +
                   ": weights must be finite and not negative");
  }
}

std::size_t leaf_of_row(const Tree& tree, std::span<const std::int32_t> leaf, std::size_t row) {
  const auto node = static_cast<std::size_t>(leaf[row]);
  if (leaf[row] < 0 || node >= tree.n_nodes() || !is_leaf(tree, node)) {
    throw BadInput("row " + std::to_string(row) + " is at node " + std::to_string(leaf[row]) +
                   ", which is not a leaf of this tree: give what the tree's apply returns");
  }
  return node;
}

// Adds the rows of `from` to those of `into`: weight, mean, mean squared deviation.
void merge_moments(const double* from, double* into) {
  const double weight = into[0] + from[0];
  if (weight == 0.0) return;
  const double share = from[0] / weight, shift = from[1] - into[1];
  into[2] = into[2] * (1.0 - share) + from[2] * share + shift * shift * share * (1.0 - share);
  into[1] += shift * share;
  into[0] = weight;
}

}  // namespace

void require_per_node(const Tree& tree, std::span<const double> values, std::size_t width,
                      const std::string& name) {
  if (values.size() != tree.n_nodes() * width) {
    throw BadInput(name + " has " + std::to_string(values.size()) + " entries, but the tree's " +
                   std::to_string(tree.n_nodes()) + " nodes need " + std::to_string(width) + " each");
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!std::isfinite(values[i])) {
      throw BadInput(name + " holds " + std::to_string(values[i]) + " at node " + std::to_string(i / width) +
                     ": give finite numbers");
    }
  }
}

std::vector<double> node_class_weights(const Tree& tree, std::span<const std::int32_t> leaf,
                                       std::span<const std::int32_t> label, std::span<const double> weight) {
  require_same_length(label.size(), leaf.size(), "label");
  require_same_length(weight.size(), leaf.size(), "weight");
  const auto n_classes = static_cast<std::size_t>(tree.n_classes);
  std::vector<double> sums(tree.n_nodes() * n_classes, 0.0);
  for (std::size_t row = 0; row < leaf.size(); ++row) {
    require_weight(weight[row], row);
    if (label[row] < 0 || label[row] >= tree.n_classes) {
      throw BadInput("row " + std::to_string(row) + " has class " + std::to_string(label[row]) +
                     ", but the tree has " + std::to_string(tree.n_classes) +
                     " classes: give the position of the label among them");
    }
    sums[leaf_of_row(tree, leaf, row) * n_classes + static_cast<std::size_t>(label[row])] += weight[row];
  }
  for (std::size_t t = tree.n_nodes(); t-- > 1;) {
    const std::size_t up = static_cast<std::size_t>(tree.parent[t]);
    for (std::size_t c = 0; c < n_classes; ++c) sums[up * n_classes + c] += sums[t * n_classes + c];
  }
  return sums;
}

std::vector<double> node_moments(const Tree& tree, std::span<const std::int32_t> leaf,
                                 std::span<const double> target, std::span<const double> weight) {
  require_same_length(target.size(), leaf.size(), "target");
  require_same_length(weight.size(), leaf.size(), "weight");
  std::vector<double> moments(tree.n_nodes() * 3, 0.0);
  for (std::size_t row = 0; row < leaf.size(); ++row) {
    require_weight(weight[row], row);
    const double one[3] = {weight[row], target[row], 0.0};
    merge_moments(one, &moments[leaf_of_row(tree, leaf, row) * 3]);
  }
  for (std::size_t t = tree.n_nodes(); t-- > 1;) {
    merge_moments(&moments[t * 3], &moments[static_cast<std::size_t>(tree.parent[t]) * 3]);
  }
  return moments;
}

std::vector<double> node_class_errors(const Tree& tree, std::span<const double> class_weights,
                                      std::span<const double> error_costs) {
  const auto n_classes = static_cast<std::size_t>(tree.n_classes);
  require_per_node(tree, class_weights, n_classes, "class_weights");
  if (!error_costs.empty() && error_costs.size() != n_classes * n_classes) {
    throw BadInput("error_costs has " + std::to_string(error_costs.size()) + " entries, but the tree has " +
                   std::to_string(n_classes) + " classes: give one row and one column a class");
  }
  std::vector<double> errors(tree.n_nodes(), 0.0);
  for (std::size_t t = 0; t < tree.n_nodes(); ++t) {
    const auto predicted = static_cast<std::size_t>(tree.label[t]);
    for (std::size_t c = 0; c < n_classes; ++c) {
      const double cost =
          error_costs.empty() ? (c == predicted ? 0.0 : 1.0) : error_costs[c * n_classes + predicted];
      errors[t] += cost * class_weights[t * n_classes + c];
    }
  }
  return errors;
}

std::vector<double> column_decreases(const Tree& tree, std::span<const double> figure) {
  if (figure.size() != tree.n_nodes()) throw BadInput("figure must have one number a node");
  std::vector<double> left(tree.n_nodes(), 0.0);
  for (std::size_t t = 0; t < tree.n_nodes(); ++t) {
    if (tree.rows[t] <= 0) continue;
    left[t] += figure[t];
    if (t > 0) left[static_cast<std::size_t>(tree.parent[t])] -= figure[t];
  }
  std::vector<double> decreases(static_cast<std::size_t>(tree.n_columns), 0.0);
  for (std::size_t t = 0; t < tree.n_nodes(); ++t) {
    if (tree.column[t] >= 0) decreases[static_cast<std::size_t>(tree.column[t])] += left[t];
  }
  for (double& decrease : decreases) decrease = std::max(decrease, 0.0);
  return decreases;
}

std::vector<double> node_squared_errors(const Tree& tree, std::span<const double> moments) {
  if (tree.n_classes > 0)
    throw BadInput("squared errors need a tree for a numeric target: this one has classes");
  require_per_node(tree, moments, 3, "moments");
  std::vector<double> errors(tree.n_nodes());
  for (std::size_t t = 0; t < tree.n_nodes(); ++t) {
    const double* m = &moments[t * 3];
    const double shift = m[1] - tree.value[t * 2];
    errors[t] = m[0] * (m[2] + shift * shift);
  }
  return errors;
}

}  // namespace thriftree
