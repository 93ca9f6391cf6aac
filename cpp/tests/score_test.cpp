// Scores, found by their registry: filters never change the winner against exact scoring of all candidates,
// on every road that a column's sums can take.
#include <array>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "choose/candidates.hpp"
#include "choose/chooser.hpp"
#include "criterion/impurity_registry.hpp"
#include "criterion/score_registry.hpp"
#include "grow_table.hpp"
#include "object_targets.hpp"
#include "rows/local_store.hpp"
#include "run/control.hpp"
#include "testing.hpp"

using namespace thriftree;
using namespace thriftree::testing;

namespace {

// The same score for every impurity that fits, and for several values of each parameter.
std::vector<ScoreRequest> requests_for(const ScoreEntry& entry, bool numbers) {
  std::vector<ScoreRequest> requests;
  for (const std::string& impurity : impurity_names()) {
    if (make_impurity(impurity)->for_numbers() != numbers) continue;
    ScoreRequest request;
    request.score = entry.name;
    request.impurity = impurity;
    request.set_function = [] { return make_pairs(); };
    requests.push_back(request);
    if (requests.size() > 1) continue;
    for (const DeclaredParameter& parameter : entry.parameters) {
      for (double value : {0.0, 1.0, 30.0, std::numeric_limits<double>::infinity()}) {
        if (!parameter.valid(value) || (std::isinf(value) && parameter.name != "trade_off")) continue;
        requests.push_back(request);
        requests.back().values[parameter.name] = value;
      }
    }
  }
  return requests;
}

struct BestByScan {
  std::size_t length = 0;  // known runs on the left
  bool missing_left = false;
  double decrease = -std::numeric_limits<double>::infinity();
};

// The winner among all thresholds of these runs, each scored exactly.
BestByScan best_of_all(const Score& score, const NodeTotals& node, const ColumnRuns& runs, bool missing_seen,
                       const BranchLimits& limits) {
  const std::size_t width = score.width(node.view()), n = runs.codes.size();
  const std::size_t n_known = n - (missing_seen ? 1 : 0);
  BestByScan best;
  std::vector<double> left(width, 0.0);
  double total = 0;
  std::int64_t rows = 0;
  const auto add = [&](std::vector<double>& sums, double& weight, std::int64_t& count, std::size_t run) {
    for (std::size_t k = 0; k < width; ++k) sums[k] += runs.sums[run * width + k];
    weight += runs.totals[run];
    count += runs.rows[run];
  };
  for (std::size_t i = 0; i < n_known; ++i) {
    add(left, total, rows, i);
    for (bool missing_left : {true, false}) {
      if (missing_left && (!missing_seen || i + 1 == n_known)) continue;
      if (!missing_left && !missing_seen && i + 1 == n_known) continue;
      std::vector<double> both = left;
      double weight = total;
      std::int64_t count = rows;
      if (missing_left) add(both, weight, count, n_known);
      if (!limits.allow(count, weight) || !limits.allow(node.rows - count, node.total - weight)) continue;
      for (std::size_t k = 0; k < width; ++k) both.push_back(node.sums[k] - both[k]);
      const std::array<double, 2> totals{weight, node.total - weight};
      const double decrease = score.decrease(node.view(), {both, totals});
      if (best.length == 0 || clearly_better(decrease, best.decrease)) best = {i + 1, missing_left, decrease};
    }
  }
  return best;
}

void check_winner(const ColumnBest& found, const BestByScan& wanted, const ColumnRuns& runs,
                  bool missing_seen, double slack) {
  CHECK(found.found == (wanted.length > 0));
  if (!found.found) return;
  CHECK(std::abs(found.decrease - wanted.decrease) <= slack * std::abs(wanted.decrease));
  const std::size_t n_known = runs.codes.size() - (missing_seen ? 1 : 0);
  CHECK(found.missing_alone == (wanted.length == n_known));
  if (found.missing_alone) return;
  CHECK(found.lower == runs.codes[wanted.length - 1]);
  if (missing_seen) CHECK((found.missing == 0) == wanted.missing_left);
}

// What a search finds beside a test that is known, of another column: the same if that is no better, and
// nothing if it is. `best` is what it finds alone; find(search) searches.
template <class Find>
void check_beside_known(const ColumnSearch& search, const ColumnBest& best, const Find& find) {
  if (!best.found || !search.score.bound()) return;
  ColumnSearch beside = search;
  beside.known = search.score.filtered(best.decrease, search.node.view());
  const double room = 4 * search.score.filter_error(search.node.view()) + 1e-10 * std::abs(beside.known);
  const ColumnBest tied = find(beside);
  CHECK(tied.found && tied.decrease == best.decrease && tied.score == best.score);
  CHECK(tied.lower == best.lower && tied.upper == best.upper && tied.missing == best.missing);
  const double better =
      search.score.filtered(best.decrease + 0.01 * (1 + std::abs(best.decrease)), search.node.view());
  if (better <= beside.known + room) return;  // nothing can be
  beside.known = better;
  CHECK(!find(beside).found);
}

// Column 0 of a table at the root, by runs and, if it is wide, by a stream of rows.
void check_column(const Score& score, const CodeColumn& column, const Target& target,
                  const BranchLimits& limits) {
  Control control;
  Team team(control);
  const Table table = make_table({column});
  Statistics statistics = score.statistics();
  statistics.members = !target.multiplicity.empty();
  LocalStore store(table, target, statistics, control, team);
  const NodeTotals totals = store.open_root(team);
  const CountRequest root{0, std::make_shared<const std::vector<std::uint32_t>>(1, 0U)};
  store.count({&root, 1}, team);
  CandidateRules rules;
  rules.limits = limits;
  CandidateScratch scratch;
  const ColumnSearch search{score, totals, table.columns[0], kThreshold, rules, 1, false};
  store.runs(0, 0, 0, scratch.runs);
  const ColumnRuns runs = scratch.runs;
  check_beside_known(search, best_of_runs(search, scratch),
                     [&](const ColumnSearch& beside) { return best_of_runs(beside, scratch); });
  if (runs.codes.size() < 3) return;  // the one candidate there is needs no filter
  const bool missing_seen = column.missing && runs.codes.back() == column.n_codes - 1;
  const BestByScan wanted = best_of_all(score, totals, runs, missing_seen, limits);
  check_winner(best_of_runs(search, scratch), wanted, runs, missing_seen, 0);
  const auto stream = store.stream(0, 0);
  CHECK(stream.has_value() == !table.columns[0].narrow);
  if (!stream) return;
  auto found = best_of_stream(search, *stream, scratch);
  CHECK(found.has_value());
  if (!found) return;
  if (!missing_seen)  // what is missing is told from the rest by whatever was found
    check_beside_known(search, *found, [&](const ColumnSearch& beside) {
      return best_of_stream(beside, *stream, scratch).value_or(ColumnBest{});
    });
  if (found->in_stream) found->resolve(*stream, 0, nullptr);
  // Streams of plain sums add weights as integers, runs as doubles, which lose the digits of what is light
  // beside a giant: the winner is the same, its decrease nearly.
  const bool same_digits = stream->carries() || (!target.weighted() && target.n_classes > 0);
  check_winner(*found, wanted, runs, missing_seen, same_digits ? 0 : 1e-6);
}

template <class Check>
void for_every_score(std::mt19937& random, const Check& check) {
  for (const ScoreEntry& entry : score_entries()) {
    for (std::int32_t n_classes : {0, 2, 3, 70}) {
      if (!(n_classes == 0 ? entry.numbers : entry.classes)) continue;
      for (Weights weights : {Weights::unit, Weights::small_whole, Weights::any, Weights::one_giant}) {
        for (std::size_t n : {12, 300}) {
          const Target target = random_target(random, n, n_classes, weights);
          for (ScoreRequest request : requests_for(entry, n_classes == 0)) {
            for (double theta : {0.0, 0.01}) {
              if (theta > 0 && entry.statistics != ScoreStatistics::object_terms) continue;
              request.min_mass = theta;
              const auto score = make_score(request, target);
              score->prepare(n, !target.weighted());
              check(*score, target, n);
            }
          }
        }
      }
    }
  }
}

}  // namespace

