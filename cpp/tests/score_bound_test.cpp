// Bounds of scores that are more than an impurity, against all thresholds of random spans: objects of any
// weight, heavy ones among them.
#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <random>
#include <vector>

#include "criterion/score_registry.hpp"
#include "spanned_rows.hpp"
#include "testing.hpp"

using namespace thriftree;
using namespace thriftree::testing;

namespace {

constexpr double kUnit = 0x1p-20;

ScoreRequest request_for(const std::string& score, const std::string& impurity = "gini") {
  ScoreRequest request;
  request.score = score;
  request.impurity = impurity;
  return request;
}

ScoreRequest enhanced(double trade_off, const std::string& impurity) {
  ScoreRequest request = request_for("enhanced", impurity);
  request.values = {{"trade_off", trade_off}};
  return request;
}

ScoreRequest worst_case(std::function<std::unique_ptr<SetFunction>()> function) {
  ScoreRequest request = request_for("worst_case");
  request.set_function = std::move(function);
  return request;
}

std::vector<ScoreRequest> bounded_scores() {
  std::vector<ScoreRequest> result{
      enhanced(1, "gini"),         enhanced(0, "gini"),
      enhanced(30, "entropy"),     enhanced(std::numeric_limits<double>::infinity(), "gini"),
      request_for("impure_pairs"), request_for("balance")};
  result.push_back(worst_case([] { return make_pairs(); }));
  result.push_back(worst_case([] { return make_powers(5); }));
  result.push_back(worst_case([] { return make_powers(40); }));
  result.push_back(worst_case([] { return make_hinged_pairs(2, true); }));
  return result;
}

// Objects in the order of a column, with the sums that a score sees of them.
struct SpannedObjects {
  SpannedRows spanned;
  std::unique_ptr<Score> score;
  std::vector<double> sums;
  double total = 0;

  SpannedObjects(SpannedRows rows, ScoreRequest request, std::size_t n_classes, bool weighted, double theta,
                 std::vector<double> class_factors = {})
      : spanned(std::move(rows)) {
    TargetHeader target;
    target.factors_apart = !class_factors.empty();
    target.class_factors = std::move(class_factors);
    target.n_rows = spanned.rows.size();
    target.n_classes = static_cast<std::int32_t>(n_classes);
    target.weighted = weighted;
    target.growth_unit = weighted ? kUnit : 1;
    target.lightest = weighted ? std::numeric_limits<std::int64_t>::max() : 1;
    for (BoundedRow& row : spanned.rows) {
      const std::int64_t weight = weighted ? std::max<std::int64_t>(1, std::llround(row.weight / kUnit)) : 1;
      row.weight = static_cast<double>(weight) * target.growth_unit;
      target.total += weight;
      target.lightest = std::min(target.lightest, weight);
      target.heaviest = std::max(target.heaviest, weight);
      total += row.weight;
    }
    request.min_mass = theta;
    score = make_score(request, target);
    score->prepare(spanned.rows.size(), !weighted);
    for (const BoundedRow& row : spanned.rows) add(row, sums);
  }

  NodeSums node() const { return {sums, total}; }
  void add(const BoundedRow& row, std::vector<double>& to) const {
    const Statistics& kept = score->statistics();
    to.resize(kept.width());
    to[row.label] += row.weight;
    if (kept.counts) to[kept.counts_at() + row.label] += 1;
    if (!kept.heavy_terms || row.weight <= static_cast<double>(kept.heavy_above) * kUnit) return;
    if (kept.heavy_weight) to[kept.heavy_weight_at()] += row.weight;
    const bool dominates = 2 * row.weight > total;
    to[dominates ? kept.dominant_at() : kept.heavy_terms_at()] +=
        dominates ? row.weight : row.weight / (total - row.weight);
  }
  double filtered(const std::vector<double>& left, double left_total) const {
    std::vector<double> both = left;
    for (std::size_t k = 0; k < left.size(); ++k) both.push_back(sums[k] - left[k]);
    const double totals[2] = {left_total, total - left_total};
    return score->filtered(score->decrease(node(), {both, totals}), node());
  }
};

// What a bound says of these objects.
struct BoundedEnds {
  std::vector<double> left, left_total, q, upper;
  double enough;

