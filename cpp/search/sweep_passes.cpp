#include "search/sweep_passes.hpp"

#include <algorithm>

#include "search/booked_memory.hpp"

namespace thriftree {

namespace {

constexpr std::size_t kAhead = 24;  // rows

// A number that looks like chance, for every row another one; sums of them tell sets of rows apart.
std::uint64_t hash_of_row(std::uint64_t row) {
  row += 0x9e3779b97f4a7c15;
  row = (row ^ (row >> 30)) * 0xbf58476d1ce4e5b9;
  row = (row ^ (row >> 27)) * 0x94d049bb133111eb;
  return row ^ (row >> 31);
}

}  // namespace

std::int32_t leaf_for(const SweepTable& table, const SweepTree& tree, std::int32_t node, std::size_t row) {
  auto at = static_cast<std::size_t>(node);
  while (tree.column[at] >= 0) {
    const bool goes_left = table.rank(static_cast<std::size_t>(tree.column[at]), row) <= tree.cut[at];
    at = static_cast<std::size_t>(goes_left ? tree.left[at] : tree.right[at]);
  }
  return static_cast<std::int32_t>(at);
}

// Takes a tree in pre-order: finds each row's leaf, and gives each leaf its best label.
void Polisher::take(const SweepTree& tree) {
  tree_ = tree;
  route();
}

void Polisher::route() {
  const std::size_t n = tree_.size();
  const auto k = static_cast<std::size_t>(context_.table.n_classes);
  depth_.assign(n, 0), height_.assign(n, 0), end_.assign(n, 0), parent_.assign(n, -1);
  for (std::size_t i = 0; i < n; ++i) {
    if (tree_.column[i] < 0) continue;
    for (const std::int32_t child : {tree_.left[i], tree_.right[i]}) {
      depth_[static_cast<std::size_t>(child)] = depth_[i] + 1;
      parent_[static_cast<std::size_t>(child)] = static_cast<std::int32_t>(i);
    }
  }
  count_.assign(n, 0), weight_.assign(n, 0), costs_.assign(n, 0), label_costs_.assign(n * k, 0);
  hash_.assign(n, 0);
  leaf_of_row_.resize(rows_.size());
  for (std::size_t row = 0; row < rows_.size(); ++row) {
    const std::int32_t leaf = leaf_below(0, row);
    const auto at = static_cast<std::size_t>(leaf);
    leaf_of_row_[row] = leaf;
    ++count_[at];
    hash_[at] += hash_of_row(row);
    weight_[at] += rows_.weight_of(row);
    const std::int64_t* costs = context_.table.costs.data() + static_cast<std::size_t>(rows_.labels[row]) * k;
    for (std::size_t p = 0; p < k; ++p) label_costs_[at * k + p] += rows_.weight_of(row) * costs[p];
  }
  for (std::size_t i = n; i-- > 0;) {
    if (tree_.column[i] < 0) {
      const std::int64_t* costs = label_costs_.data() + i * k;
      const SweepLeaf best = leaf_of({costs, k});
      // A label that is as good stays.
      if (costs[tree_.label[i]] != best.cost) tree_.label[i] = best.label;
      costs_[i] = best.cost;
      end_[i] = static_cast<std::int32_t>(i) + 1;
      continue;
    }
    const auto left = static_cast<std::size_t>(tree_.left[i]),
               right = static_cast<std::size_t>(tree_.right[i]);
    height_[i] = 1 + std::max(height_[left], height_[right]);
    end_[i] = end_[right];
    count_[i] = count_[left] + count_[right];
    hash_[i] = hash_[left] + hash_[right];
    weight_[i] = weight_[left] + weight_[right];
    for (std::size_t p = 0; p < k; ++p)
      label_costs_[i * k + p] = label_costs_[left * k + p] + label_costs_[right * k + p];
  }
}

std::int64_t Polisher::cost_below(std::int32_t node) const {
  return std::accumulate(costs_.begin() + node, costs_.begin() + end_[static_cast<std::size_t>(node)],
                         std::int64_t{0});
}

std::int32_t Polisher::leaves_below(std::int32_t node) const {
  return (end_[static_cast<std::size_t>(node)] - node + 1) / 2;
}

std::vector<std::int32_t> Polisher::nodes_at(std::int32_t depth) const {
  std::vector<std::int32_t> nodes;
  for (std::size_t i = 0; i < tree_.size(); ++i) {
    if (depth_[i] == depth && tree_.column[i] >= 0) nodes.push_back(static_cast<std::int32_t>(i));
  }
  return nodes;
}

// The subtree of a node, with the changed nodes in it replaced.
SweepTree Polisher::rebuilt(std::int32_t node, const std::vector<std::int32_t>& changed,
                            const std::vector<SweepTree>& made) const {
  const auto found = std::lower_bound(changed.begin(), changed.end(), node);
  if (found != changed.end() && *found == node)
    return made[static_cast<std::size_t>(found - changed.begin())];
  const auto at = static_cast<std::size_t>(node);
  if (tree_.column[at] < 0) return leaf_tree(tree_.label[at]);
  return joined(tree_.column[at], tree_.cut[at], rebuilt(tree_.left[at], changed, made),
                rebuilt(tree_.right[at], changed, made));
}

// A node with an empty side becomes the other one, and one with a leaf that is too small becomes a leaf.
void Polisher::merge_small_leaves() {
  for (;;) {
    std::vector<std::int32_t> changed;
    std::vector<SweepTree> made;
    for (std::int32_t i = 0; i < static_cast<std::int32_t>(tree_.size()); ++i) {
      const auto at = static_cast<std::size_t>(i);
      if (tree_.column[at] < 0) continue;
      const auto left = static_cast<std::size_t>(tree_.left[at]),
                 right = static_cast<std::size_t>(tree_.right[at]);
      const auto is_small = [&](std::size_t child) {
        return tree_.column[child] < 0 &&
               !is_large_enough(context_.options, static_cast<std::size_t>(count_[child]), weight_[child]);
      };
      if (count_[left] == 0 || count_[right] == 0) {
        made.push_back(subtree(tree_, count_[left] == 0 ? tree_.right[at] : tree_.left[at]));
      } else if (is_small(left) || is_small(right)) {
        made.push_back(leaf_tree(0));
      } else {
        continue;
      }
      changed.push_back(i);
      i = end_[at] - 1;
    }
    if (changed.empty()) return;
    take(rebuilt(0, changed, made));
  }
}

std::size_t Polisher::bytes_of_renewal(std::int64_t n_rows) const {
  return DepthTwoSearch::bytes(context_, static_cast<std::size_t>(n_rows), team_.size());
}

bool Polisher::is_renewed_whole(std::int32_t node) const {
  const auto at = static_cast<std::size_t>(node);
  const auto columns = static_cast<std::int64_t>(rows_.columns.size());
  if (bytes_of_renewal(count_[at]) > BookedMemory(control_).room()) return false;
  if (height_[at] == 1) return true;
  return polish_.depth_two && height_[at] == 2 && columns * columns <= polish_.depth_two_work / count_[at];
}

// Bottom subtrees as a whole: the best of their depth and leaves, by a search of all thresholds.
bool Polisher::renew_subtrees(const std::vector<std::int32_t>& nodes) {
  std::vector<std::int32_t> changed;
  std::vector<SweepTree> made;
  std::vector<std::uint8_t> part_of(rows_.size());
  std::vector<SweepRows> parts;
  std::int64_t most = 0;
  for (const std::int32_t node : nodes) most = std::max(most, count_[static_cast<std::size_t>(node)]);
  BookedMemory booked(control_);
  booked.take(bytes_of_renewal(most), "the polish of subtrees");
  DepthTwoSearch search(context_);
  const std::function<void()> poll = [this] { control_.poll_or_throw(); };
  for (std::size_t begin = 0; begin < nodes.size(); begin += kNoPart) {
    const std::size_t end = std::min(nodes.size(), begin + kNoPart);
    for (std::size_t row = 0; row < rows_.size(); ++row) {
      const auto after =
          std::upper_bound(nodes.begin() + static_cast<std::ptrdiff_t>(begin),
                           nodes.begin() + static_cast<std::ptrdiff_t>(end), leaf_of_row_[row]);
      const auto at = static_cast<std::size_t>(after - nodes.begin());
      const bool is_in = at > begin && leaf_of_row_[row] < end_[static_cast<std::size_t>(nodes[at - 1])];
      part_of[row] = is_in ? static_cast<std::uint8_t>(at - 1 - begin) : kNoPart;
    }
    parts.resize(end - begin);
    divide(context_.table, rows_, part_of, parts);
    for (std::size_t i = begin; i < end; ++i) {
      const std::int32_t node = nodes[i], leaves = leaves_below(node);
      const std::int64_t now = cost_below(node);
      SweepLimits limits;
      limits.fill(-1);
      for (std::int32_t fewer = 1; fewer <= leaves; ++fewer)
        limits[static_cast<std::size_t>(fewer)] =
            now + context_.penalty.whole(leaves - fewer) - (fewer == leaves ? 1 : 0);
      if (height_[static_cast<std::size_t>(node)] < 2) limits[3] = limits[4] = -1;
      search.start(parts[i - begin], limits, false, &team_);
      while (search.step(team_.size() > 1 ? &team_ : nullptr, poll)) {
      }
      const auto at = static_cast<std::size_t>(node);
      settled_.emplace(hash_[at], leaves, height_[at]);
      const int best = search.best_leaves();
      if (best == 0) continue;
      settled_.emplace(hash_[at], best, best > 2 ? 2 : best - 1);
      changed.push_back(node);
      made.push_back(tree_of(context_, parts[i - begin], best, search.found(best)));
    }
  }
  if (changed.empty()) return false;
  take(rebuilt(0, changed, made));
  return true;
}

// Where all rows go right: what the nodes cost, what their leaves have, and how many of these are too small.
Polisher::Start Polisher::start_of(const std::vector<std::int32_t>& nodes) {
  const std::size_t n = rows_.size();
  Start start{std::vector<std::int64_t>(nodes.size(), 0), std::vector<std::int64_t>(nodes.size(), 0),
              std::vector<LeafSize>(tree_.size()), std::vector<std::int32_t>(nodes.size(), 0)};
  moves_.assign(n, {});
  for (std::size_t row = 0; row < n; ++row) {
    const auto after = std::upper_bound(nodes.begin(), nodes.end(), leaf_of_row_[row]);
    if (after == nodes.begin()) continue;
    const auto node = static_cast<std::size_t>(*(after - 1));
    if (leaf_of_row_[row] >= end_[node]) continue;
    const auto index = static_cast<std::size_t>(after - 1 - nodes.begin());
    const std::int32_t left = leaf_below(tree_.left[node], row), right = leaf_below(tree_.right[node], row);
    const auto cost_in = [&](std::int32_t leaf) {
      return rows_.weight_of(row) *
             context_.table.cost(rows_.labels[row], tree_.label[static_cast<std::size_t>(leaf)]);
    };
    start.all_left[index] += cost_in(left);
    start.all_right[index] += cost_in(right);
    moves_[row] = {static_cast<std::int32_t>(index), left, right, cost_in(left) - cost_in(right)};
    LeafSize& size = start.sizes[static_cast<std::size_t>(right)];
    ++size.count, size.weight += rows_.weight_of(row);
  }
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    for (std::int32_t node = nodes[i]; node < end_[static_cast<std::size_t>(nodes[i])]; ++node) {
      const auto at = static_cast<std::size_t>(node);
      if (tree_.column[at] < 0 && is_small(start.sizes[at])) ++start.too_small[i];
    }
  }
  return start;
}

