// Rows as the search sees them. Rows that no test tells apart are one group; a leaf that holds the group and
// predicts p pays its floor, which every tree pays, and its excess e_p >= 0 with min_p e_p = 0. With
// top = max_p e_p and the gains g_p = top - e_p,
//     cost of a leaf = sum of floors + sum of tops - max_p (sum of g_p),
// for any weights, classes and error costs. So contradicting rows cancel, and nothing is lost.
// Gains are whole numbers; each 1 of their binary digits is an entry, a row of bits in a segment with a
// multiplier. Sums over rows are then popcounts times multipliers.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <memory>
#include <vector>

#include "search/bit_matrix.hpp"
#include "search/number_leaves.hpp"
#include "search/problem.hpp"
#include "search/search_prices.hpp"

namespace thriftree {

// What a segment's entries add to. With two labels there is one channel of values, where gains of label 0
// count positive and those of label 1 negative; else one for each label.
struct SearchChannels {
  int n_labels = 0;          // channels of values: 1 for two labels, else n_classes
  bool signed_pair = false;  // two labels in one channel: the leaf gain is (base + |sum|) / 2
  int base = -1;             // channel of tops; -1: the sum of all values' magnitudes is the base
  int rows = -1;             // channel of rows as given, where min_leaf asks for them; -1: none
  int weight = -1;           // channel of weights, where min_leaf_weight asks for them; -1: none
  int payers = -1;           // channel of payers as given, where there are prices; -1: none
  int outcomes = -1;         // the first of the channels of own prices that depend on the outcome; -1: none
  int n_in_triples = 0;      // those that cells of three tests need: the ones before `payers`
  int n = 0;                 // all of them
  // Where the target is a number, what leaves cost; then there is one segment, an entry for each group, and
  // `rows` and `weight` only say whether leaves are limited by them.
  const NumberLeaves* numbers = nullptr;

  bool is_base(int channel) const { return base >= 0 ? channel == base : channel < n_labels; }
  // What a leaf with these sums of each channel, and this base, costs.
  std::int64_t leaf_cost(const std::int64_t* sums, std::int64_t base_sum) const {
    if (signed_pair) return (base_sum - std::abs(sums[0])) / 2;
    return base_sum - *std::max_element(sums, sums + n_labels);
  }
};

// Entries of one channel and multiplier, in no particular order.
struct EntrySegment {
  int channel = 0;
  std::int64_t multiplier = 1;       // negative for label 1 of two
  std::vector<std::uint32_t> group;  // of each entry
};

struct SearchEntries {
  std::vector<std::int32_t> test;  // the tests that are searched, by (feature, test)
  BitRows answers;                 // of each group, a bit a test
  std::size_t n_groups = 0;
  std::vector<std::uint32_t> group_of_row;  // where options.count_rows
  SearchChannels channels;
  std::vector<EntrySegment> segments;  // none is empty
  std::int64_t floor = 0;              // what every tree pays: rows that no test tells apart
  std::int64_t most_cost = 0;          // of any tree, floor included
  std::int64_t min_leaf = 1, min_leaf_weight = 0;
  std::shared_ptr<const NumberLeaves> numbers;  // what `channels` points to
  // Null: tests cost nothing. Else costs are in units of 2^-shift, and so are prices.
  std::shared_ptr<const SearchPrices> prices;
  std::vector<std::int32_t> feature;  // of each of `test`

  int shift() const { return prices ? prices->shift() : 0; }
};

// The most leaves of a tree within the limits.
std::int64_t most_leaves(const SearchProblem& problem, const SearchOptions& options);

// Checks the problem (BadInput) and reduces it. `switches.cancel` off keeps rows apart, for tests.
// `poll` is called every few milliseconds and may throw.
SearchEntries make_entries(const SearchProblem& problem, const SearchOptions& options,
                           const std::function<void()>& poll);

// What making them takes.
std::size_t bytes_of_entries(const SearchProblem& problem);

// The cost of a leaf with these rows for each label; where the target is a number, of the one that it has.
std::vector<std::int64_t> label_costs(const SearchProblem& problem, const std::vector<std::uint32_t>& rows);

}  // namespace thriftree
