// The terms of one test.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>

#include <string>
#include <tuple>

#include "bindings/arrays.hpp"
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

}  // namespace

void register_scores(nb::module_& m) {
  m.def(
      "enhanced_terms", &enhanced_terms, "labels"_a, "n_classes"_a, "weights"_a, "outcome"_a, "theta"_a,
      "impurity"_a,
      "(B, E, D) of paper 000, Eq. (2), of a test with these outcomes on these objects; theta is a weight.");
}

}  // namespace thriftree::bindings
