// Figures of other rows than those the tree was grown on, per node: what the pruners that validate read.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "tree/tree.hpp"

namespace thriftree {

// Throws BadInput unless `values` holds `width` finite numbers a node.
void require_per_node(const Tree& tree, std::span<const double> values, std::size_t width,
                      const std::string& name);

// The class weights of every node, n_nodes * n_classes, from each row's leaf, class and weight.
std::vector<double> node_class_weights(const Tree& tree, std::span<const std::int32_t> leaf,
                                       std::span<const std::int32_t> label, std::span<const double> weight);

// n_nodes * 3: weight, weighted mean of the target and weighted mean squared deviation from it (0, 0, 0 where
// no row is), merged upwards from the leaves without subtracting large sums.
std::vector<double> node_moments(const Tree& tree, std::span<const std::int32_t> leaf,
                                 std::span<const double> target, std::span<const double> weight);

// What the node would cost as a leaf on these rows: the weight of the wrongly labelled rows or, with
// error_costs (n_classes * n_classes, [true, predicted]; empty: 0 and 1), their cost.
std::vector<double> node_class_errors(const Tree& tree, std::span<const double> class_weights,
                                      std::span<const double> error_costs);

// What the tests of each column take of a figure: over its nodes, the node's figure less that of its
// children; at least 0. A node without rows has none.
std::vector<double> column_decreases(const Tree& tree, std::span<const double> figure);

// The sum of weight * (target - the node's stored mean)^2, from node_moments.
std::vector<double> node_squared_errors(const Tree& tree, std::span<const double> moments);

}  // namespace thriftree
