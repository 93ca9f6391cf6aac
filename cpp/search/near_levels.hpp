// The last two levels of nearly best trees. They are not stored: counts of pairs of tests give them again
// whenever a node is opened.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "search/kernel.hpp"
#include "search/near_histogram.hpp"
#include "search/node_bits.hpp"

namespace thriftree {

// Rows as a leaf.
struct NearLeaf {
  NearKey key;
  std::int32_t label = 0;  // of least cost, ties to the smallest
  bool allowed = false;    // whether the limits of leaves let the rows be one
};

// A side of a test: a leaf, or one more test with two leaves that answer differently.
struct NearSide {
  struct Split {
    NearKey key;
    std::int32_t column;  // of the node
  };
  NearLeaf leaf;
  std::vector<Split> splits;  // by key, then column

  NearHistogram histogram(const NearUnits& units) const;
};

struct NearLastOption {
  std::int32_t column = 0;  // of the node
  NearSide first, second;   // rows that answer 1, 0

  NearPairs pairs(const NearHistogram& of_first, const NearHistogram& of_second) const {
    return {&of_first, &of_second, first.leaf.label == second.leaf.label, first.leaf.key,
            first.leaf.key + second.leaf.key};
  }
};

// A node with at most two levels below it.
struct NearLastLevels {
  NearLeaf leaf;
  std::vector<NearLastOption> options;  // by column; those whose trees may fit the budget
};

class LastLevels {
 public:
  // `feature` of each column of SearchEntries::test: tests of one feature that divide rows alike are one.
  LastLevels(const SearchChannels& channels, KernelLimits limits, const NearUnits& units,
             std::span<const std::int32_t> feature)
      : channels_(channels), limits_(limits), units_(units), feature_(feature) {}

  NearLeaf leaf(const NodeBits& node) const;
  NearLeaf side_leaf(const NodeBits& node, std::size_t column, int side) const;
  NearLastLevels open(const NodeBits& node, int depth, NearBudget budget) const;

 private:
  using Sums = std::vector<std::int64_t>;  // of each channel, and last of the base

  std::size_t width() const { return static_cast<std::size_t>(channels_.n) + 1; }
  // Of the entries that have a 1 in the column and in the mask, added to `sums`.
  void count(const NodeBits& node, std::size_t column, const std::uint64_t* mask, std::int64_t* sums) const;
  // The same of every column, [column * width]; `mask` null: of each column alone.
  void count_all(const NodeBits& node, const std::uint64_t* mask, Sums& sums) const;
  Sums all_of(const NodeBits& node) const;
  NearLeaf leaf_of(const std::int64_t* sums) const;
  void add_splits(const NodeBits& node, std::size_t tested, int side, const std::int64_t* all,
                  const Sums& ones, NearSide& made) const;
  bool repeats(const NodeBits& node, std::size_t tested, int side, const std::int64_t* all, const Sums& ones,
               std::size_t c) const;

  SearchChannels channels_;
  KernelLimits limits_;
  NearUnits units_;
  std::span<const std::int32_t> feature_;
};

}  // namespace thriftree
