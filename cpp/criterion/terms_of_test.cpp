#include "criterion/terms_of_test.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "criterion/impurity_registry.hpp"
#include "run/control.hpp"

namespace thriftree {

namespace {

struct Object {
  std::size_t label, outcome;
  double weight;
};

// Sums of some objects in the layout of `statistics`, at a node of weight `total`.
std::vector<double> sums_of(std::span<const Object> objects, const Statistics& statistics, double theta,
                            double total) {
  std::vector<double> sums(statistics.width(), 0.0);
  for (const Object& o : objects) {
    sums[o.label] += o.weight;
    sums[statistics.counts_at() + o.label] += 1;
    if (o.weight <= theta) continue;
    sums[statistics.heavy_weight_at()] += o.weight;
    if (o.weight > total / 2) {
      sums[statistics.dominant_at()] += o.weight;
    } else {
      sums[statistics.heavy_terms_at()] += o.weight / (total - o.weight);
    }
  }
  return sums;
}

}  // namespace

EnhancedTerms terms_of_test(std::span<const std::int32_t> labels, std::int32_t n_classes,
                            std::span<const double> weights, std::span<const std::int32_t> outcome,
                            double theta, const std::string& impurity) {
  const std::size_t n = labels.size();
  if (weights.size() != n || outcome.size() != n || n == 0)
    throw BadInput("labels, weights and outcome must have one entry per object, and there must be one");
  if (n_classes < 1 || n_classes > 65536) throw BadInput("the number of classes must be between 1 and 65536");
  if (!(theta >= 0)) throw BadInput("theta must be a weight: 0 or more");
  auto measure = make_impurity(impurity);
  if (measure->for_numbers()) throw BadInput("impurity '" + impurity + "' is for numbers, not for classes");
  std::vector<Object> objects;
  double total = 0;
  for (std::size_t i = 0; i < n; ++i) {
    if (labels[i] < 0 || labels[i] >= n_classes || outcome[i] < 0)
      throw BadInput("a label is outside 0 .. n_classes - 1, or an outcome is negative");
    if (!(weights[i] >= 0) || !std::isfinite(weights[i]))
      throw BadInput("weights must be finite and not negative");
    objects.push_back(
        {static_cast<std::size_t>(labels[i]), static_cast<std::size_t>(outcome[i]), weights[i]});
    total += weights[i];
  }
  if (!(total >= 1e-99 && total <= 1e99))
    throw BadInput("the weights must add up to between 1e-99 and 1e99: divide them all by their mean");
  std::stable_sort(objects.begin(), objects.end(),
                   [](const Object& a, const Object& b) { return a.outcome < b.outcome; });
  Statistics statistics;
  statistics.base = statistics.n_groups = static_cast<std::size_t>(n_classes);
  statistics.counts = statistics.heavy_weight = statistics.heavy_terms = true;
  std::vector<double> branches, totals;
  for (auto first = objects.begin(), last = first; first != objects.end(); first = last) {
    double weight = 0;
    for (; last != objects.end() && last->outcome == first->outcome; ++last) weight += last->weight;
    if (weight <= 0) continue;  // an outcome that no weight takes is none
    const auto sums = sums_of({first, last}, statistics, theta, total);
    branches.insert(branches.end(), sums.begin(), sums.end());
    totals.push_back(weight);
  }
  const Enhanced score(std::move(measure), 1, 1, statistics, {total, theta, false, false});
  const auto node = sums_of(objects, statistics, theta, total);
  return score.terms({node, total}, {branches, totals});
}

}  // namespace thriftree
