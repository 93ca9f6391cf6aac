#include "search/near_graph.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace thriftree {

namespace {

SearchOptions counting_rows(SearchOptions options) {
  options.count_rows = true;
  return options;
}

NearUnits near_units(const SearchUnits& units, const SearchOptions& options) {
  NearUnits made;
  made.unit = units.of_cost(1);
  made.leaf = options.leaf_penalty > 0 ? units.leaf() : 0;
  made.tracked = options.leaf_penalty > 0 || options.max_leaves.has_value();
  return made;
}

}  // namespace

NearRows::NearRows(const SearchProblem& problem, const SearchOptions& given,
                   const std::function<void()>& poll)
    : options(counting_rows(given)),
      entries(make_entries(problem, options, poll)),
      most_leaves(thriftree::most_leaves(problem, options)),
      solver_units(std::ldexp(options.leaf_penalty, entries.shift()), entries.most_cost, most_leaves),
      units(near_units(solver_units, options)),
      maker(entries, true, 0, true),
      last_levels(maker, {options.min_leaf, options.min_leaf_weight}, units),
      root(maker.root()),
      place_(entries.test.size(), -1) {
  for (std::size_t c = 0; c < root.n_columns(); ++c)
    place_[static_cast<std::size_t>(root.column[c])] = static_cast<std::int32_t>(c);
}

NodeBits NearRows::rows_of(const std::vector<NearNode>& nodes, std::uint32_t node) const {
  if (nodes[node].parent < 0) return root;
  std::vector<std::uint64_t> mask(root.n_words);
  for (const NodeSegment& segment : root.segments) {
    for (std::uint32_t i = 0; i < segment.n_entries; i += 64)
      mask[segment.first_word + i / 64] =
          segment.n_entries - i < 64 ? (std::uint64_t{1} << (segment.n_entries - i)) - 1 : ~std::uint64_t{0};
  }
  for (const NearNode* at = &nodes[node]; at->parent >= 0;
       at = &nodes[static_cast<std::size_t>(at->parent)]) {
    const std::uint64_t* bits =
        root.bits(static_cast<std::size_t>(place_[static_cast<std::size_t>(at->column)]));
    const std::uint64_t flip = at->side == 1 ? 0 : ~std::uint64_t{0};
    for (std::uint32_t w = 0; w < root.n_words; ++w) mask[w] &= bits[w] ^ flip;
  }
  NodeBits made = maker.part(root, mask);
  if (entries.prices) maker.take_paid(made, nodes[node].paid);
  return made;
}

int NearGraph::most_leaves(const NearNode& node) const {
  std::int64_t most = std::min<std::int64_t>(node.shape.most_leaves(), node.n_entries);
  if (units_.leaf > 0) most = std::min(most, node.most / units_.leaf);
  return static_cast<int>(most);
}

int NearGraph::levels_left(const NearNode& node) const {
  return std::min(node.shape.depth, std::max(0, most_leaves(node) - 1));
}

NearPairs NearGraph::pairs(const NearOption& option) const {
  const NearNode &first = nodes[option.first], &second = nodes[option.second];
  return pairs_of(first.leaf, second.leaf, first.histogram, second.histogram, {option.pay, 0});
}

std::size_t NearGraph::bytes() const {
  std::size_t sum = 0;
  for (const NearNode& node : nodes)
    sum += sizeof(NearNode) + node.options.capacity() * sizeof(NearOption) + node.histogram.bytes();
  return sum;
}

}  // namespace thriftree
