// The registries of impurities and scores, the terms of one test, and the scores of categories.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <string>
#include <tuple>

#include "bindings/arrays.hpp"
#include "bindings/control.hpp"
#include "choose/discriminant.hpp"
#include "choose/variance.hpp"
#include "criterion/impurity_registry.hpp"
#include "criterion/score_registry.hpp"
#include "criterion/terms_of_test.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace thriftree::bindings {

namespace {

std::tuple<double, double, double> enhanced_terms(const Vector<std::int32_t>& labels, std::int32_t n_classes,
                                                  const Vector<double>& weights,
                                                  const Vector<std::int32_t>& outcome, double theta,
                                                  const std::string& impurity) {
  const EnhancedTerms terms =
      terms_of_test(span_of(labels), n_classes, span_of(weights), span_of(outcome), theta, impurity);
  return {terms.balance, terms.efficiency, terms.discrimination};
}

std::vector<std::tuple<std::string, bool, std::string>> impurities() {
  std::vector<std::tuple<std::string, bool, std::string>> all;
  for (const std::string& name : impurity_names()) {
    const auto impurity = make_impurity(name);
    all.emplace_back(name, impurity->for_numbers(), impurity->summary());
  }
  return all;
}

nb::list scores() {
  nb::list all;
  for (const ScoreEntry& entry : score_entries()) {
    nb::dict parameters;
    for (const DeclaredParameter& parameter : entry.parameters)
      parameters[parameter.name.c_str()] = parameter.default_value;
    nb::dict one;
    one["name"] = entry.name;
    one["summary"] = entry.summary;
    one["classes"] = entry.classes;
    one["numbers"] = entry.numbers;
    one["stands_on"] = entry.stands_on;
    one["parameters"] = parameters;
    all.append(one);
  }
  return all;
}

Array<double> scores_of_categories(const Matrix& counts) {
  const auto n_classes = static_cast<int>(counts.shape(1));
  const auto control = make_control(1);
  std::vector<double> scores;
  {
    nb::gil_scoped_release release;
    scores =
        discriminant_scores({counts.data(), counts.size()}, n_classes, [&] { control->poll_or_throw(); });
  }
  return to_numpy(std::move(scores));
}

nb::tuple parts_of_variance(const Vector<double>& values, const Matrix& counts,
                            const Vector<std::int64_t>& begin, bool of_distances) {
  const ValueTables tables{span_of(values), {counts.data(), counts.size()}, span_of(begin), counts.shape(1)};
  const std::size_t n = tables.begin.size();
  if (counts.shape(0) != tables.values.size()) throw BadInput("counts must have a row for each value");
  for (std::size_t v = 0; v < n; ++v) {
    const std::int64_t end =
        v + 1 < n ? tables.begin[v + 1] : static_cast<std::int64_t>(tables.values.size());
    if (tables.begin[v] < 0 || tables.begin[v] >= end)
      throw BadInput("begin must ascend, so that every variable has a value");
  }
  VarianceParts parts;
  {
    nb::gil_scoped_release release;
    parts = variance_parts(tables, of_distances);
  }
  return nb::make_tuple(to_numpy(std::move(parts.weight), {n, tables.n_classes}),
                        to_numpy(std::move(parts.between)), to_numpy(std::move(parts.within)));
}

}  // namespace

void register_scores(nb::module_& m) {
  m.def("impurities", &impurities,
        "The registry of impurities: name, whether it is for numbers, and what it measures.");
  m.def("scores", &scores,
        "The registry of scores: name, summary, the targets it is for, the impurity it stands on where its "
        "name is given\nin place of one, and its parameters with their defaults.",
        nb::sig("def scores() -> list[dict[str, object]]"));
  m.def(
      "enhanced_terms", &enhanced_terms, "labels"_a, "n_classes"_a, "weights"_a, "outcome"_a, "theta"_a,
      "impurity"_a,
      "(B, E, D) of paper 000, Eq. (2), of a test with these outcomes on these objects; theta is a weight.");
  m.def(
      "variance_parts", &parts_of_variance, "values"_a, "counts"_a, "begin"_a, "of_distances"_a = false,
      nb::sig("def variance_parts(values: numpy.typing.NDArray[numpy.float64], counts: "
              "numpy.typing.NDArray[numpy.float64], begin: numpy.typing.NDArray[numpy.int64], "
              "of_distances: bool = False) -> tuple[numpy.typing.NDArray[numpy.float64], "
              "numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.float64]]"),
      "weight[variable, class], and per variable the sums of squares between and within the classes, of the "
      "values or\nof their distances from the class means. The values of variable i begin at begin[i]; "
      "counts[value, class].");
  m.def("discriminant_scores", &scores_of_categories, "counts"_a,
        "The first discriminant coordinate of each category, from 0 to 1, by the weights counts[category, "
        "class]; every category has some weight.");
}

}  // namespace thriftree::bindings
