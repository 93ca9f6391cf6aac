// Several trees of the same rows that differ only in how tests are scored: a node that trees share is counted
// once, and what each of them chooses there is remembered.
#pragma once

#include <cstdint>
#include <vector>

#include "choose/chooser.hpp"

namespace thriftree {

// A chooser of several minds: variant v's answer is what a chooser of that variant alone would give.
class VariantChooser {
 public:
  virtual ~VariantChooser() = default;
  // For each node one answer per variant in variants[node]. All nodes have been counted.
  virtual std::vector<std::vector<Chosen>> choose_each(std::span<const NodeContext> nodes,
                                                       std::span<const std::vector<int>> variants,
                                                       RowStore& store, Team& team) = 0;
};

class ChoiceMemory {
 public:
  struct Node {
    NodeTotals totals;
    std::vector<int> variants;   // those whose trees come here
    bool leaf = false;           // for all of them
    std::vector<Chosen> chosen;  // one per variant, once the node has been counted
    struct Children {
      Partition partition;
      std::vector<int> nodes;
    };
    std::vector<Children> children;  // one entry per partition that some variant took

    bool counted() const { return !chosen.empty(); }
  };

  ChoiceMemory(VariantChooser& chooser, int n_variants);

  VariantChooser& chooser() { return chooser_; }
  Node& node(int id) { return nodes_[static_cast<std::size_t>(id)]; }
  int n_nodes() const { return static_cast<int>(nodes_.size()); }
  bool empty() const { return nodes_.empty(); }

  int add_root(const NodeTotals& totals);
  // The children of a node under a partition; null if no tree has taken it yet.
  const std::vector<int>* children(int id, const Partition& partition);
  const std::vector<int>& add_children(int id, const Partition& partition,
                                       const std::vector<NodeTotals>& totals);
  // Do several variants take this partition? What only one tree comes to need not be remembered.
  bool is_shared(int id, const Partition& partition) const;
  const Chosen& chosen(int id, int variant) const;

  // Does a variant's tree, as far as it is remembered, end at a node below this one that must be counted?
  bool needs_rows(int id, int variant);

  std::int64_t rows_counted = 0;      // rows of the nodes here each time they were counted,
  std::int64_t rows_of_unshared = 0;  // and of nodes that only one tree comes to, which are not here
  // Rows of the different nodes that some tree asks the sums of.
  std::int64_t rows_of_distinct_nodes() const;

 private:
  VariantChooser& chooser_;
  std::vector<int> all_;
  std::vector<Node> nodes_;
};

}  // namespace thriftree
