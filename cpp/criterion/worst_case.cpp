#include "criterion/worst_case.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "criterion/end_pairs.hpp"
#include "criterion/inner_sums.hpp"
#include "criterion/prefix.hpp"
#include "criterion/score_registry.hpp"

namespace thriftree {

WorstCase::WorstCase(std::unique_ptr<SetFunction> function, std::unique_ptr<Impurity> impurity,
                     const Statistics& statistics, double tolerance)
    : Score(std::move(impurity), statistics), function_(std::move(function)), tolerance_(tolerance) {}

bool WorstCase::done(const NodeSums& node) const {
  return function_->value(object_counts(node.sums, statistics())) <= tolerance_;
}

double WorstCase::decrease(const NodeSums& node, const BranchSums& branches) const {
  const auto whole = object_counts(node.sums, statistics());
  const std::size_t n = branches.totals.size();
  std::array<double, 2> two;
  std::vector<double> many;
  if (n > 2) many.resize(n);
  const std::span<double> values = n > 2 ? std::span(many) : std::span(two).first(n);
  for (std::size_t v = 0; v < n; ++v)
    values[v] = function_->value(object_counts(branches.branch(v), statistics()));
  // Only what may be the largest is looked at exactly.
  const double enough = *std::max_element(values.begin(), values.end()) * (1 - 1e-9);
  double least = kAllGone;
  for (std::size_t v = 0; v < n; ++v) {
    if (values[v] >= enough)
      least = std::min(least, function_->log_drop(whole, object_counts(branches.branch(v), statistics())));
  }
  return least;
}

// A branch of `cheapness` 1 / k costs as much as k of the cheapest ones: (1 - F(S_v) / F(S)) / k is what it
// drops by.
double WorstCase::decrease_at_prices(const NodeSums& node, const BranchSums& branches,
                                     std::span<const double> cheapness) const {
  const auto whole = object_counts(node.sums, statistics());
  double least = kAllGone;
  for (std::size_t v = 0; v < branches.totals.size(); ++v) {
    const double drop = function_->log_drop(whole, object_counts(branches.branch(v), statistics()));
    least = std::min(least, per_price(drop, 1 / cheapness[v], 1));
  }
  return least;
}

// With x = 1 - max F(S_v) / F(S), tests are compared by x / price. So are they by -ln(1 - x * cheapest /
// price), which keeps the digits of 1 - x where tests are of the cheapest price.
double WorstCase::per_price(double score, double price, double cheapest) const {
  if (price <= cheapest) return score;
  return -std::log1p(std::expm1(-score) * (cheapest / price));
}

void WorstCase::filter_prefixes(const NodeSums& node, const PrefixBatch& batch, double* q) const {
  const auto whole = object_counts(node.sums, statistics());
  const double* left = batch.left + (statistics().counts ? statistics().counts_at() : 0);
  const std::size_t width = this->width(node);
  if (whole.size() == 2) {
    std::array<double, kBatch> first, second;
    for (std::size_t i = 0; i < static_cast<std::size_t>(batch.m); ++i) {
      first[i] = left[i * width];
      second[i] = left[i * width + 1];
    }
    function_->larger_shares_of_two(whole, first.data(), second.data(), batch.m, q);
  } else {
    function_->larger_shares(whole, left, batch.m, width, q);
  }
  for (int i = 0; i < batch.m; ++i) q[i] = -q[i];
}

void WorstCase::filter_stream(const NodeSums& node, StreamBatch& batch, double* q) const {
  const auto m = static_cast<std::size_t>(batch.m);
  if (node.sums.size() == 2) {
    std::array<double, kBatch> first, second;
    std::array<std::int32_t, kBatch> ones;
    running_ones(batch.label, batch.m, ones.data());
    for (std::size_t i = 0; i < m; ++i) {
      first[i] = batch.left[0] + (static_cast<int>(i) + 1 - ones[i]);
      second[i] = batch.left[1] + ones[i];
    }
    pass_two_classes(batch);
    function_->larger_shares_of_two(node.sums, first.data(), second.data(), batch.m, q);
    for (std::size_t i = 0; i < m; ++i) q[i] = -q[i];
    return;
  }
  Score::filter_stream(node, batch, q);
}

void WorstCase::look(const NodeSums& node, const SpanEnds& ends, double, double* q, double* upper) const {
  const auto whole = object_counts(node.sums, statistics());
  const double* left = ends.left + (statistics().counts ? statistics().counts_at() * ends.stride : 0);
  EndValues on_left, on_right;
  function_->both_shares(whole, left, ends.stride, ends.m, on_left.data(), on_right.data());
  const auto m = static_cast<std::size_t>(ends.m);
  for (std::size_t i = 0; i < m; ++i) q[i] = -std::max(on_left[i], on_right[i]);
  for (std::size_t i = 0; i + 1 < m; ++i) upper[i] = -std::max(on_left[i], on_right[i + 1]);
}

void WorstCase::score_candidates(const NodeSums& node, std::span<const double> branches,
                                 std::size_t n_candidates, std::size_t n_branches, double,
                                 std::span<double> scores) const {
  const std::size_t n_sets = n_candidates * n_branches, width = branches.size() / n_sets;
  const std::size_t n_classes = statistics().n_groups;
  std::vector<double> counts, values(n_sets + 1);
  counts.reserve((n_sets + 1) * n_classes);
  const auto add = [&](std::span<const double> sums) {
    const auto part = object_counts(sums, statistics());
    counts.insert(counts.end(), part.begin(), part.end());
  };
  add(node.sums);
  for (std::size_t i = 0; i < n_sets; ++i) add(branches.subspan(i * width, width));
  function_->values(counts, values);
  for (std::size_t c = 0; c < n_candidates; ++c) {
    const auto first = values.begin() + 1 + static_cast<std::ptrdiff_t>(c * n_branches);
    const double largest = *std::max_element(first, first + static_cast<std::ptrdiff_t>(n_branches));
    scores[c] = log_ratio(values[0], std::max(0.0, values[0] - largest), largest);
  }
}

ScoreEntry worst_case_entry() {
  ScoreEntry entry;
  entry.name = "worst_case";
  entry.summary = "what the worst outcome leaves of F, a function of the objects per class (paper 001)";
  entry.numbers = false;
  entry.takes_set_function = true;
  entry.statistics = ScoreStatistics::objects;
  entry.parameters = {{"tolerance", 0, 0, kNoMost, false, "must be a number of at least 0"}};
  entry.make = [](ScoreParts parts) -> std::unique_ptr<Score> {
    return std::make_unique<WorstCase>(std::move(parts.set_function), std::move(parts.impurity),
                                       parts.statistics, parts.value("tolerance"));
  };
  return entry;
}

}  // namespace thriftree