// For every node the test of this column that is best for the subtrees that the node has. Rows move from
// right to left in the column's order; leaves that become too small or empty rule a cut out.
void Polisher::scan_column(std::size_t c, const Start& start, std::vector<SweepTest>& best) const {
  const std::int32_t column = rows_.columns[c];
  struct Walk {
    std::int64_t cost;
    std::uint32_t rank, last_row;  // of the row before; the rank counts from 1
    std::int32_t too_small;
  };
  std::vector<LeafSize> sizes = start.sizes;
  std::vector<Walk> walks;
  for (std::size_t i = 0; i < best.size(); ++i)
    walks.push_back({start.all_right[i], 0, 0, start.too_small[i]});
  std::uint32_t rank = 1;
  const auto order = rows_.order(c);
  for (std::size_t at = 0; at < order.size(); ++at) {
    // Rows are all over memory; what a later step reads is on its way.
    __builtin_prefetch(&moves_[order[std::min(at + kAhead, order.size() - 1)] & kRowMask]);
    const std::uint32_t entry = order[at], row = entry & kRowMask;
    const Move& move = moves_[row];
    if (move.node >= 0) {
      Walk& walk = walks[static_cast<std::size_t>(move.node)];
      SweepTest& found = best[static_cast<std::size_t>(move.node)];
      if (walk.rank != rank && walk.rank > 0 && walk.too_small == 0 && walk.cost < found.cost)
        found = {walk.cost, column, context_.table.rank(static_cast<std::size_t>(column), walk.last_row)};
      walk.rank = rank, walk.last_row = row, walk.cost += move.gain;
      LeafSize &left = sizes[static_cast<std::size_t>(move.left_leaf)],
               &right = sizes[static_cast<std::size_t>(move.right_leaf)];
      const int before = is_small(left) + is_small(right);
      ++left.count, --right.count;
      left.weight += rows_.weight_of(row), right.weight -= rows_.weight_of(row);
      walk.too_small += is_small(left) + is_small(right) - before;
    }
    rank += entry >> 31;
  }
}

