#include "prune/weakest_link.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "prune/per_node.hpp"
#include "prune/rebuild.hpp"
#include "run/control.hpp"

namespace thriftree {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// Collapses of disjoint sets of nodes, each set a leftist heap with its greatest alpha on top. A heap is
// named by its top node; -1 is the empty heap. Right spines are logarithmic, so melding walks them only.
class CollapseHeaps {
 public:
  explicit CollapseHeaps(std::size_t n_nodes)
      : alpha(n_nodes, -infinity), left_(n_nodes, -1), right_(n_nodes, -1), rank_(n_nodes, 1) {}

  std::vector<double> alpha;

  std::int32_t meld(std::int32_t a, std::int32_t b) {
    spine_.clear();
    while (a >= 0 && b >= 0) {
      if (alpha[at(a)] < alpha[at(b)]) std::swap(a, b);
      spine_.push_back(a);
      a = right_[at(a)];
    }
    std::int32_t melded = a >= 0 ? a : b;
    while (!spine_.empty()) {
      const std::size_t top = at(spine_.back());
      right_[top] = melded;
      if (rank(left_[top]) < rank(right_[top])) std::swap(left_[top], right_[top]);
      rank_[top] = rank(right_[top]) + 1;
      melded = spine_.back();
      spine_.pop_back();
    }
    return melded;
  }
  std::int32_t without_top(std::int32_t heap) { return meld(left_[at(heap)], right_[at(heap)]); }

 private:
  static std::size_t at(std::int32_t node) { return static_cast<std::size_t>(node); }
  std::int32_t rank(std::int32_t node) const { return node < 0 ? 0 : rank_[at(node)]; }

  std::vector<std::int32_t> left_, right_, rank_, spine_;
};

// The alpha at which a leaf is as good as a subtree that costs `saved` less and is `extra` larger.
double break_even(double saved, double extra) {
  if (extra > 0) return saved / extra;
  return saved > 0 ? infinity : -infinity;
}

void check_sizes(const Tree& tree, std::span<const double> leaf_size, std::span<const double> test_size) {
  for (std::size_t t = 0; t < tree.n_nodes(); ++t) {
    if (is_leaf(tree, t)) continue;
    double as_test = test_size[t];
    for (auto c = children_begin(tree, t); c != children_end(tree, t); ++c)
      as_test += leaf_size[static_cast<std::size_t>(*c)];
    // Rounding may leave equal sizes an ulp or so apart.
    if (leaf_size[t] > as_test + 1e-12 * std::abs(as_test)) {
      throw BadInput(
          "node " + std::to_string(t) + " has size " + std::to_string(leaf_size[t]) + " as a leaf but only " +
          std::to_string(as_test) +
          " as a test with its branches: weakest-link pruning needs a size that no collapse can raise");
    }
  }
}

}  // namespace

// The least cost of a pruned subtree, as a function of alpha, is concave and piecewise linear; its breaks are
// the collapses inside. Bottom-up, a node starts from the state in which all its children have collapsed, and
// takes back the collapses that come after its own (they will never happen), the last first.
WeakestLinkPath weakest_link_path(const Tree& tree, std::span<const double> node_cost,
                                  std::span<const double> leaf_size, std::span<const double> test_size) {
  require_per_node(tree, node_cost, 1, "node_cost");
  require_per_node(tree, leaf_size, 1, "leaf_size");
  require_per_node(tree, test_size, 1, "test_size");
  check_sizes(tree, leaf_size, test_size);

  const std::size_t n = tree.n_nodes();
  CollapseHeaps heaps(n);
  std::vector<std::int32_t> heap(n, -1);  // of the collapses at or under the node that can happen
  std::vector<double> saved(n, 0.0),
      extra(n, 0.0);  // what the node's subtree saves in cost and adds in size when it collapses
  WeakestLinkPath path{0.0, 0.0, {}, {}};
  for (std::size_t t = n; t-- > 0;) {
    if (is_leaf(tree, t)) {
      path.cost += node_cost[t];
      path.size += leaf_size[t];
      continue;
    }
    path.size += test_size[t];
    double subtree_cost = 0.0, subtree_size = test_size[t];
    std::int32_t under = -1;
    for (auto c = children_begin(tree, t); c != children_end(tree, t); ++c) {
      const auto child = static_cast<std::size_t>(*c);
      subtree_cost += node_cost[child];
      subtree_size += leaf_size[child];
      under = heaps.meld(under, heap[child]);
    }
    const auto own_alpha = [&] {
      return break_even(node_cost[t] - subtree_cost, subtree_size - leaf_size[t]);
    };
    double alpha = own_alpha();
    while (under >= 0 && heaps.alpha[static_cast<std::size_t>(under)] >= alpha) {
      subtree_cost -= saved[static_cast<std::size_t>(under)];
      subtree_size += extra[static_cast<std::size_t>(under)];
      under = heaps.without_top(under);
      alpha = own_alpha();
    }
    saved[t] = node_cost[t] - subtree_cost;
    extra[t] = subtree_size - leaf_size[t];
    heaps.alpha[t] = alpha;
    heap[t] = heaps.meld(under, static_cast<std::int32_t>(t));
  }

  path.collapse_alpha = heaps.alpha;
  for (std::int32_t top = heap[0]; top >= 0; top = heaps.without_top(top)) {
    path.links.push_back({top, heaps.alpha[static_cast<std::size_t>(top)], 0.0, 0.0});
  }
  std::sort(path.links.begin(), path.links.end(), [](const WeakestLink& a, const WeakestLink& b) {
    return a.alpha != b.alpha ? a.alpha < b.alpha : a.node < b.node;
  });
  double cost = path.cost, size = path.size;
  for (auto& link : path.links) {
    cost += saved[static_cast<std::size_t>(link.node)];
    size -= extra[static_cast<std::size_t>(link.node)];
    link.cost = cost;
    link.size = size;
  }
  return path;
}

WeakestLinkPath cost_complexity_path(const Tree& tree, std::span<const double> node_cost) {
  const std::vector<double> one(tree.n_nodes(), 1.0), nothing(tree.n_nodes(), 0.0);
  return weakest_link_path(tree, node_cost, one, nothing);
}

namespace {

Tree cut_links(const Tree& tree, const WeakestLinkPath& path, double alpha) {
  if (std::isnan(alpha)) throw BadInput("alpha is NaN: give a number, 0 or more for ordinary pruning");
  std::vector<bool> make_leaf(tree.n_nodes());
  for (std::size_t t = 0; t < tree.n_nodes(); ++t) make_leaf[t] = path.collapse_alpha[t] <= alpha;
  return collapse(tree, make_leaf);
}

}  // namespace

Tree prune_weakest_link(const Tree& tree, std::span<const double> node_cost,
                        std::span<const double> leaf_size, std::span<const double> test_size, double alpha) {
  return cut_links(tree, weakest_link_path(tree, node_cost, leaf_size, test_size), alpha);
}

Tree prune_cost_complexity(const Tree& tree, std::span<const double> node_cost, double alpha) {
  return cut_links(tree, cost_complexity_path(tree, node_cost), alpha);
}

}  // namespace thriftree
