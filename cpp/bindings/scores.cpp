// One test's score on one set of objects, from the definitions' own inputs: for tests, studies and the
// curious.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>

#include <algorithm>
#include <cmath>
#include <tuple>
#include <vector>

#include "bindings/arrays.hpp"
#include "criterion/object_scores.hpp"
#include "criterion/registry.hpp"
#include "run/control.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace thriftree::bindings {

namespace {

struct Object {
  std::size_t label, outcome;
  double weight;
};

// Sums of some objects in the layout of `channels`, at a node of weight `total`.
std::vector<double> sums_of(const std::vector<Object>& objects, const Channels& channels, double theta,
                            double total) {
  std::vector<double> sums(channels.width(), 0.0);
  for (const Object& o : objects) {
    sums[o.label] += o.weight;
    sums[channels.counts_at() + o.label] += 1;
    if (o.weight <= theta) continue;
    sums[channels.heavy_weight_at()] += o.weight;
    if (o.weight > total / 2) {
      sums[channels.dominant_at()] += o.weight;
    } else {
      sums[channels.heavy_terms_at()] += o.weight / (total - o.weight);
    }
  }
  return sums;
}

std::tuple<double, double, double> enhanced_terms(const Vector<std::int32_t>& labels, std::int32_t n_classes,
                                                  const Vector<double>& weights,
                                                  const Vector<std::int32_t>& outcome, double theta,
                                                  const std::string& impurity) {
  const std::size_t n = labels.size();
  if (weights.size() != n || outcome.size() != n || n == 0)
    throw BadInput("labels, weights and outcome must have one entry per object, and there must be one");
  std::vector<Object> objects;
  double total = 0;
  std::int32_t n_outcomes = 0;
  for (std::size_t i = 0; i < n; ++i) {
    if (labels.data()[i] < 0 || labels.data()[i] >= n_classes || outcome.data()[i] < 0)
      throw BadInput("a label is outside 0 .. n_classes - 1, or an outcome is negative");
    if (!(weights.data()[i] >= 0) || !std::isfinite(weights.data()[i]))
      throw BadInput("weights must be finite and not negative");
    objects.push_back({static_cast<std::size_t>(labels.data()[i]),
                       static_cast<std::size_t>(outcome.data()[i]), weights.data()[i]});
    total += weights.data()[i];
    n_outcomes = std::max(n_outcomes, outcome.data()[i] + 1);
  }
  Channels channels;
  channels.base = channels.n_groups = static_cast<std::size_t>(n_classes);
  channels.counts = channels.heavy_weight = channels.heavy_terms = true;
  std::vector<double> branches, totals;
  for (std::size_t v = 0; v < static_cast<std::size_t>(n_outcomes); ++v) {
    std::vector<Object> here;
    double weight = 0;
    for (const Object& o : objects) {
      if (o.outcome != v) continue;
      here.push_back(o);
      weight += o.weight;
    }
    if (weight <= 0) continue;  // an outcome that no weight takes is none
    const auto sums = sums_of(here, channels, theta, total);
    branches.insert(branches.end(), sums.begin(), sums.end());
    totals.push_back(weight);
  }
  const Enhanced score(make_criterion(impurity), 1, 1, channels, {total, theta, false, false});
  const auto node = sums_of(objects, channels, theta, total);
  const EnhancedTerms terms = score.terms({node, total}, {branches, totals});
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
