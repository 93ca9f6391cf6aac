// The enhanced score and its baselines: terms against a direct sum over objects, and the search against every
// candidate.
#include "criterion/enhanced.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "choose/candidates.hpp"
#include "criterion/impurity_registry.hpp"
#include "criterion/score_registry.hpp"
#include "criterion/terms_of_test.hpp"
#include "grow_table.hpp"
#include "object_targets.hpp"
#include "rows/local_store.hpp"
#include "run/control.hpp"
#include "testing.hpp"

using namespace thriftree;
using namespace thriftree::testing;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// A target as its objects, one by one.
struct Slow {
  const Target& target;
  double theta = 0;  // a weight
  std::string impurity;
  double scale = 1;

  long double weight(const std::vector<std::size_t>& rows) const {
    long double sum = 0;
    for (std::size_t row : rows) sum += weight_of(target, row);
    return sum;
  }
  // Pairs of different labels, counted pair by pair.
  long double pairs(const std::vector<std::size_t>& rows) const {
    long double sum = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        if (target.labels[rows[i]] != target.labels[rows[j]]) sum += 1;
      }
    }
    return sum;
  }
  long double weighted_impurity(const std::vector<std::size_t>& rows) const {
    const auto total = static_cast<double>(weight(rows));
    std::vector<double> sums(static_cast<std::size_t>(target.n_classes > 0 ? target.n_classes : 3), 0.0);
    for (std::size_t row : rows) {
      const double w = weight_of(target, row),
                   y = target.n_classes > 0 ? 0 : target.values[row] - target.center;
      sums[target.n_classes > 0 ? target.labels[row] : 0] += w;
      if (target.n_classes > 0) continue;
      sums[1] += w * y;
      sums[2] += w * y * y;
    }
    return total * make_impurity(impurity)->of({sums, total});
  }
  // B, E and D as DESIGN writes them: paper 000, Eq. (2).
  EnhancedTerms terms(const std::vector<std::vector<std::size_t>>& branches) const {
    std::vector<std::size_t> all, largest;
    for (const auto& branch : branches) {
      all.insert(all.end(), branch.begin(), branch.end());
      const bool heavier = branch.size() == largest.size() && weight(branch) > weight(largest);
      if (branch.size() > largest.size() || heavier) largest = branch;
    }
    EnhancedTerms result;
    result.balance = weight(all) - weight(largest);
    result.discrimination = weighted_impurity(all);
    const long double total = weight(all), all_pairs = pairs(all);
    for (const auto& branch : branches) {
      result.discrimination -= weighted_impurity(branch);
      const long double share = all_pairs > 0 ? pairs(branch) / all_pairs : 1, here = weight(branch);
      for (std::size_t row : branch) {
        const long double p = weight_of(target, row), m = std::max<long double>(p, theta);
        if (total <= m * (1 + 1e-12) || all_pairs == 0) continue;  // covered already
        result.efficiency += p - share * p * std::max(here - m, 0.0L) / (total - m);
      }
    }
    result.discrimination *= scale;
    return result;
  }
  // Enhanced::decrease of a division.
  double decrease(const std::vector<std::vector<std::size_t>>& branches, double trade_off) const {
    const EnhancedTerms t = terms(branches);
    double total = 0;
    for (const auto& branch : branches) total += weight(branch);
    if (std::isinf(trade_off)) return t.discrimination / scale / total;
    return (t.balance + t.efficiency + trade_off * t.discrimination) / total;
  }
};

// One column at the root, by the store and by rows.
struct OneColumn {
  OneColumn(const CodeColumn& column, const Target& target, const ObjectSums& objects)
      : table(make_table({column})), team(control), store(table, target, objects.statistics, control, team) {
    totals = store.open_root(team);
    const CountRequest root{0, std::make_shared<const std::vector<std::uint32_t>>(1, 0U)};
    store.count({&root, 1}, team);
    store.runs(0, 0, 0, scratch.runs);
    for (std::uint32_t code : scratch.runs.codes) {
      auto& rows = by_run.emplace_back();
      for (std::size_t row = 0; row < table.n_rows; ++row) {
        if (table.code(row, 0) == code) rows.push_back(row);
      }
    }
  }
  ColumnBest best(const Score& score, std::uint8_t kinds) {
    return best_of_runs({score, totals, table.columns[0], kinds, rules, 1, false}, scratch);
  }
  // Rows by branch, where run i goes to branch[i].
  std::vector<std::vector<std::size_t>> divided(const std::vector<int>& branch) const {
    std::vector<std::vector<std::size_t>> result(2);
    for (std::size_t i = 0; i < by_run.size(); ++i) {
      auto& rows = result[static_cast<std::size_t>(branch[i])];
      rows.insert(rows.end(), by_run[i].begin(), by_run[i].end());
    }
    return result;
  }

