// Soft trees: rows, the objective with its gradient, the descent, and answers.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <optional>
#include <utility>

#include "bindings/arrays.hpp"
#include "bindings/control.hpp"
#include "bindings/options.hpp"
#include "soft/lbfgs.hpp"
#include "soft/objective.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace thriftree::bindings {

namespace {

using soft::Descent;
using soft::SoftRows;
using soft::SoftShape;

std::unique_ptr<SoftShape> make_shape(std::vector<std::int32_t> left, std::vector<std::int32_t> right,
                                      std::vector<std::int32_t> first, std::vector<std::int32_t> count,
                                      std::int32_t n_columns, std::int32_t n_classes) {
  auto shape = std::make_unique<SoftShape>();
  shape->left = std::move(left);
  shape->right = std::move(right);
  shape->first = std::move(first);
  shape->count = std::move(count);
  shape->n_columns = n_columns;
  if (n_classes < 0) throw BadInput("n_classes must be 0 or more");
  shape->numbers = n_classes == 0;
  shape->n_outputs = n_classes == 0 ? 1 : n_classes;
  shape->check();
  return shape;
}

std::unique_ptr<SoftRows> make_rows(const Matrix& columns, const Vector<double>& centres,
                                    const Vector<double>& scales, const std::optional<Limits>& limits) {
  const auto control =
      limits ? make_control(1, limits->time_limit_s, limits->memory_limit_mb) : make_control(1);
  nb::gil_scoped_release unlocked;
  return std::make_unique<SoftRows>(std::span<const double>(columns.data(), columns.size()), columns.shape(1),
                                    span_of(centres), span_of(scales), *control);
}

soft::SoftTargets targets_of(const SoftShape& shape, const std::optional<Vector<std::int32_t>>& labels,
                             const std::optional<Vector<double>>& numbers,
                             const std::optional<Vector<double>>& weights) {
  if (shape.numbers == labels.has_value() || shape.numbers != numbers.has_value())
    throw BadInput("a soft tree of classes takes labels, one of numbers takes numbers");
  soft::SoftTargets targets;
  if (labels) targets.labels = span_of(*labels);
  if (numbers) targets.numbers = span_of(*numbers);
  if (weights) targets.weights = span_of(*weights);
  return targets;
}

void check_parameters(const SoftShape& shape, const Vector<double>& parameters) {
  if (parameters.size() != shape.n_parameters())
    throw BadInput("a soft tree of this shape has " + std::to_string(shape.n_parameters()) +
                   " parameters, not " + std::to_string(parameters.size()));
}

std::tuple<double, Array<double>> objective(const SoftShape& shape, const SoftRows& rows,
                                            const Vector<double>& parameters,
                                            const std::optional<Vector<std::int32_t>>& labels,
                                            const std::optional<Vector<double>>& numbers,
                                            const std::optional<Vector<double>>& weights, double sharpness,
                                            double l2, int n_threads) {
  check_parameters(shape, parameters);
  const auto control = make_control(n_threads);
  std::vector<double> gradient(shape.n_parameters());
  const auto targets = targets_of(shape, labels, numbers, weights);
  double value = 0;
  {
    nb::gil_scoped_release unlocked;
    soft::Objective whole(shape, rows, targets, sharpness, l2, *control);
    value = whole.evaluate(span_of(parameters), gradient);
  }
  return {value, to_numpy(std::move(gradient))};
}

Descent fit(const SoftShape& shape, const SoftRows& rows, const Vector<double>& parameters,
            const std::optional<Vector<std::int32_t>>& labels, const std::optional<Vector<double>>& numbers,
            const std::optional<Vector<double>>& weights, double sharpness, double l2, int max_iter,
            double tol, int n_threads, const std::optional<Limits>& limits) {
  check_parameters(shape, parameters);
  const Limits given = limits.value_or(Limits{});
  const auto control = make_control(n_threads, given.time_limit_s, given.memory_limit_mb);
  if (given.keep_interrupted) keep_interrupted(*control);
  const auto targets = targets_of(shape, labels, numbers, weights);
  nb::gil_scoped_release unlocked;
  soft::Objective whole(shape, rows, targets, sharpness, l2, *control);
  const auto start = span_of(parameters);
  return soft::descend(
      [&](std::span<const double> at, std::span<double> gradient) { return whole.evaluate(at, gradient); },
      {start.begin(), start.end()}, {max_iter, tol}, *control);
}

template <auto answer>
Array<double> answers(const SoftShape& shape, const SoftRows& rows, const Vector<double>& parameters,
                      double sharpness, int n_threads) {
  check_parameters(shape, parameters);
  if (!(sharpness > 0)) throw BadInput("sharpness must be greater than 0");
  const auto control = make_control(n_threads);
  std::vector<double> found;
  {
    nb::gil_scoped_release unlocked;
    found = answer(soft::SoftModel(shape, span_of(parameters), sharpness), rows, *control);
  }
  const std::size_t width = rows.n_rows() == 0 ? 0 : found.size() / rows.n_rows();
  return to_numpy(std::move(found), {rows.n_rows(), width});
}

}  // namespace

