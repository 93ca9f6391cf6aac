// The problem of the best tree over given two-way tests, as a caller states it, and what a search answers.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "price/rules.hpp"
#include "search/moment.hpp"

namespace thriftree {

// Rows, tests and what a mistake costs. The spans must outlive the search.
struct SearchProblem {
  std::size_t n_rows = 0, n_tests = 0;
  std::span<const std::uint8_t> tests;    // [test * n_rows + row]; 1: the row takes the first branch
  std::span<const std::int32_t> feature;  // of each test; ties go to the smallest (feature, test)
  std::span<const std::int32_t> label;    // of each row, below n_classes
  int n_classes = 0;
  std::span<const std::int64_t> weight;       // of each row, 0 or more; empty: each 1
  std::span<const std::int64_t> error_costs;  // [true * n_classes + predicted]; empty: 1 off the diagonal
  const PriceRules* prices = nullptr;  // by feature, with the budget of a path; null: tests cost nothing
  std::span<const std::int64_t> payers = {};  // of each row: how many pay as it does; empty: each 1
  // [outcome of the rules * n_rows + row]: the own price at the row's outcome
  std::span<const double> outcome_price = {};

  // In place of labels: a target that is a number. A leaf costs its squared error, up to what all trees
  // share: -(sum of number_sum)^2 / (sum of weight) * number_unit, rounded up.
  std::span<const std::int64_t> number_sum =
      {};                  // of each row weight x target, in fixed point; empty: classes
  double number_unit = 1;  // a power of two

  std::int64_t weight_of(std::size_t row) const { return weight.empty() ? 1 : weight[row]; }
  bool of_numbers() const { return !number_sum.empty(); }
};

// Each technique can be switched off, so that tests can show that it changes no answer.
struct SearchSwitches {
  bool leaf_budget = true;    // B1: a subtree below a target has few leaves
  bool after_kernel = true;   // B2: V_d >= min(V_3, 5 lambda)
  bool one_side_four = true;  // B3: beyond depth 3 one side of the root has four leaves
  bool similarity = true;     // B4: rows that moved cannot save more than they weigh
  bool cache = true;          // B7: what is known of a set of rows
  bool one_split = true;      // B8: V >= min(err + lambda, 2 lambda)
  bool cancel = true;         // equal rows that contradict each other leave the search
  bool duplicates = true;     // of equal and complementary tests one is kept
  bool support = true;        // tests that cut off less than lambda are left out
  bool triples = true;        // the kernel of triples; else pairs at each child
  bool rough = true;          // prices in 16 bits bound a side from below before it is searched
  bool rising = true;         // targets of the root's tests rise, so that the bound does
  bool patience = true;       // they do where a search takes long; else from its beginning
  bool first_trees = true;    // a proof begins with trees of the look-ahead, which hide a bound that is wrong
};

struct SearchOptions {
  double leaf_penalty = 0;           // in units of weight x error cost
  double price_weight = 0;           // what a price of 1, paid by one payer, is worth in the same units
  std::optional<int> max_depth = 4;  // none: no limit
  std::optional<int> max_leaves;     // none: no limit
  std::int64_t min_leaf = 1;         // rows as given
  std::int64_t min_leaf_weight = 0;  // in units of weight
  std::optional<int> lookahead;      // none: prove; k: a heuristic that looks k levels ahead
  std::optional<int> beam = 1;       // tests that the heuristic tries at each node; none: as work allows
  bool count_rows = false;           // whether entries know of every row, cancelled or not, at min_leaf 1 too
  SearchSwitches switches;
  std::size_t cache_bytes = std::size_t{48} << 20;
};

// A tree in pre-order; node 0 is the root.
struct SearchTree {
  std::vector<std::int32_t> test;   // -1 at leaves
  std::vector<std::int32_t> left;   // rows with test 1; -1 at leaves
  std::vector<std::int32_t> right;  // rows with test 0; -1 at leaves
  std::vector<std::int32_t> label;  // the cheapest label of the node's rows, ties to the smallest
};

struct SearchStatistics {
  std::int64_t nodes = 0, triple_kernels = 0, pair_kernels = 0, rough_kernels = 0;
  std::int64_t cache_hits = 0, cache_entries = 0, cache_evictions = 0, cache_bytes = 0;
  std::int64_t rows_searched = 0, tests_searched = 0;

  void add(const SearchStatistics& other) {
    nodes += other.nodes;
    triple_kernels += other.triple_kernels;
    pair_kernels += other.pair_kernels;
    rough_kernels += other.rough_kernels;
    cache_hits += other.cache_hits;
  }
};

struct SearchResult {
  SearchTree tree;
  std::int64_t cost = 0;  // weighted mistakes, or their cost
  int leaves = 1;
  double price = 0;        // what all payers pay together
  double objective = 0;    // cost + leaf_penalty * leaves + price_weight * price
  double lower_bound = 0;  // of every tree over these tests within these limits; never above the objective
  std::string status;      // "optimal", "time_limit", "memory_limit", "interrupted" or "heuristic"
  std::vector<SearchMoment> history;
  SearchStatistics statistics;
};

// Called on the calling thread, at most about ten times a second.
using SearchProgress = std::function<void(const SearchMoment&)>;

}  // namespace thriftree
