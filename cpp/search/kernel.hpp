// The best subtrees of one and two levels on both sides of every test of a node, from counts of pairs and
// triples of tests: no child is built.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <vector>

#include "search/entries.hpp"
#include "search/node_bits.hpp"

namespace thriftree {

constexpr std::int64_t kNoCost =
    std::numeric_limits<std::int64_t>::max() / 8;  // no such tree: min_leaf forbids it

// What a kernel found out about a node.
struct KernelAnswer {
  int levels = 0;              // how deep the trees are that it has looked at: 1, 2 or 3; 0 beside orders
  std::int64_t node_cost = 0;  // as a leaf
  // The least cost of the rows of column c that answer `side`, with exactly 1, .. 4 leaves and at most
  // levels - 1 levels: [c * 2 + side][leaves - 1]. What is not looked at or not allowed costs kNoCost.
  std::vector<std::array<std::int64_t, 4>> side;
  std::vector<std::int64_t> base;  // [c * 2 + side]: what the rows there could cost at most
  // With prices; else empty. Costs of sides have the prices of the tests below.
  std::vector<std::int64_t> pay;     // [c]: what asking for column c costs the node's payers
  std::vector<std::int64_t> payers;  // [c * 2 + side]: how many pay there
  std::vector<std::int64_t> price;   // [c]: what a payer pays for column c at most
  std::int64_t everything = 0;       // what a payer can pay in all

  std::int64_t pay_of(std::size_t c) const { return pay.empty() ? 0 : pay[c]; }
  std::int64_t smaller_base(std::size_t c) const { return std::min(base[2 * c], base[2 * c + 1]); }
};

struct KernelLimits {
  std::int64_t min_leaf = 1, min_leaf_weight = 0;
};

struct KernelScratch;
class NumberKernel;

class Kernel {
 public:
  Kernel(const NodeMaker& nodes, KernelLimits limits);
  ~Kernel();

  // `poll` is called every few milliseconds and may throw.
  void run(const NodeBits& node, int levels, const std::function<void()>& poll, KernelAnswer& answer);

  // Lower bounds in place of costs, which take far less time to find; three levels. False: no such bounds.
  bool bound(const NodeBits& node, const std::function<void()>& poll, KernelAnswer& answer);

 private:
  void begin(const NodeBits& node, int levels, KernelAnswer& answer) const;
  void charge(const NodeBits& node, KernelAnswer& answer) const;

  const NodeMaker& nodes_;
  SearchChannels channels_;
  KernelLimits limits_;
  std::unique_ptr<KernelScratch> scratch_;
  std::unique_ptr<NumberKernel> of_numbers_;  // null: classes
};

// What payers of the node pay for a charge.
std::int64_t paid_for(const NodeBits& node, const SearchChannels& channels, const Charge& charge);

// The cost of the node as a leaf.
std::int64_t leaf_cost(const NodeBits& node, const SearchChannels& channels);

}  // namespace thriftree
