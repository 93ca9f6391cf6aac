// From a node's sums to a test.
#pragma once

#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "price/price.hpp"
#include "rows/row_store.hpp"

namespace thriftree {

// A node as a chooser sees it.
struct NodeContext {
  int node = 0;
  int depth = 0;
  const NodeTotals* totals = nullptr;
  ColumnList columns;          // columns that may still vary here
  std::vector<PathStep> path;  // root first; empty where the chooser does not ask for it
};

// A chooser's answer: a choice or none, and the columns that were found constant here (they stay so below).
struct Chosen {
  std::optional<Choice> choice;
  std::vector<std::uint32_t> constant;
};

class Chooser {
 public:
  virtual ~Chooser() = default;
  virtual bool needs_path() const { return true; }
  // False where no test of the node is allowed, whatever its columns are: such a node need not be counted.
  virtual bool may_choose(const NodeTotals&) const { return true; }
  // One answer per node. All nodes have been counted.
  virtual std::vector<Chosen> choose(std::span<const NodeContext> nodes, RowStore& store, Team& team) = 0;
};

// Less than every score.
inline constexpr double kNoScore = -std::numeric_limits<double>::infinity();

// 1e-12 relative: closer scores are ties, and the earlier candidate stays.
inline bool clearly_better(double score, double incumbent) {
  const double margin = 1e-12 * (incumbent < 0 ? -incumbent : incumbent);
  return score > incumbent + margin;
}

}  // namespace thriftree