  Control control;
  Table table;
  Team team;
  LocalStore store;
  NodeTotals totals;
  CandidateRules rules;
  CandidateScratch scratch;
  std::vector<std::vector<std::size_t>> by_run;
};

std::unique_ptr<Enhanced> make_enhanced(const Slow& slow, const ObjectSums& objects, double trade_off) {
  auto score = std::make_unique<Enhanced>(make_impurity(slow.impurity), trade_off, slow.scale,
                                          objects.statistics, objects.weights);
  score->prepare(slow.target.n_rows, !slow.target.weighted());
  return score;
}

// Calls `check` for objects of every weight, some of them heavy, in every kind of target.
void for_each_problem(unsigned seed, std::size_t n,
                      const std::function<void(const Slow&, const ObjectSums&)>& check) {
  std::mt19937 random(seed);
  for (Weights weights : {Weights::unit, Weights::small_whole, Weights::any, Weights::one_giant}) {
    for (std::int32_t n_classes : {0, 2, 5}) {
      const Target target = random_target(random, n, n_classes, weights);
      for (double theta : {0.0, 1.5 / static_cast<double>(n), 0.3, 1.0, kInfinity}) {
        const ObjectSums objects = object_sums(target, theta);
        const std::string impurity = n_classes == 0 ? "squared_error" : random() % 2 ? "gini" : "entropy";
        check({target, objects.weights.theta, impurity, n_classes == 0 ? 0.7 : 1}, objects);
      }
    }
  }
}

}  // namespace

TEST(the_terms_of_a_test_are_the_direct_sum_over_objects) {
  std::mt19937 random(51);
  for_each_problem(51, 40, [&](const Slow& slow, const ObjectSums& objects) {
    for (std::uint32_t n_codes : {1, 2, 3, 30, 400}) {
      OneColumn column(random_column(random, 40, n_codes, false), slow.target, objects);
      const EnhancedTerms fast =
          make_enhanced(slow, objects, 1)
              ->terms(column.totals.view(), {column.scratch.runs.sums, column.scratch.runs.totals});
      const EnhancedTerms wanted = slow.terms(column.by_run);
      const double tolerance = 1e-11 * column.totals.total;
      CHECK(std::abs(fast.balance - wanted.balance) <= tolerance);
      CHECK(std::abs(fast.efficiency - wanted.efficiency) <= tolerance);
      CHECK(std::abs(fast.discrimination - wanted.discrimination) <= tolerance);
    }
  });
}

TEST(the_best_candidate_of_a_column_is_the_best_of_all_by_the_direct_sum) {
  std::mt19937 random(52);
  for_each_problem(52, 30, [&](const Slow& slow, const ObjectSums& objects) {
    OneColumn column(random_column(random, 30, random() % 2 ? 6 : 2, false, ColumnKind::category),
                     slow.target, objects);
    const std::size_t m = column.by_run.size();
    for (double trade_off : {0.0, 2.5, kInfinity}) {
      const auto score = make_enhanced(slow, objects, trade_off);
      double best_cut = -kInfinity, best_one = -kInfinity, best_subset = -kInfinity;
      for (unsigned mask = 1; mask + 1 < (1U << m); ++mask) {
        std::vector<int> branch;
        for (std::size_t i = 0; i < m; ++i) branch.push_back(static_cast<int>(mask >> i & 1));
        const double decrease = slow.decrease(column.divided(branch), trade_off);
        best_subset = std::max(best_subset, decrease);
        if ((mask & (mask - 1)) == 0) best_one = std::max(best_one, decrease);
        if ((mask & (mask + 1)) == 0) best_cut = std::max(best_cut, decrease);
      }
      const auto found = [&](std::uint8_t kind) { return column.best(*score, kind).decrease; };
      CHECK(std::abs(found(kThreshold) - best_cut) <= 1e-11);
      CHECK(std::abs(found(kOneVsRest) - best_one) <= 1e-11);
      CHECK(std::abs(found(kSubset) - best_subset) <= 1e-11);
      if (m > 2) continue;  // two codes, one division: every kind scores it alike
      CHECK(std::abs(column.best(*score, kMultiway).score - column.best(*score, kThreshold).score) <= 1e-12);
    }
  });
}

