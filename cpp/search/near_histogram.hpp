// How many trees there are of each objective: the numbers that a set of nearly best trees is counted, ordered
// and drawn from by.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <unordered_map>
#include <vector>

#include "search/naturals.hpp"
#include "search/units.hpp"

namespace thriftree {

// What trees of equal objective share.
struct NearKey {
  std::int64_t cost = 0;
  std::int32_t leaves = 0;  // 0 where nothing depends on them

  friend NearKey operator+(NearKey a, NearKey b) { return {a.cost + b.cost, a.leaves + b.leaves}; }
  friend NearKey operator-(NearKey a, NearKey b) { return {a.cost - b.cost, a.leaves - b.leaves}; }
  friend bool operator==(const NearKey&, const NearKey&) = default;
};

// The objective of a key as a whole number; keys are ordered by it, then by leaves.
struct NearUnits {
  SearchValue unit = 1;  // of cost 1
  SearchValue leaf = 0;  // what a leaf costs
  bool tracked = false;  // whether leaves are told apart: they cost something, or are limited

  SearchValue value(NearKey key) const { return key.cost * unit + key.leaves * leaf; }
  NearKey key(std::int64_t cost, int leaves) const { return {cost, tracked ? leaves : 0}; }
  bool before(NearKey a, NearKey b) const {
    const SearchValue x = value(a), y = value(b);
    return x != y ? x < y : a.leaves < b.leaves;
  }
};

// What a tree of a set may come to.
struct NearBudget {
  SearchValue value = 0;  // at most
  std::int32_t leaves = std::numeric_limits<std::int32_t>::max();

  bool fits(const NearUnits& units, NearKey key) const {
    return units.value(key) <= value && key.leaves <= leaves;
  }
};

struct NearHistogram {
  std::vector<NearKey> keys;  // in their order
  std::size_t limbs = 1;      // of each count
  std::vector<Limb> counts;   // [key * limbs], none of them 0
  int total_bits = 0;         // of the sum of all counts

  const Limb* count(std::size_t i) const { return counts.data() + i * limbs; }
  std::size_t bytes() const { return keys.capacity() * sizeof(NearKey) + counts.capacity() * sizeof(Limb); }
  std::int64_t least_cost() const;
};

// Trees that begin with a test: one of `first` with one of `second`, but for the pair of leaves where both
// give the same answer.
struct NearPairs {
  const NearHistogram* first;
  const NearHistogram* second;
  bool without_leaves;  // the pair of leaves does not count
  NearKey first_leaf;   // of `first`
  NearKey leaves;       // of both, and the test
  NearKey pay = {};     // what the test itself costs
};

// How many of the pairs have this key, into `sum`, which must have room.
void count_pairs(const NearPairs& pairs, NearKey key, const NearUnits& units, Natural& sum);

// Limbs that the counts of all these pairs and one leaf need.
std::size_t limbs_of(const std::vector<NearPairs>& pairs);

// What adding up may take.
struct HistogramRoom {
  std::size_t most_bytes = std::numeric_limits<std::size_t>::max();
  std::function<void()> poll = [] {};  // called every few milliseconds, may throw
};

// Adds up trees by key. Costs that lie close together are counted in an array, others in a table of hashes.
class HistogramSum {
 public:
  HistogramSum(const NearUnits& units, NearBudget budget, std::int64_t least_cost, int most_leaves,
               std::size_t limbs, HistogramRoom room = {});

  void add(NearKey key, Limb trees = 1);  // trees that fit
  void add(const NearPairs& pairs);
  NearHistogram made() const;

 private:
  struct HashOfKey {
    std::size_t operator()(const NearKey& key) const {
      return (static_cast<std::size_t>(key.cost) * 0x9e3779b97f4a7c15U) ^
             static_cast<std::size_t>(key.leaves);
    }
  };
  Limb* place(NearKey key);

  NearUnits units_;
  NearBudget budget_;
  HistogramRoom room_;
  std::int64_t least_cost_, width_ = 0;  // costs of the array; 0: there is none
  std::size_t limbs_;
  std::vector<Limb> counts_;
  std::unordered_map<NearKey, std::size_t, HashOfKey> slot_;
};

}  // namespace thriftree