  BoundedEnds(const SpannedObjects& objects, double told_closely_from) : enough(told_closely_from) {
    const SpannedRows& spanned = objects.spanned;
    const std::size_t m = spanned.ends.size(), width = objects.sums.size();
    left.resize(width * m);
    left_total.assign(m, 0.0);
    q.resize(m);
    upper.resize(m);
    std::vector<double> sums(width);
    for (std::size_t i = 1; i < m; ++i) {
      left_total[i] = left_total[i - 1];
      for (std::size_t row = spanned.ends[i - 1]; row < spanned.ends[i]; ++row) {
        objects.add(spanned.rows[row], sums);
        left_total[i] += spanned.rows[row].weight;
      }
      for (std::size_t k = 0; k < width; ++k) left[k * m + i] = sums[k];
    }
    SpanEnds ends;
    ends.m = static_cast<int>(m);
    ends.left = left.data();
    ends.stride = m;
    ends.left_total = left_total.data();
    objects.score->bound()->look(objects.node(), ends, enough, q.data(), upper.data());
  }
};

void check_all_thresholds(SpannedObjects& objects, const BoundedEnds& seen, int order, std::mt19937& random) {
  SpannedRows& spanned = objects.spanned;
  const double error = 4 * objects.score->filter_error(objects.node());
  std::vector<double> left(objects.sums.size());
  double left_total = 0;
  for (std::size_t span = 0; span + 1 < spanned.ends.size(); ++span) {
    reorder(spanned, span, order, false, random);
    for (std::size_t row = spanned.ends[span]; row < spanned.ends[span + 1]; ++row) {
      objects.add(spanned.rows[row], left);
      left_total += spanned.rows[row].weight;
      if (row + 1 == spanned.rows.size()) continue;  // all of them: no threshold
      const double gained = objects.filtered(left, left_total);
      if (row + 1 < spanned.ends[span + 1]) {
        CHECK(gained <= seen.upper[span] + 1e-12 * std::abs(gained) + error);
      } else {
        const double apart = seen.q[span + 1] - gained, close = error + 1e-11 * std::abs(gained);
        CHECK(apart <= close);
        CHECK(gained < seen.enough || -apart <= close);
      }
    }
  }
}

}  // namespace

TEST(no_threshold_inside_a_span_scores_more_than_its_bound) {
  std::mt19937 random(17);
  for (const ScoreRequest& request : bounded_scores()) {
    for (int trial = 0; trial < 600; ++trial) {
      const std::size_t n_classes = std::vector<std::size_t>{2, 3, 7, 20}[random() % 4];
      const int kind = trial % 3;
      SpannedRows rows = random_spans(random, n_classes, kind);
      if (trial % 5 == 0 && kind > 0) rows.rows[random() % rows.rows.size()].weight = 1e3;  // dominates
      const double theta = std::vector<double>{0, 0.01, 0.03, 0.3}[random() % 4];
      std::vector<double> factors;  // what impurities count classes for
      for (std::size_t k = 0; k < n_classes && trial % 4 == 0; ++k)
        factors.push_back(static_cast<double>(1 + random() % 9) / 4);
      SpannedObjects objects(std::move(rows), request, n_classes, kind > 0, theta, factors);
      const auto counts =
          std::count_if(objects.sums.begin(), objects.sums.begin() + static_cast<std::ptrdiff_t>(n_classes),
                        [](double w) { return w > 0; });
      if (counts < 2 || objects.score->done(objects.node())) continue;  // pure: never divided
      const double enough = std::vector<double>{-1e300, 1e300, 0.3 * objects.total}[random() % 3];
      const BoundedEnds seen(objects, enough);
      for (int order = 0; order < 4; ++order) check_all_thresholds(objects, seen, order, random);
    }
  }
}

TEST(bounds_of_scores_leave_most_spans_shut) {
  std::mt19937 random(3);
  for (const ScoreRequest& request : bounded_scores()) {
    for (const std::size_t n_classes : {2, 7}) {
      SpannedRows rows;
      rows.ends = {0};
      for (std::size_t i = 0; i < 50'000; ++i) {
        const std::size_t label = random() % 3 == 0 ? i * n_classes / 50'000 : random() % n_classes;
        rows.rows.push_back({label, 1.0 + static_cast<double>(random() % 3), 0.0});
        if ((i + 1) % 200 == 0) rows.ends.push_back(i + 1);
      }
      for (const bool weighted : {false, true}) {
        SpannedObjects objects(rows, request, n_classes, weighted, 0.001);
        const BoundedEnds seen(objects, -1e300);
        const double best = *std::max_element(seen.q.begin() + 1, seen.q.end() - 1);
        const auto opened = std::count_if(seen.upper.begin(), seen.upper.end() - 1,
                                          [&](double upper) { return upper >= best; });
        CHECK(opened >= 1);
        CHECK(opened <= 30);
      }
    }
  }
}
