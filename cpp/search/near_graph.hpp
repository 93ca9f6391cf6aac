// All trees whose objective is at most a bound, as a graph that shares equal parts: a node is a set of rows
// with the levels left below it, and holds the tests that begin trees of the set and how many trees there are
// of each objective. With prices a node is also what its path has paid for, as far as it matters below.
// Which trees there are, docs/guide/near_optimal.md says.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "search/budget.hpp"
#include "search/entries.hpp"
#include "search/near_levels.hpp"

namespace thriftree {

struct NearOption {
  std::int32_t column;          // of SearchEntries::test
  std::uint32_t first, second;  // nodes of the rows that answer 1, 0
  std::int64_t pay = 0;         // what asking costs
};

struct NearNode {
  std::int32_t parent = -1;     // one of those that have it below; smaller than its own number
  std::int32_t column = -1;     // of SearchEntries::test, that the parent asks
  int side = 0;                 // the answer
  std::uint32_t n_entries = 0;  // fewer than of each node that has it below
  TreeBudget shape;             // levels and leaves at most
  PaidPath paid;                // what the path has paid for; nothing without prices
  SearchValue most = 0;         // the largest value that a tree of the set has here
  bool is_last = false;         // so few levels that they are made again when they are asked for
  NearLeaf leaf;
  std::vector<NearOption> options;  // by column
  NearHistogram histogram;

  NearBudget budget() const { return {most, shape.leaves}; }
};

// What all nodes share; it outlives them.
class NearRows {
 public:
  NearRows(const SearchProblem& problem, const SearchOptions& options, const std::function<void()>& poll);
  NearRows(const NearRows&) = delete;
  NearRows& operator=(const NearRows&) = delete;

  // The rows of a node of the graph.
  NodeBits rows_of(const std::vector<NearNode>& nodes, std::uint32_t node) const;

  const SearchOptions options;
  const SearchEntries entries;
  const std::int64_t most_leaves;  // of a tree within the limits
  const SearchUnits solver_units;
  const NearUnits units;
  const NodeMaker maker;
  const LastLevels last_levels;
  const NodeBits root;

 private:
  std::vector<std::int32_t> place_;  // in `root`, of each column of SearchEntries::test; -1: not there
};

class NearGraph {
 public:
  explicit NearGraph(const NearUnits& units) : units_(units) {}

  // The trees of an option, by objective; the histograms below must be there.
  NearPairs pairs(const NearOption& option) const;
  // What trees of the set have at most below the node.
  int levels_left(const NearNode& node) const;
  int most_leaves(const NearNode& node) const;
  std::size_t bytes() const;

  std::vector<NearNode> nodes;  // 0: the root

 private:
  NearUnits units_;
};

}  // namespace thriftree