TEST(many_categories_are_ordered_by_the_share_of_a_class_whatever_else_is_counted) {
  std::mt19937 random(53);
  for (std::int32_t n_classes : {2, 4}) {
    const Target target = random_target(random, 150, n_classes, Weights::any);
    const ObjectSums objects = object_sums(target, 0);
    const Slow slow{target, 0, "gini"};
    OneColumn column(random_column(random, 150, 12, false, ColumnKind::category), target, objects);
    std::vector<double> by_class(static_cast<std::size_t>(n_classes), 0.0);
    for (std::size_t row = 0; row < 150; ++row) by_class[target.labels[row]] += weight_of(target, row);
    const auto heaviest = std::max_element(by_class.begin(), by_class.end()) - by_class.begin();
    const auto label = n_classes == 2 ? 1U : static_cast<std::uint32_t>(heaviest);
    const auto share = [&](std::size_t run) {
      double weight = 0;
      for (std::size_t row : column.by_run[run])
        weight += target.labels[row] == label ? weight_of(target, row) : 0;
      return weight / slow.weight(column.by_run[run]);
    };
    std::vector<std::size_t> order(column.by_run.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return share(a) < share(b); });
    for (double trade_off : {0.0, 1.0, 50.0}) {
      double best = -kInfinity;
      std::vector<int> branch(order.size(), 1);
      for (std::size_t i = 0; i + 1 < order.size(); ++i) {
        branch[order[i]] = 0;
        best = std::max(best, slow.decrease(column.divided(branch), trade_off));
      }
      const double found = column.best(*make_enhanced(slow, objects, trade_off), kSubset).decrease;
      CHECK(std::abs(found - best) <= 1e-11);
    }
  }
}

TEST(the_baselines_count_pairs_and_the_weight_outside_the_heaviest_branch) {
  std::mt19937 random(54);
  for (Weights weights : {Weights::unit, Weights::small_whole, Weights::any}) {
    for (std::int32_t n_classes : {2, 3}) {
      const Target target = random_target(random, 40, n_classes, weights);
      ObjectSums objects = object_sums(target, 0);
      objects.statistics.heavy_terms = objects.statistics.heavy_weight = false;
      const auto baseline = [&](const std::string& name, bool weighted) {
        ScoreRequest request;
        request.score = name;
        request.values = {{"weighted_pairs", weighted}};
        return make_score(request, target);
      };
      const Slow slow{target, 0, "gini"};
      OneColumn column(random_column(random, 40, 4, false), target, objects);
      const BranchSums branches(column.scratch.runs.sums, column.scratch.runs.totals);
      const NodeSums node = column.totals.view();
      std::vector<std::size_t> all;
      for (std::size_t row = 0; row < 40; ++row) all.push_back(row);
      long double heaviest = 0;
      for (const auto& run : column.by_run) heaviest = std::max(heaviest, slow.weight(run));
      const auto balance = baseline("balance", false);
      CHECK(std::abs(balance->decrease(node, branches) * node.total - (node.total - heaviest)) <=
            1e-11 * node.total);
      for (bool weighted : {false, true}) {
        const auto counted = [&](const std::vector<std::size_t>& rows) {
          return slow.pairs(rows) * (weighted ? slow.weight(rows) : 1);
        };
        long double wanted = counted(all);
        for (const auto& run : column.by_run) wanted -= counted(run);
        const auto pairs = baseline("impure_pairs", weighted);
        CHECK(std::abs(pairs->decrease(node, branches) * node.total - wanted) <= 1e-11 * wanted);
      }
    }
  }
}

