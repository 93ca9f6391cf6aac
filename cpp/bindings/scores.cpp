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
    scores = discriminant_scores({counts.data(), counts.size()}, n_classes, *control);
  }
  return to_numpy(std::move(scores));
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
  m.def("discriminant_scores", &scores_of_categories, "counts"_a,
        "The first discriminant coordinate of each category, from 0 to 1, by the weights counts[category, "
        "class]; every category has some weight.");
}

}  // namespace thriftree::bindings