// What becomes of a node: another test, one of its sides, or a leaf; if that is better.
bool Polisher::decide(std::int32_t node, const SweepTest& test, std::int64_t all_left, std::int64_t all_right,
                      SweepTree& made) const {
  const auto at = static_cast<std::size_t>(node);
  const auto k = static_cast<std::size_t>(context_.table.n_classes);
  std::int64_t cost = cost_below(node);
  std::int32_t leaves = leaves_below(node);
  bool is_changed = false;
  const auto consider = [&](std::int64_t new_cost, std::int32_t new_leaves, auto&& make) {
    const int order = context_.penalty.compare(new_cost, new_leaves, cost, leaves);
    if (order > 0 || (order == 0 && new_leaves >= leaves)) return;
    cost = new_cost, leaves = new_leaves, is_changed = true;
    made = make();
  };
  const SweepLeaf leaf = leaf_of({label_costs_.data() + at * k, k});
  consider(leaf.cost, 1, [&] { return leaf_tree(leaf.label); });
  consider(all_left, leaves_below(tree_.left[at]), [&] { return subtree(tree_, tree_.left[at]); });
  consider(all_right, leaves_below(tree_.right[at]), [&] { return subtree(tree_, tree_.right[at]); });
  if (test.cost < kNoSweep) {
    consider(test.cost, leaves_below(node), [&] {
      return joined(test.column, test.cut, subtree(tree_, tree_.left[at]), subtree(tree_, tree_.right[at]));
    });
  }
  return is_changed;
}