TEST(a_share_that_is_negative_or_no_number_is_refused) {
  std::mt19937 random(55);
  for (Weights weights : {Weights::unit, Weights::any}) {
    const Target target = random_target(random, 9, 2, weights);
    for (double theta : {-0.1, -kInfinity, std::nan("")}) {
      bool refused = false;
      try {
        object_sums(target, theta);
      } catch (const BadInput&) {
        refused = true;
      }
      CHECK(refused);
    }
  }
}

TEST(the_terms_of_given_objects_are_the_direct_sum_wherever_outcomes_lie) {
  std::mt19937 random(56);
  for (int round = 0; round < 200; ++round) {
    const auto n = static_cast<std::size_t>(1 + random() % 12);
    const std::int32_t n_classes = 1 + static_cast<std::int32_t>(random() % 3);
    const Target target = random_target(random, n, n_classes, Weights::any);
    const std::vector<std::int32_t> names{0, 7, 1 << 20, std::numeric_limits<std::int32_t>::max()};
    std::vector<std::int32_t> labels(target.labels.begin(), target.labels.end()), outcome;
    std::vector<double> weights;
    std::vector<std::vector<std::size_t>> branches(names.size());
    for (std::size_t row = 0; row < n; ++row) {
      const std::size_t branch = random() % names.size();
      weights.push_back(static_cast<double>(weight_of(target, row)));
      outcome.push_back(names[branch]);
      branches[branch].push_back(row);
    }
    std::erase_if(branches, [](const auto& rows) { return rows.empty(); });
    const Slow slow{target, random() % 2 ? 0 : weights[0], "entropy"};
    const EnhancedTerms fast = terms_of_test(labels, n_classes, weights, outcome, slow.theta, "entropy");
    const EnhancedTerms wanted = slow.terms(branches);
    CHECK(std::abs(fast.balance - wanted.balance) <= 1e-11);
    CHECK(std::abs(fast.efficiency - wanted.efficiency) <= 1e-11);
    CHECK(std::abs(fast.discrimination - wanted.discrimination) <= 1e-11);
  }
}

TEST(objects_that_are_none_have_no_terms) {
  using Codes = std::vector<std::int32_t>;
  const auto refused = [](const Codes& labels, std::int32_t n_classes, const std::vector<double>& weights,
                          const Codes& outcome, double theta, const std::string& impurity) {
    try {
      terms_of_test(labels, n_classes, weights, outcome, theta, impurity);
    } catch (const BadInput&) {
      return true;
    }
    return false;
  };
  CHECK(!refused({0, 1}, 2, {1, 2}, {0, 1}, 0, "gini"));
  CHECK(!refused({0, 1}, 2, {1, 0}, {0, 1}, kInfinity, "gini"));
  CHECK(refused({}, 2, {}, {}, 0, "gini"));
  CHECK(refused({0, 1}, 2, {1}, {0, 1}, 0, "gini"));
  CHECK(refused({0, 1}, 2, {0, 0}, {0, 1}, 0, "gini"));
  CHECK(refused({0, 1}, 2, {1, -1}, {0, 1}, 0, "gini"));
  CHECK(refused({0, 1}, 2, {1, std::nan("")}, {0, 1}, 0, "gini"));
  CHECK(refused({0, 1}, 2, {1e308, 1e308}, {0, 1}, 0, "gini"));
  CHECK(refused({0, 1}, 1, {1, 2}, {0, 1}, 0, "gini"));
  CHECK(refused({0, -1}, 2, {1, 2}, {0, 1}, 0, "gini"));
  CHECK(refused({0, 1}, 2, {1, 2}, {0, -1}, 0, "gini"));
  CHECK(refused({0, 1}, std::numeric_limits<std::int32_t>::max(), {1, 2}, {0, 1}, 0, "gini"));
  CHECK(refused({0, 1}, 2, {1, 2}, {0, 1}, -1, "gini"));
  CHECK(refused({0, 1}, 2, {1, 2}, {0, 1}, std::nan(""), "gini"));
  CHECK(refused({0, 1}, 2, {1, 2}, {0, 1}, 0, "squared_error"));
  CHECK(refused({0, 1}, 2, {1, 2}, {0, 1}, 0, "ginny"));
}