TEST(filters_of_every_score_leave_the_winner_of_exact_scoring) {
  std::mt19937 random(71);
  for_every_score(random, [&](const Score& score, const Target& target, std::size_t n) {
    for (bool missing : {false, true}) {
      check_column(score, random_column(random, n, 500, missing), target, {});
      check_column(score, random_column(random, n, 40, missing), target, {3, 0});
      CodeColumn ties = random_column(random, n, 60, false);  // a wide column of few codes, some missing
      ties.n_codes = 300;
      ties.missing = missing;
      for (std::size_t row = 0; missing && row < n; row += 5) ties.codes[row] = 299;
      check_column(score, ties, target, {2, 1e-3});
    }
  });
}

TEST(limits_count_the_rows_behind_objects_on_every_road) {
  std::mt19937 random(72);
  for_every_score(random, [&](const Score& score, const Target& target, std::size_t n) {
    Target objects = target;
    for (std::size_t row = 0; row < n; ++row)
      objects.multiplicity.push_back(1 + static_cast<std::uint32_t>(random() % 4));
    check_column(score, random_column(random, n, 500, true), objects, {5, 0});
  });
}

TEST(a_filter_of_every_score_is_its_decrease_within_its_error_or_orders_thresholds_alike) {
  std::mt19937 random(73);
  for_every_score(random, [&](const Score& score, const Target& target, std::size_t n) {
    Control control;
    Team team(control);
    const Table table = make_table({random_column(random, n, 500, false)});
    LocalStore store(table, target, score.statistics(), control, team);
    const NodeTotals totals = store.open_root(team);
    const CountRequest root{0, std::make_shared<const std::vector<std::uint32_t>>(1, 0U)};
    store.count({&root, 1}, team);
    ColumnRuns runs;
    store.runs(0, 0, 0, runs);
    const std::size_t width = score.width(totals.view()),
                      m = std::min<std::size_t>(runs.codes.size() - 1, kBatch);
    std::vector<double> left, total, prefix(width, 0.0);
    double weight = 0;
    for (std::size_t i = 0; i < m; ++i) {
      for (std::size_t k = 0; k < width; ++k) prefix[k] += runs.sums[i * width + k];
      left.insert(left.end(), prefix.begin(), prefix.end());
      total.push_back(weight += runs.totals[i]);
    }
    std::array<double, kBatch> q;
    score.filter_prefixes(totals.view(), {static_cast<int>(m), left.data(), total.data()}, q.data());
    std::vector<double> exact;
    for (std::size_t i = 0; i < m; ++i) {
      std::vector<double> both(left.begin() + static_cast<std::ptrdiff_t>(i * width),
                               left.begin() + static_cast<std::ptrdiff_t>((i + 1) * width));
      for (std::size_t k = 0; k < width; ++k) both.push_back(totals.sums[k] - both[k]);
      const std::array<double, 2> weights{total[i], totals.total - total[i]};
      exact.push_back(score.decrease(totals.view(), {both, weights}));
    }
    const double error = score.filter_error(totals.view());
    for (std::size_t i = 0; i < m; ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        const double slack = 2 * error + 1e-11 * std::max(std::abs(q[i]), std::abs(q[j]));
        if (exact[i] > exact[j] * (1 + 1e-9)) CHECK(q[i] > q[j] - slack);
        if (exact[j] > exact[i] * (1 + 1e-9)) CHECK(q[j] > q[i] - slack);
      }
    }
  });
}

