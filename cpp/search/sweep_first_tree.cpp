#include "search/sweep_first_tree.hpp"

#include <limits>

#include "search/sweep_passes.hpp"

namespace thriftree {

namespace {

// The subtree below a node with its leaves split where that pays; `more` is how many leaves may be added.
SweepTree grown(const SweepContext& context, const SweepTree& tree, std::int32_t node,
                const std::vector<SweepRows>& parts, const std::vector<std::int32_t>& part_of_node,
                std::int64_t& more) {
  const auto at = static_cast<std::size_t>(node);
  if (tree.column[at] >= 0) {
    const SweepTree left = grown(context, tree, tree.left[at], parts, part_of_node, more);
    return joined(tree.column[at], tree.cut[at], left,
                  grown(context, tree, tree.right[at], parts, part_of_node, more));
  }
  const SweepRows& rows = parts[static_cast<std::size_t>(part_of_node[at])];
  SplitScan scan;
  scan_splits(context.table, rows, context.options, scan);
  const SweepLeaf leaf = leaf_of(rows.label_cost);
  if (more < 1 || scan.best.cost == kNoSweep || context.penalty.compare(scan.best.cost, 2, leaf.cost, 1) >= 0)
    return leaf_tree(leaf.label);
  --more;
  return tree_of(context, rows, 2, scan.best);
}

}  // namespace

FirstTree first_tree(const SweepContext& context, const SweepRows& rows, const SweepTree& tree,
                     Control& control, Team& team) {
  std::vector<std::int32_t> part_of_node(tree.size(), -1);
  std::uint8_t n_parts = 0;
  for (std::size_t i = 0; i < tree.size(); ++i) {
    if (tree.column[i] < 0) part_of_node[i] = n_parts++;
  }
  std::vector<std::uint8_t> part_of(rows.size());
  for (std::size_t row = 0; row < rows.size(); ++row)
    part_of[row] = static_cast<std::uint8_t>(
        part_of_node[static_cast<std::size_t>(leaf_for(context.table, tree, 0, row))]);
  std::vector<SweepRows> parts(n_parts);
  divide(context.table, rows, part_of, parts);
  std::int64_t more = context.options.max_leaves == 0 ? std::numeric_limits<std::int32_t>::max()
                                                      : context.options.max_leaves - tree.leaves();
  const PolishOptions polish;
  Polisher polisher(context, rows, grown(context, tree, 0, parts, part_of_node, more), polish, control, team);
  polisher.run([] {});
  return {polisher.tree(), polisher.cost()};
}

}  // namespace thriftree
