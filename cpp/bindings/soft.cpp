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
#include "soft/bought.hpp"
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
                                      std::int32_t n_columns, std::int32_t n_classes, bool linear) {
  auto shape = std::make_unique<SoftShape>();
  shape->left = std::move(left);
  shape->right = std::move(right);
  shape->first = std::move(first);
  shape->count = std::move(count);
  shape->n_columns = n_columns;
  if (n_classes < 0) throw BadInput("n_classes must be 0 or more");
  shape->numbers = n_classes == 0;
  shape->n_outputs = n_classes == 0 ? 1 : n_classes;
  shape->linear = linear;
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

std::unique_ptr<SoftRows> make_blank_rows(std::size_t n_rows, const Vector<double>& centres,
                                          const Vector<double>& scales, const std::optional<Limits>& limits) {
  const auto control =
      limits ? make_control(1, limits->time_limit_s, limits->memory_limit_mb) : make_control(1);
  return std::make_unique<SoftRows>(n_rows, span_of(centres), span_of(scales), *control);
}

void write_rows(SoftRows& rows, std::size_t first, const Matrix& columns) {
  if (columns.shape(0) != rows.n_columns()) throw BadInput("soft rows need a row of numbers for each column");
  nb::gil_scoped_release unlocked;
  rows.write(first, columns.shape(1), std::span<const double>(columns.data(), columns.size()));
}

// What the price of a soft tree is, and how much it matters beside the loss.
struct SoftPrices {
  Prices prices;
  std::vector<std::int32_t> begins;  // the terms of column j: [begins[j], begins[j + 1])
  double tau, weight;
};

soft::SoftTargets targets_of(const SoftShape& shape, const std::optional<Vector<std::int32_t>>& labels,
                             const std::optional<Vector<double>>& numbers,
                             const std::optional<Vector<double>>& weights,
                             const std::optional<Vector<double>>& payers,
                             const std::optional<SoftPrices>& prices) {
  if (shape.numbers == labels.has_value() || shape.numbers != numbers.has_value())
    throw BadInput("a soft tree of classes takes labels, one of numbers takes numbers");
  soft::SoftTargets targets;
  if (labels) targets.labels = span_of(*labels);
  if (numbers) targets.numbers = span_of(*numbers);
  if (weights) targets.weights = span_of(*weights);
  if (payers) targets.payers = span_of(*payers);
  if (prices) targets.price_weight = prices->weight;
  return targets;
}

std::optional<soft::PriceTerm> term_of(const SoftShape& shape, const std::optional<SoftPrices>& prices) {
  if (!prices) return std::nullopt;
  return soft::PriceTerm(shape, prices->prices, prices->begins, prices->tau);
}

void check_parameters(const SoftShape& shape, const Vector<double>& parameters) {
  if (parameters.size() != shape.n_parameters())
    throw BadInput("a soft tree of this shape has " + std::to_string(shape.n_parameters()) +
                   " parameters, not " + std::to_string(parameters.size()));
}

std::tuple<double, Array<double>> objective(
    const SoftShape& shape, const SoftRows& rows, const Vector<double>& parameters,
    const std::optional<Vector<std::int32_t>>& labels, const std::optional<Vector<double>>& numbers,
    const std::optional<Vector<double>>& weights, double sharpness, double l2, int n_threads, double leaf_l2,
    const std::optional<SoftPrices>& prices, const std::optional<Vector<double>>& payers,
    const std::optional<double>& output_l2, const std::optional<Vector<double>>& shares) {
  check_parameters(shape, parameters);
  const auto control = make_control(n_threads);
  std::vector<double> gradient(shape.n_parameters());
  const auto targets = targets_of(shape, labels, numbers, weights, payers, prices);
  double value = 0;
  {
    nb::gil_scoped_release unlocked;
    const auto term = term_of(shape, prices);
    const soft::Penalty penalty{l2, leaf_l2, output_l2.value_or(l2),
                                shares ? span_of(*shares) : std::span<const double>()};
    soft::Objective whole(shape, rows, targets, sharpness, penalty, term ? &*term : nullptr, *control);
    value = whole.evaluate(span_of(parameters), gradient);
  }
  return {value, to_numpy(std::move(gradient))};
}

Descent fit(const SoftShape& shape, const SoftRows& rows, const Vector<double>& parameters,
            const std::optional<Vector<std::int32_t>>& labels, const std::optional<Vector<double>>& numbers,
            const std::optional<Vector<double>>& weights, double sharpness, double l2, int max_iter,
            double tol, int n_threads, const std::optional<Limits>& limits, double leaf_l2,
            const std::optional<SoftPrices>& prices, const std::optional<Vector<double>>& payers,
            const std::optional<std::vector<bool>>& frozen, const std::optional<double>& output_l2,
            const std::optional<Vector<double>>& shares) {
  check_parameters(shape, parameters);
  const Limits given = limits.value_or(Limits{});
  const auto control = make_control(n_threads, given.time_limit_s, given.memory_limit_mb);
  if (given.keep_interrupted) keep_interrupted(*control);
  const auto targets = targets_of(shape, labels, numbers, weights, payers, prices);
  if (frozen && frozen->size() != parameters.size()) throw BadInput("frozen must have one entry a parameter");
  nb::gil_scoped_release unlocked;
  const auto term = term_of(shape, prices);
  const soft::Penalty penalty{l2, leaf_l2, output_l2.value_or(l2),
                              shares ? span_of(*shares) : std::span<const double>()};
  soft::Objective whole(shape, rows, targets, sharpness, penalty, term ? &*term : nullptr, *control);
  const auto start = span_of(parameters);
  const auto slope = [&](std::span<const double> at, std::span<double> gradient) {
    const double value = whole.evaluate(at, gradient);
    for (std::size_t i = 0; frozen && i < gradient.size(); ++i)
      if ((*frozen)[i]) gradient[i] = 0;
    return value;
  };
  return soft::descend(slope, {start.begin(), start.end()}, {max_iter, tol}, *control);
}

Array<double> mean_reaches(const SoftShape& shape, const SoftRows& rows, const Vector<double>& parameters,
                           const std::optional<Vector<double>>& weights, double sharpness, int n_threads) {
  check_parameters(shape, parameters);
  if (!(sharpness > 0)) throw BadInput("sharpness must be greater than 0");
  const auto control = make_control(n_threads);
  std::vector<double> found;
  {
    nb::gil_scoped_release unlocked;
    found = soft::soft_mean_reaches(soft::SoftModel(shape, span_of(parameters), sharpness), rows,
                                    weights ? span_of(*weights) : std::span<const double>(), *control);
  }
  return to_numpy(std::move(found));
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
      "weighs the columns first[g] to first[g] + count[g] - 1. n_classes 0: leaves hold a number. linear: a "
      "leaf's outputs weigh all columns.")
      .def(nb::new_(&make_shape), "left"_a, "right"_a, "first"_a, "count"_a, "n_columns"_a, "n_classes"_a,
           "linear"_a = false)
      .def_prop_ro("n_gates", &SoftShape::n_gates)
      .def_prop_ro("n_leaves", &SoftShape::n_leaves)
      .def_prop_ro("n_parameters", &SoftShape::n_parameters,
                   "Per gate its weights and its offset, then per leaf its logits or its number, each after "
                   "the weights that linear leaves have.");
  nb::class_<SoftPrices>(
      m, "SoftPrices",
      "Prices in the objective: column j has the terms begins[j] to begins[j + 1] - 1, and "
      "is bought to the degree s / (s + tau * tau), s the sum of its squared weights.")
      .def(nb::init<Prices, std::vector<std::int32_t>, double, double>(), "prices"_a, "begins"_a, "tau"_a,
           "weight"_a);
  nb::class_<SoftRows>(m, "SoftRows", "Rows as gates read them: (x - centre) * scale, in blocks.")
      .def(nb::new_(&make_rows), "columns"_a, "centres"_a, "scales"_a, "limits"_a = nb::none())
      .def_static("blank", &make_blank_rows, "n_rows"_a, "centres"_a, "scales"_a, "limits"_a = nb::none(),
                  "So many rows of zeros, to be written.")
      .def("write", &write_rows, "first"_a, "columns"_a,
           "The rows from the first on: per column their numbers.")
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
        "n_threads"_a = 1, "leaf_l2"_a = 0.0, "prices"_a = nb::none(), "payers"_a = nb::none(),
        "output_l2"_a = nb::none(), "shares"_a = nb::none(),
        "The penalised mean loss, and its gradient. No output_l2: l2. shares: of each parameter, of its "
        "penalty.");
  m.def("soft_descend", &fit, "shape"_a, "rows"_a, "parameters"_a, "labels"_a = nb::none(),
        "numbers"_a = nb::none(), "weights"_a = nb::none(), "sharpness"_a = 1.0, "l2"_a = 0.0,
        "max_iter"_a = 200, "tol"_a = 1e-6, "n_threads"_a = 1, "limits"_a = nb::none(), "leaf_l2"_a = 0.0,
        "prices"_a = nb::none(), "payers"_a = nb::none(), "frozen"_a = nb::none(), "output_l2"_a = nb::none(),
        "shares"_a = nb::none(), "L-BFGS from these parameters; those that are frozen stay.");
  m.def(
      "soft_node_prices",
      [](const SoftShape& shape, const Prices& prices,
         const std::vector<std::vector<std::uint32_t>>& bought) {
        soft::NodePrices found = soft::price_nodes(shape, prices, bought);
        const std::size_t n = bought.size();
        return std::make_tuple(to_numpy(std::move(found.fixed)),
                               to_numpy(std::move(found.times), {n, prices.rules().outcomes.size()}));
      },
      "shape"_a, "prices"_a, "bought"_a,
      "Per gate, then per leaf: what arriving there adds to the price, and how often it pays for each column "
      "whose price depends on its outcome.");
  m.def("soft_answers", &answers<soft::soft_answers>, "shape"_a, "rows"_a, "parameters"_a,
        "sharpness"_a = 1.0, "n_threads"_a = 1, nb::rv_policy::move,
        "Per row: probabilities of classes, or one number.");
  m.def("soft_reaches", &answers<soft::soft_reaches>, "shape"_a, "rows"_a, "parameters"_a,
        "sharpness"_a = 1.0, "n_threads"_a = 1, nb::rv_policy::move,
        "Per row: the probability of reaching each gate, then each leaf.");
  m.def("soft_mean_reaches", &mean_reaches, "shape"_a, "rows"_a, "parameters"_a, "weights"_a = nb::none(),
        "sharpness"_a = 1.0, "n_threads"_a = 1, nb::rv_policy::move,
        "The weighted mean of `soft_reaches` over the rows, without the rows' own.");
}

}  // namespace thriftree::bindings
