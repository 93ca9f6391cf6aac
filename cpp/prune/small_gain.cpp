#include "prune/small_gain.hpp"

#include <vector>

#include "prune/impurity.hpp"
#include "prune/per_node.hpp"
#include "prune/rebuild.hpp"
#include "run/control.hpp"

namespace thriftree {

Tree prune_small_gain(const Tree& tree, std::span<const double> validation, const Impurity& impurity,
                      double min_gain) {
  const bool of_classes = !impurity.for_numbers();
  if (of_classes != (tree.n_classes > 0)) {
    throw BadInput(
        of_classes ? "this impurity needs classes, but the tree's target is a number: use squared_error"
                   : "squared_error needs a numeric target, but the tree has classes: use gini or entropy");
  }
  if (!(min_gain >= 0.0)) throw BadInput("min_gain must be 0 or more");
  const std::size_t width = of_classes ? static_cast<std::size_t>(tree.n_classes) : 3;
  require_per_node(tree, validation, width, "validation");

  // weight * impurity of the validation rows at each node
  std::vector<double> weight(tree.n_nodes(), 0.0), spread(tree.n_nodes());
  for (std::size_t t = 0; t < tree.n_nodes(); ++t) {
    const auto at_node = validation.subspan(t * width, width);
    if (of_classes) {
      for (const double w : at_node) weight[t] += w;
      spread[t] = weight[t] * class_impurity(impurity, at_node);
    } else {
      weight[t] = at_node[0];
      spread[t] = weight[t] * at_node[2];
    }
  }

  std::vector<bool> make_leaf(tree.n_nodes(), false);
  for (std::size_t t = tree.n_nodes(); t-- > 0;) {
    if (is_leaf(tree, t)) continue;
    bool only_leaves = true;
    double left_over = 0.0;
    for (auto c = children_begin(tree, t); c != children_end(tree, t); ++c) {
      const auto child = static_cast<std::size_t>(*c);
      only_leaves = only_leaves && (is_leaf(tree, child) || make_leaf[child]);
      left_over += spread[child];
    }
    const double gain = weight[t] > 0.0 ? (spread[t] - left_over) / weight[t] : 0.0;
    make_leaf[t] = only_leaves && gain < min_gain;
  }
  return collapse(tree, make_leaf);
}

}  // namespace thriftree
