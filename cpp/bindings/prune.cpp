// Pruning: a tree and figures per node in, a new tree out.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <optional>
#include <string>

#include "bindings/arrays.hpp"
#include "criterion/score_registry.hpp"
#include "prune/error_based.hpp"
#include "prune/per_node.hpp"
#include "prune/raising.hpp"
#include "prune/rebuild.hpp"
#include "prune/reduced_error.hpp"
#include "prune/small_gain.hpp"
#include "prune/weakest_link.hpp"
#include "run/control.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace thriftree::bindings {
namespace {

using Release = nb::call_guard<nb::gil_scoped_release>;

// A matrix whose second dimension is checked here; the core checks the rest.
std::span<const double> checked_span(const Matrix& array, std::size_t width, const char* name) {
  if (array.shape(1) != width) {
    throw BadInput(std::string(name) + " has " + std::to_string(array.shape(1)) + " columns, but needs " +
                   std::to_string(width));
  }
  return {array.data(), array.size()};
}

std::size_t n_classes(const Tree& tree) { return static_cast<std::size_t>(tree.n_classes); }

std::span<const double> optional_costs(const Tree& tree, const std::optional<Matrix>& error_costs) {
  return error_costs ? checked_span(*error_costs, n_classes(tree), "error_costs") : std::span<const double>{};
}

// Runs `compute` without the GIL.
template <class Compute>
auto released(const Compute& compute) {
  nb::gil_scoped_release release;
  return compute();
}

using Figures = nb::typed<nb::dict, nb::str, Array<double>>;

Figures path_as_dict(const WeakestLinkPath& path) {
  std::vector<double> alpha, cost{path.cost}, size{path.size};
  for (const auto& link : path.links) {
    alpha.push_back(link.alpha);
    cost.push_back(link.cost);
    size.push_back(link.size);
  }
  Figures result;
  result["alpha"] = to_numpy(std::move(alpha));
  result["cost"] = to_numpy(std::move(cost));
  result["size"] = to_numpy(std::move(size));
  result["collapse_alpha"] = to_numpy(path.collapse_alpha);
  return result;
}

using Leaves = nb::ndarray<nb::numpy, std::int32_t, nb::ndim<1>>;
using RouteFunction = nb::typed<nb::callable, Leaves(Tree, Leaves)>;

// The core asks for leaves through a Python function (branch: Tree, rows: int32 array) -> int32 array.
Route route_through(const RouteFunction& function) {
  return [&function](const Tree& branch, std::span<const std::int32_t> rows) {
    nb::gil_scoped_acquire gil;
    const nb::object leaves = function(nb::cast(branch, nb::rv_policy::copy), to_numpy(rows));
    Vector<std::int32_t> array;
    if (!nb::try_cast(leaves, array))
      throw BadInput("route must return a 1-D int32 array: the leaf each row reaches");
    return std::vector<std::int32_t>(array.data(), array.data() + array.size());
  };
}

void register_weakest_link(nb::module_& m) {
  m.def(
      "cost_complexity_path",
      [](const Tree& tree, const Vector<double>& node_cost) {
        return path_as_dict(released([&] { return cost_complexity_path(tree, span_of(node_cost)); }));
      },
      "tree"_a, "node_cost"_a,
      "Weakest links by ascending alpha: alpha of each collapse, cost and size (leaves) of the whole tree "
      "and\n"
      "then after each; and per node the alpha from which on it is a leaf (collapse_alpha).");
  m.def(
      "weakest_link_path",
      [](const Tree& tree, const Vector<double>& node_cost, const Vector<double>& leaf_size,
         const Vector<double>& test_size) {
        return path_as_dict(released([&] {
          return weakest_link_path(tree, span_of(node_cost), span_of(leaf_size), span_of(test_size));
        }));
      },
      "tree"_a, "node_cost"_a, "leaf_size"_a, "test_size"_a,
      "cost_complexity_path for another size: the sum of leaf_size over leaves and test_size over inner "
      "nodes.");
  m.def(
      "prune_cost_complexity",
      [](const Tree& tree, const Vector<double>& node_cost, double alpha) {
        return prune_cost_complexity(tree, span_of(node_cost), alpha);
      },
      "tree"_a, "node_cost"_a, "alpha"_a, Release(),
      "The smallest tree that minimises cost + alpha * leaves.");
  m.def(
      "prune_weakest_link",
      [](const Tree& tree, const Vector<double>& node_cost, const Vector<double>& leaf_size,
         const Vector<double>& test_size, double alpha) {
        return prune_weakest_link(tree, span_of(node_cost), span_of(leaf_size), span_of(test_size), alpha);
      },
      "tree"_a, "node_cost"_a, "leaf_size"_a, "test_size"_a, "alpha"_a, Release(),
      "The smallest tree that minimises cost + alpha * size.");
}

void register_per_node(nb::module_& m) {
  m.def(
      "node_class_weights",
      [](const Tree& tree, const Vector<std::int32_t>& leaf, const Vector<std::int32_t>& label,
         const Vector<double>& weight) {
        return to_numpy(released([&] {
                          return node_class_weights(tree, span_of(leaf), span_of(label), span_of(weight));
                        }),
                        {tree.n_nodes(), n_classes(tree)});
      },
      "tree"_a, "leaf"_a, "label"_a, "weight"_a,
      "Class weights per node, from each row's leaf (apply), class and weight.");
  m.def(
      "column_decreases",
      [](const Tree& tree, const Vector<double>& figure) {
        return to_numpy(column_decreases(tree, span_of(figure)));
      },
      "tree"_a, "figure"_a,
      "Per column, over the nodes that test it, the node's figure less that of its children; at least 0.");
  m.def(
      "node_moments",
      [](const Tree& tree, const Vector<std::int32_t>& leaf, const Vector<double>& target,
         const Vector<double>& weight) {
        return to_numpy(
            released([&] { return node_moments(tree, span_of(leaf), span_of(target), span_of(weight)); }),
            {tree.n_nodes(), 3});
      },
      "tree"_a, "leaf"_a, "target"_a, "weight"_a,
      "Weight, mean of the target and mean squared deviation per node, from each row's leaf (apply).");
  m.def(
      "node_class_errors",
      [](const Tree& tree, const Matrix& class_weights, const std::optional<Matrix>& error_costs) {
        return to_numpy(node_class_errors(tree, checked_span(class_weights, n_classes(tree), "class_weights"),
                                          optional_costs(tree, error_costs)),
                        {tree.n_nodes()});
      },
      "tree"_a, "class_weights"_a, "error_costs"_a = nb::none(),
      "Per node, the weight of the rows not of its label, or their cost by error_costs[true, predicted].");
  m.def(
      "node_squared_errors",
      [](const Tree& tree, const Matrix& moments) {
        return to_numpy(node_squared_errors(tree, checked_span(moments, 3, "moments")), {tree.n_nodes()});
      },
      "tree"_a, "moments"_a, "Per node, the sum of weight * (target - the node's mean)^2.");
}

void register_validating(nb::module_& m) {
  m.def(
      "prune_reduced_error",
      [](const Tree& tree, const Vector<double>& node_error) {
        return prune_reduced_error(tree, span_of(node_error));
      },
      "tree"_a, "node_error"_a, Release(),
      "The smallest of the prunings with the least error, given each node's error as a leaf.");
  m.def(
      "prune_small_gain",
      [](const Tree& tree, const Matrix& validation, const std::string& impurity, double min_gain) {
        const std::size_t width = tree.n_classes > 0 ? n_classes(tree) : 3;
        return prune_small_gain(tree, checked_span(validation, width, "validation"),
                                *make_reported_impurity(impurity), min_gain);
      },
      "tree"_a, "validation"_a, "impurity"_a, "min_gain"_a, Release(),
      "Bottom-up without tests that gain less than min_gain; validation is node_class_weights or "
      "node_moments.");
}

void register_error_based(nb::module_& m) {
  m.def("added_errors", &added_errors, "cases"_a, "errors"_a, "confidence"_a = 0.25,
        "The errors that C4.5 adds to those seen, by its upper confidence limit.");
  m.def(
      "prune_error_based",
      [](const Tree& tree, const Matrix& class_weights, double confidence) {
        return prune_error_based(tree, checked_span(class_weights, n_classes(tree), "class_weights"),
                                 confidence);
      },
      "tree"_a, "class_weights"_a, "confidence"_a = 0.25, Release(),
      "C4.5's subtree replacement; class_weights are sums of sample_weight per node.");
  m.def(
      "prune_error_based_raising",
      [](const Tree& tree, const Vector<std::int32_t>& leaf, const Vector<std::int32_t>& label,
         const Vector<double>& weight, const RouteFunction& route, double confidence,
         const std::string& impurity, const std::optional<Vector<double>>& class_weight,
         const std::optional<Matrix>& error_costs) {
        const TrainingRows rows{span_of(leaf), span_of(label), span_of(weight)};
        const auto reported = make_reported_impurity(impurity);
        const NodeRules rules{*reported, class_weight ? span_of(*class_weight) : std::span<const double>{},
                              optional_costs(tree, error_costs)};
        const Route through = route_through(route);
        nb::gil_scoped_release release;
        return prune_error_based_raising(tree, rows, rules, through, confidence);
      },
      "tree"_a, "leaf"_a, "label"_a, "weight"_a, "route"_a, "confidence"_a = 0.25, "impurity"_a = "entropy",
      "class_weight"_a = nb::none(), "error_costs"_a = nb::none(),
      "C4.5's subtree replacement and raising. route(branch, rows) gives the leaf of the tree `branch` that "
      "each of the\n"
      "training rows (positions) reaches: its apply.");
}

}  // namespace

void register_prune(nb::module_& m) {
  m.def(
      "prune_collapse",
      [](const Tree& tree, const Vector<bool>& make_leaf) {
        return collapse(tree, std::vector<bool>(make_leaf.data(), make_leaf.data() + make_leaf.size()));
      },
      "tree"_a, "make_leaf"_a, Release(), "The tree in which every marked node is a leaf.");
  register_weakest_link(m);
  register_per_node(m);
  register_validating(m);
  register_error_based(m);
}

}  // namespace thriftree::bindings