bool Polisher::renew_tests(const std::vector<std::int32_t>& nodes) {
  const Start start = start_of(nodes);
  std::vector<std::vector<SweepTest>> by_column(rows_.columns.size(), std::vector<SweepTest>(nodes.size()));
  team_.run(by_column.size(), [&](std::size_t c, int) { scan_column(c, start, by_column[c]); });
  std::vector<std::int32_t> changed;
  std::vector<SweepTree> made;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    SweepTest best;
    for (const auto& found : by_column) {
      if (found[i].cost < best.cost) best = found[i];
    }
    SweepTree tree;
    if (!decide(nodes[i], best, start.all_left[i], start.all_right[i], tree)) continue;
    changed.push_back(nodes[i]);
    made.push_back(std::move(tree));
  }
  if (changed.empty()) return false;
  take(rebuilt(0, changed, made));
  return true;
}

bool Polisher::pass(const std::function<void()>& on_change) {
  bool is_changed = false;
  const std::int32_t deepest = *std::max_element(depth_.begin(), depth_.end());
  for (std::int32_t depth = deepest; depth >= 0; --depth) {
    control_.poll_or_throw();
    // Renewing one kind may change the other's nodes: each kind is looked up when its turn comes.
    std::vector<std::int32_t> whole = nodes_at(depth);
    std::erase_if(whole, [this](std::int32_t node) {
      const auto at = static_cast<std::size_t>(node);
      // What its parent is renewed with has its turn there: before, it could only lose leaves.
      const bool is_within = parent_[at] >= 0 && is_renewed_whole(parent_[at]);
      return !is_renewed_whole(node) || is_within ||
             settled_.contains({hash_[at], leaves_below(node), height_[at]});
    });
    const bool are_renewed = !whole.empty() && renew_subtrees(whole);
    if (are_renewed) on_change();
    std::vector<std::int32_t> single = nodes_at(depth);
    std::erase_if(single, [this](std::int32_t node) { return is_renewed_whole(node); });
    const bool are_retested = !single.empty() && renew_tests(single);
    if (are_retested) on_change();
    is_changed |= are_renewed || are_retested;
  }
  return is_changed;
}

void Polisher::run(const std::function<void()>& on_change) {
  on_change();
  for (int i = 0; i < polish_.max_passes && pass(on_change); ++i) {
  }
}

}  // namespace thriftree
