// The trees of a graph by their rank: 0 is the best. Trees rise by objective, then (where leaves are counted)
// by leaves; of equal ones a leaf comes before tests, then the smaller test by (feature, test), then the
// first branch of less objective, then the first branch's tree, then the second's.
#pragma once

#include <list>
#include <unordered_map>
#include <vector>

#include "search/near_graph.hpp"

namespace thriftree {

struct NearTree {
  std::vector<std::int32_t> test;  // of the problem, pre-order; -1 at leaves
  NearKey key;
};

class NearTrees {
 public:
  NearTrees(const NearRows& rows, const NearGraph& graph) : rows_(rows), graph_(graph) {}

  const NearHistogram& histogram() const { return graph_.nodes[0].histogram; }
  Natural count() const;
  // The tests of the problem that trees of the set ask, rising; `poll` is called every few milliseconds.
  std::vector<std::int32_t> tests_asked(const std::function<void()>& poll) const;
  // `rank` must be below the count.
  NearTree tree(Natural rank);

 private:
  // One of the trees of an option: which of those that its two sides have.
  struct Chosen {
    std::size_t option;
    NearKey first, second;
    Natural first_rank, second_rank;
  };
  // A node whose last levels are made.
  struct Opened {
    NearLastLevels levels;
    std::vector<NearHistogram> sides;  // [option * 2]: first, second
    std::size_t bytes = 0;
    std::list<std::uint32_t>::iterator used;
  };

  void write(std::uint32_t node, NearKey key, Natural rank, NearTree& tree);
  void write_side(const NearSide& side, NearKey key, Natural rank, NearTree& tree) const;
  Chosen choose(const std::vector<NearPairs>& options, NearKey key, Natural rank) const;
  const Opened& opened(std::uint32_t node);
  void write_test(std::int32_t column, NearTree& tree) const {
    tree.test.push_back(column < 0 ? -1 : rows_.entries.test[static_cast<std::size_t>(column)]);
  }

  const NearRows& rows_;
  const NearGraph& graph_;
  std::unordered_map<std::uint32_t, Opened> opened_;
  std::list<std::uint32_t> recent_;  // of `opened_`, the last used first
  std::size_t opened_bytes_ = 0;
};

}  // namespace thriftree
