// A tree being grown, and who decides how: the grower.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "choose/chooser.hpp"

namespace thriftree {

enum class NodeState : std::uint8_t {
  open,    // has a choice and may be split
  split,   // has children
  closed,  // a leaf for good
};

struct GrowthNode {
  int parent = -1;
  std::int32_t branch = 0;
  int depth = 0;
  NodeState state = NodeState::open;
  NodeTotals totals;
  double impurity = 0;
  std::optional<Choice> choice;  // the best test here; kept after the split
  ColumnList columns;            // columns that may still vary below
  std::vector<int> children;     // in branch order
  // The children that it would have, looked at before it is split: in `nodes`, but not yet in the tree.
  std::vector<int> ahead;
  int born = 0;         // when it came into the tree, among all nodes; breaks ties
  int remembered = -1;  // its number in a ChoiceMemory, where another tree may come to it
};

// Everything a grower may look at.
struct Growth {
  std::vector<GrowthNode> nodes;  // node 0 is the root; children come after their parent
  int n_born = 0;                 // nodes that came into the tree
  int n_leaves = 1;               // leaves of the tree as it stands
  double total = 0;               // growth weight of the root of the whole tree
  double sample_total = 0;        // and its sample weight

  // The default priority of a split: its share of the weight times its decrease.
  double priority(int node) const { return priority(nodes[static_cast<std::size_t>(node)]); }
  double priority(const GrowthNode& node) const {
    return node.choice ? node.totals.total / total * node.choice->decrease : 0;
  }
  // What the children of an open node would hold if it were split by its choice; no row moves.
  std::function<std::vector<NodeTotals>(int node)> peek;
};

class Grower {
 public:
  virtual ~Grower() = default;
  // These nodes have just got a choice.
  virtual void opened(const Growth& growth, std::span<const int> nodes) { (void)growth, (void)nodes; }
  // The open nodes to split next; none ends the growth. Whatever stays open is a leaf of the finished tree.
  virtual std::vector<int> select(const Growth& growth) = 0;
  // Open nodes that may be selected soon, beside `selected`, which will be: a store that wants large batches
  // gets them all at once. Nothing depends on the answer but how often rows are counted.
  virtual std::vector<int> soon(const Growth& growth, std::span<const int> selected) const {
    (void)growth, (void)selected;
    return {};
  }
  // After a split: nodes whose whole subtree is to become a leaf again.
  virtual std::vector<int> collapse(const Growth& growth, std::span<const int> just_split) {
    (void)growth, (void)just_split;
    return {};
  }
};

// Splits every open node, level by level, a batch of about so many rows at a time. So a growth that is cut
// off at a limit has all levels but the deepest: no node is split while one of an earlier level waits, but in
// the same batch.
class ByLevel final : public Grower {
 public:
  explicit ByLevel(std::int64_t rows_per_batch) : rows_per_batch_(rows_per_batch) {}
  void opened(const Growth& growth, std::span<const int> nodes) override;
  std::vector<int> select(const Growth& growth) override;

 private:
  std::int64_t rows_per_batch_;
  std::deque<int> queue_;
};

// Splits the open node of the highest priority, ties to the older, until there are max_leaves. A split that
// would pass max_leaves is skipped.
class BestFirst final : public Grower {
 public:
  explicit BestFirst(int max_leaves) : max_leaves_(max_leaves) {}
  void opened(const Growth& growth, std::span<const int> nodes) override;
  std::vector<int> select(const Growth& growth) override;
  // A leaf is passed over only by better ones, and each of those takes its share of the leaves that are left:
  // what cannot have its turn while nothing better turns up never has.
  std::vector<int> soon(const Growth& growth, std::span<const int> selected) const override;

 private:
  struct Candidate {
    double priority;
    int born, node;
    bool operator<(const Candidate& other) const {
      if (priority != other.priority) return priority < other.priority;
      return born != other.born ? born > other.born : node > other.node;
    }
  };
  static void push(const Growth& growth, int node, std::vector<Candidate>& heap);
  static int pop(std::vector<Candidate>& heap);

  int max_leaves_;
  std::vector<Candidate> heap_;
};

}  // namespace thriftree
