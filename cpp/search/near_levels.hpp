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
#include "search/node_prices.hpp"

namespace thriftree {

// Rows as a leaf.
struct NearLeaf {
  NearKey key;
  std::int32_t label = 0;  // of least cost, ties to the smallest
  bool allowed = false;    // whether the limits of leaves let the rows be one
};

// A test with what it costs and leads to.
inline NearPairs pairs_of(const NearLeaf& first, const NearLeaf& second, const NearHistogram& of_first,
                          const NearHistogram& of_second, NearKey pay) {
  return {&of_first, &of_second, first.label == second.label, first.key, first.key + second.key + pay, pay};
}

// A side of a test: a leaf, or one more test with two leaves that answer differently.
struct NearSide {
  struct Split {
    NearKey key;          // what the test costs is in it
    std::int32_t column;  // of the node
  };
  NearLeaf leaf;
  std::vector<Split> splits;  // by key, then column

  NearHistogram histogram(const NearUnits& units) const;
};

struct NearLastOption {
  std::int32_t column = 0;  // of the node
  NearKey pay;              // what it costs
  NearSide first, second;   // rows that answer 1, 0

  NearPairs pairs(const NearHistogram& of_first, const NearHistogram& of_second) const {
    return pairs_of(first.leaf, second.leaf, of_first, of_second, pay);
  }
};

// A node with at most two levels below it.
struct NearLastLevels {
  NearLeaf leaf;
  std::vector<NearLastOption> options;  // by column; those whose trees may fit the budget
};

class LastLevels {
 public:
  // Tests of one feature that divide rows alike are one.
  LastLevels(const NodeMaker& nodes, KernelLimits limits, const NearUnits& units)
      : nodes_(nodes), channels_(nodes.channels()), limits_(limits), units_(units) {}

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
  // What rows of these sums pay for a charge.
  NearKey pay(const Charge& charge, const std::int64_t* sums) const;
  // `prices`: null where tests cost nothing.
  void add_splits(const NodeBits& node, const PricesAtNode* prices, std::size_t tested, int side,
                  const std::int64_t* all, const Sums& ones, NearSide& made) const;
  bool repeats(const NodeBits& node, std::size_t tested, int side, const std::int64_t* all, const Sums& ones,
               std::size_t c) const;

  const NodeMaker& nodes_;
  SearchChannels channels_;
  KernelLimits limits_;
  NearUnits units_;
};

}  // namespace thriftree