void register_soft(nb::module_& m) {
  nb::class_<SoftShape>(
      m, "SoftShape",
      "The structure of a soft tree. Gates are in preorder; a child is a gate or ~leaf. Gate g "
      "weighs the columns first[g] to first[g] + count[g] - 1. n_classes 0: leaves hold a number.")
      .def(nb::new_(&make_shape), "left"_a, "right"_a, "first"_a, "count"_a, "n_columns"_a, "n_classes"_a)
      .def_prop_ro("n_gates", &SoftShape::n_gates)
      .def_prop_ro("n_leaves", &SoftShape::n_leaves)
      .def_prop_ro("n_parameters", &SoftShape::n_parameters,
                   "Per gate its weights and its offset, then per leaf its logits or its number.");
  nb::class_<SoftRows>(m, "SoftRows", "Rows as gates read them: (x - centre) * scale, in blocks.")
      .def(nb::new_(&make_rows), "columns"_a, "centres"_a, "scales"_a, "limits"_a = nb::none())
      .def_prop_ro("n_rows", &SoftRows::n_rows);
  nb::class_<Descent>(m, "SoftDescent", "Where a descent has come to.")
      .def_prop_ro(
          "parameters", [](const Descent& d) { return to_numpy(d.at); }, nb::rv_policy::move)
      .def_prop_ro(
          "losses", [](const Descent& d) { return to_numpy(d.values); }, nb::rv_policy::move,
          "At the start and after every iteration: never rising.")
      .def_ro("evaluations", &Descent::evaluations, "Of the loss and its gradient.")
      .def_ro("ended_by", &Descent::ended_by,
              "\"converged\", \"max_iter\", \"time_limit\" or \"interrupt\".");
  m.def(
      "soft_spread",
      [](const Vector<double>& values, const std::optional<Vector<double>>& weights) {
        if (weights && weights->size() != values.size()) throw BadInput("weights must have one entry a row");
        const auto spread =
            soft::spread_of(span_of(values), weights ? span_of(*weights) : std::span<const double>());
        return std::make_tuple(spread.centre, spread.scale);
      },
      "values"_a, "weights"_a = nb::none(),
      "Weighted mean of the known values, and 1 / their standard deviation (0 where all are equal).");
  m.def("soft_objective", &objective, "shape"_a, "rows"_a, "parameters"_a, "labels"_a = nb::none(),
        "numbers"_a = nb::none(), "weights"_a = nb::none(), "sharpness"_a = 1.0, "l2"_a = 0.0,
        "n_threads"_a = 1, "The penalised mean loss, and its gradient.");
  m.def("soft_descend", &fit, "shape"_a, "rows"_a, "parameters"_a, "labels"_a = nb::none(),
        "numbers"_a = nb::none(), "weights"_a = nb::none(), "sharpness"_a = 1.0, "l2"_a = 0.0,
        "max_iter"_a = 200, "tol"_a = 1e-6, "n_threads"_a = 1, "limits"_a = nb::none(),
        "L-BFGS from these parameters.");
  m.def("soft_answers", &answers<soft::soft_answers>, "shape"_a, "rows"_a, "parameters"_a,
        "sharpness"_a = 1.0, "n_threads"_a = 1, nb::rv_policy::move,
        "Per row: probabilities of classes, or one number.");
  m.def("soft_reaches", &answers<soft::soft_reaches>, "shape"_a, "rows"_a, "parameters"_a,
        "sharpness"_a = 1.0, "n_threads"_a = 1, nb::rv_policy::move,
        "Per row: the probability of reaching each gate, then each leaf.");
}

}  // namespace thriftree::bindings