TEST(a_request_that_does_not_fit_is_refused_with_the_parameter_and_the_remedy) {
  std::mt19937 random(74);
  const Target classes = random_target(random, 9, 2, Weights::unit);
  const Target numbers = random_numbers(random, 9, false);
  const auto message = [](const Target& target, const ScoreRequest& request) -> std::string {
    try {
      make_score(request, target);
    } catch (const BadInput& error) {
      return error.what();
    }
    return "";
  };
  const auto says = [](const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
  };
  ScoreRequest request;
  request.score = "ginny";
  CHECK(says(message(classes, request), "unknown score 'ginny'; choose one of: impurity, gain_ratio"));
  request = {};
  request.impurity = "squared_error";
  CHECK(says(message(classes, request), "is for numbers, but the target is classes: choose one of: gini"));
  request = {};
  request.score = "balance";
  request.impurity = "squared_error";
  CHECK(says(message(numbers, request), "score 'balance' is for classes, but the target is numbers"));
  request = {};
  request.score = "enhanced";
  request.impurity = "squared_error";
  CHECK(says(message(numbers, request), "needs a target with bins"));
  request = {};
  request.values = {{"trade_off", 2}};
  CHECK(
      says(message(classes, request), "has no parameter trade_off: leave it out, or choose score enhanced"));
  request.score = "enhanced";
  CHECK(message(classes, request).empty());
  request.values = {{"trade_off", -1}};
  CHECK(says(message(classes, request), "trade_off must be a number of at least 0, or infinity"));
  request = {};
  request.score = "enhanced";
  request.impurity = "gain_ratio";
  CHECK(says(message(classes, request), "score 'enhanced' needs an impurity: give 'entropy'"));
  request = {};
  request.score = "worst_case";
  CHECK(says(message(classes, request), "give set_function"));
}

TEST(a_score_named_in_place_of_an_impurity_stands_on_its_own) {
  std::mt19937 random(75);
  const Target classes = random_target(random, 9, 2, Weights::unit);
  for (const ScoreEntry& entry : score_entries()) {
    if (entry.stands_on.empty()) continue;
    ScoreRequest request;
    request.impurity = entry.name;
    const auto score = make_score(request, classes);
    const std::vector<double> node{3, 5};
    const double wanted = make_impurity(entry.stands_on)->of({node, 8});
    CHECK(score->impurity_of({node, 8}) == wanted);
    CHECK(make_reported_impurity(entry.name)->of({node, 8}) == wanted);
  }
}
