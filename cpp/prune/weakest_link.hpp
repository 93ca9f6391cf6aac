// Weakest-link pruning (Breiman, Friedman, Olshen and Stone 1984, chapter 3): for every alpha the smallest
// pruned tree that minimises cost + alpha * size. The trees are nested, so one number a node says it all.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tree/tree.hpp"

namespace thriftree {

// One collapse of the sequence that leads from the whole tree to its root.
struct WeakestLink {
  std::int32_t node;
  double alpha;  // the node is a leaf from this alpha on
  double cost;   // of the tree after this collapse
  double size;   // of the tree after this collapse
};

struct WeakestLinkPath {
  double cost;  // of the whole tree
  double size;
  // By ascending alpha, equal alphas by node. Nodes that vanish under an earlier or equal collapse are not
  // listed; a link with the alpha of the next one is a step of the same jump.
  std::vector<WeakestLink> links;
  // Per node, the alpha from which on it is a leaf if it is still there: -infinity at leaves.
  std::vector<double> collapse_alpha;
};

// node_cost[t] is R(t), the cost of t as a leaf. The size of a tree is the sum of leaf_size over its leaves
// and of test_size over its inner nodes; making a leaf must never make the tree larger. The number of leaves
// is leaf_size = 1, test_size = 0; the expected test price is leaf_size = 0, test_size = share of the rows *
// price. O(n log n), without recursion.
WeakestLinkPath weakest_link_path(const Tree& tree, std::span<const double> node_cost,
                                  std::span<const double> leaf_size, std::span<const double> test_size);

// The same with size = number of leaves: cost-complexity pruning.
WeakestLinkPath cost_complexity_path(const Tree& tree, std::span<const double> node_cost);

// The smallest tree that minimises cost + alpha * size: every link of alpha or less is cut.
Tree prune_weakest_link(const Tree& tree, std::span<const double> node_cost,
                        std::span<const double> leaf_size, std::span<const double> test_size, double alpha);
Tree prune_cost_complexity(const Tree& tree, std::span<const double> node_cost, double alpha);

}  // namespace thriftree
