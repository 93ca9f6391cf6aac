#include "search/near_grower.hpp"

#include <algorithm>
#include <bit>

namespace thriftree {

namespace {

constexpr std::size_t kBookedAtOnce = std::size_t{1} << 18;

}  // namespace

void NearGrower::add_root(SearchValue most) {
  NearNode root;
  for (const NodeSegment& segment : rows_.root.segments) root.n_entries += segment.n_entries;
  root.shape = TreeBudget::of(rows_.options.max_depth.value_or(kAnyDepth),
                              rows_.options.max_leaves.value_or(kAnyLeaves));
  root.most = most;
  root.leaf = rows_.last_levels.leaf(rows_.root);
  root.leaf.allowed = true;  // there is always a tree of one leaf
  nodes_.push_back(std::move(root));
  open_.push_back(0);
}

NearGraph NearGrower::grow(SearchValue most, Team& team) {
  add_root(most);
  const auto fewer = [this](std::uint32_t a, std::uint32_t b) {
    return nodes_[a].n_entries != nodes_[b].n_entries ? nodes_[a].n_entries < nodes_[b].n_entries : a > b;
  };
  std::vector<std::uint32_t> order, last;
  while (!open_.empty()) {
    std::pop_heap(open_.begin(), open_.end(), fewer);
    const std::uint32_t node = open_.back();
    open_.pop_back();
    const std::size_t before = open_.size();
    expand(node);
    for (std::size_t i = before + 1; i <= open_.size(); ++i)
      std::push_heap(open_.begin(), open_.begin() + static_cast<std::ptrdiff_t>(i), fewer);
    (nodes_[node].is_last ? last : order).push_back(node);
  }
  const std::size_t most_bytes = room(0).most_bytes / static_cast<std::size_t>(team.size());
  team.run(last.size(), [&](std::size_t i, int worker) {
    nodes_[last[i]].histogram = last_histogram(last[i], {most_bytes, control_.poll_on(worker)});
  });
  for (std::uint32_t node : last) book(nodes_[node].histogram.bytes());
  for (std::size_t i = order.size(); i-- > 0;) {
    control_.poll_or_throw();
    NearNode& node = nodes_[order[i]];
    node.histogram = histogram_of(node);
    book(node.histogram.bytes());
  }
  booked_ = 0;
  return std::move(graph_);
}

HistogramRoom NearGrower::room(int worker) const {
  return {control_.memory_limit_bytes - control_.used_bytes(), control_.poll_on(worker)};
}

void NearGrower::book(std::size_t bytes) {
  unbooked_ += bytes;
  if (unbooked_ < kBookedAtOnce) return;
  control_.reserve(unbooked_, "the set of nearly best trees");
  booked_ += unbooked_;
  unbooked_ = 0;
}

void NearGrower::expand(std::uint32_t number) {
  control_.poll_or_throw();
  if (graph_.levels_left(nodes_[number]) <= kLastLevels) {
    nodes_[number].is_last = true;
    return;
  }
  const NodeBits rows = rows_.rows_of(nodes_, number);
  if (rows.n_columns() == 0) return;
  KernelAnswer looked;
  solver_.look(rows, nodes_[number].shape, looked);
  for (std::size_t c = 0; c < rows.n_columns(); ++c) {
    if (looked.side[2 * c][0] >= kNoCost || looked.side[2 * c + 1][0] >= kNoCost) continue;
    SearchValue best[2];
    if (solve_sides(rows, looked, c, nodes_[number], best))
      add_option(number, rows, c, looked.pay_of(c), best);
  }
  book(nodes_[number].options.size() * sizeof(NearOption));
}

bool NearGrower::solve_sides(const NodeBits& rows, const KernelAnswer& looked, std::size_t column,
                             const NearNode& node, SearchValue best[2]) {
  const int leaves = node.shape.any_leaves() ? kAnyLeaves : node.shape.leaves - 1;
  const bool exact = node.shape.depth <= looked.levels;
  const SearchValue most = node.most - rows_.solver_units.of_cost(looked.pay_of(column));
  for (int side = 0; side < 2; ++side) {
    best[side] = solver_.side_value(looked, column, side, std::min(leaves, 4));
    // Else a tree that the kernel did not look at has as many levels as it did, and so one leaf more.
    if (!exact) best[side] = std::min(best[side], (looked.levels + 1) * rows_.solver_units.leaf());
    best[side] = plain(best[side]);
  }
  if (best[0] + best[1] > most) return false;
  if (exact) return true;
  const TreeBudget below = TreeBudget::of(node.shape.depth_below(), leaves);
  for (const int side : {1, 0}) {
    const SearchValue target = most - best[1 - side] + (rows_.units.leaf > 0 ? 1 : rows_.units.unit);
    const SearchAnswer found = solver_.solve_child(rows, column, side, below, target);
    if (!found.exact) return false;
    best[side] = plain(found.value);
    if (best[0] + best[1] > most) return false;
  }
  return true;
}

void NearGrower::add_option(std::uint32_t node, const NodeBits& rows, std::size_t column, std::int64_t pay,
                            const SearchValue best[2]) {
  std::uint32_t ones = 0;
  for (std::uint32_t w = 0; w < rows.n_words; ++w)
    ones += static_cast<std::uint32_t>(std::popcount(rows.bits(column)[w]));
  const Hash128 first_hash = rows_.maker.child_hash(rows, column, 1);
  Hash128 second_hash = rows.hash;
  second_hash ^= first_hash;
  const SearchValue most = nodes_[node].most - rows_.solver_units.of_cost(pay);
  const std::uint32_t all = nodes_[node].n_entries;
  const std::uint32_t first = child(node, rows, column, 1, first_hash, ones, most - best[0]);
  const std::uint32_t second = child(node, rows, column, 0, second_hash, all - ones, most - best[1]);
  nodes_[node].options.push_back({rows.column[column], first, second, pay});
}

std::uint32_t NearGrower::child(std::uint32_t parent, const NodeBits& rows, std::size_t column, int side,
                                Hash128 hash, std::uint32_t n_entries, SearchValue most) {
  PaidPath paid;
  if (rows_.entries.prices) {
    paid = rows_.maker.child_paid(rows, column, side);
    hash ^= paid.hash();
  }
  const TreeBudget above = nodes_[parent].shape;
  const TreeBudget shape =
      TreeBudget::of(above.depth_below(), above.any_leaves() ? kAnyLeaves : above.leaves - 1);
  const auto [at, is_new] =
      known_.try_emplace(SearchCache::key(hash, shape), static_cast<std::uint32_t>(nodes_.size()));
  if (!is_new) {
    NearNode& node = nodes_[at->second];
    node.most = std::max(node.most, most);
    return at->second;
  }
  NearNode node;
  node.parent = static_cast<std::int32_t>(parent);
  node.column = rows.column[column];
  node.side = side;
  node.n_entries = n_entries;
  node.shape = shape;
  node.paid = std::move(paid);
  node.most = most;
  node.leaf = rows_.last_levels.side_leaf(rows, column, side);
  nodes_.push_back(std::move(node));
  open_.push_back(at->second);
  book(sizeof(NearNode) + 64);
  return at->second;
}

NearHistogram NearGrower::sum_of(const NearNode& node, const std::vector<NearPairs>& pairs,
                                 const HistogramRoom& room) const {
  std::int64_t least = node.leaf.key.cost;
  for (const NearPairs& one : pairs)
    least = std::min(least, one.first->least_cost() + one.second->least_cost() + one.pay.cost);
  HistogramSum sum(rows_.units, node.budget(), least, graph_.most_leaves(node), limbs_of(pairs), room);
  sum.add(node.leaf.key);
  for (const NearPairs& one : pairs) sum.add(one);
  return sum.made();
}

NearHistogram NearGrower::histogram_of(const NearNode& node) const {
  std::vector<NearPairs> all;
  for (const NearOption& option : node.options) {
    const NearPairs one = graph_.pairs(option);
    if (!one.first->keys.empty() && !one.second->keys.empty()) all.push_back(one);
  }
  return sum_of(node, all, room(0));
}

NearHistogram NearGrower::last_histogram(std::uint32_t number, const HistogramRoom& room) const {
  const NearNode& node = nodes_[number];
  const NearLastLevels levels =
      rows_.last_levels.open(rows_.rows_of(nodes_, number), graph_.levels_left(node), node.budget());
  std::vector<NearHistogram> sides;
  for (const NearLastOption& option : levels.options) {
    sides.push_back(option.first.histogram(rows_.units));
    sides.push_back(option.second.histogram(rows_.units));
  }
  std::vector<NearPairs> all;
  for (std::size_t i = 0; i < levels.options.size(); ++i)
    all.push_back(levels.options[i].pairs(sides[2 * i], sides[2 * i + 1]));
  return sum_of(node, all, room);
}

}  // namespace thriftree
