// Rows as the search sees them. Rows that no test tells apart are one group; a leaf that holds the group and
// predicts p pays its floor, which every tree pays, and its excess e_p >= 0 with min_p e_p = 0. With
// top = max_p e_p and the gains g_p = top - e_p,
//     cost of a leaf = sum of floors + sum of tops - max_p (sum of g_p),
// for any weights, classes and error costs. So contradicting rows cancel, and nothing is lost.
// Gains are whole numbers; each 1 of their binary digits is an entry, a row of bits in a segment with a
// multiplier. Sums over rows are then popcounts times multipliers.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "search/bit_matrix.hpp"
#include "search/problem.hpp"

namespace thriftree {

// What a segment's entries add to. With two labels there is one channel of values, where gains of label 0
// count positive and those of label 1 negative; else one for each label.
struct SearchChannels {
  int n_labels = 0;          // channels of values: 1 for two labels, else n_classes
  bool signed_pair = false;  // two labels in one channel: the leaf gain is (base + |sum|) / 2
  int base = -1;             // channel of tops; -1: the sum of all values' magnitudes is the base
  int rows = -1;             // channel of rows as given, where min_leaf asks for them; -1: none
  int weight = -1;           // channel of weights, where min_leaf_weight asks for them; -1: none
  int n = 0;                 // all of them
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
  SearchChannels channels;
  std::vector<EntrySegment> segments;  // none is empty
  std::int64_t floor = 0;              // what every tree pays: rows that no test tells apart
  std::int64_t most_cost = 0;          // of any tree, floor included
  std::int64_t min_leaf = 1, min_leaf_weight = 0;
};

// Checks the problem (BadInput) and reduces it. `switches.cancel` off keeps rows apart, for tests.
// `poll` is called every few milliseconds and may throw.
SearchEntries make_entries(const SearchProblem& problem, const SearchOptions& options,
                           const std::function<void()>& poll);

// The cost of a leaf with these rows for each label.
std::vector<std::int64_t> label_costs(const SearchProblem& problem, const std::vector<std::uint32_t>& rows);

}  // namespace thriftree
