#include "prune/reduced_error.hpp"

#include <cmath>
#include <vector>

#include "prune/per_node.hpp"
#include "prune/rebuild.hpp"

namespace thriftree {

Tree prune_reduced_error(const Tree& tree, std::span<const double> node_error) {
  require_per_node(tree, node_error, 1, "node_error");
  std::vector<bool> make_leaf(tree.n_nodes(), false);
  std::vector<double> best(node_error.begin(),
                           node_error.end());  // least error of the node's prunings, once visited
  for (std::size_t t = tree.n_nodes(); t-- > 0;) {
    if (is_leaf(tree, t)) continue;
    double subtree = 0.0;
    for (auto c = children_begin(tree, t); c != children_end(tree, t); ++c)
      subtree += best[static_cast<std::size_t>(*c)];
    make_leaf[t] = node_error[t] <= subtree + 1e-12 * std::abs(subtree);
    if (!make_leaf[t]) best[t] = subtree;
  }
  return collapse(tree, make_leaf);
}

}  // namespace thriftree
