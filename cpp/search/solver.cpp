#include "search/solver.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "search/number_kernel.hpp"

namespace thriftree {

namespace {

// Blocks of 16 tests x 16 entries that a kernel counts, and what stands beside the counting: the sums of
// each pair and block are worth some twenty blocks a segment, making a node and its pairs some ten of each
// column.
std::int64_t kernel_work(const NodeBits& node, int levels) {
  const auto p = static_cast<std::int64_t>(node.n_columns()), chunks = std::int64_t{4} * node.n_words;
  const std::int64_t blocks = (p + 15) / 16;
  const std::int64_t pairs = 20'000 + p * (blocks + 10) * chunks;
  if (levels < 3) return pairs;
  return pairs + p * p / 4 * (blocks + 1) * (chunks + 20 * static_cast<std::int64_t>(node.segments.size()));
}

}  // namespace

int Solver::most_levels(const NodeBits& node) const {
  const int most = shared_.switches.triples ? 3 : 2;
  const SearchPrices* prices = shared_.nodes.prices();
  if (prices == nullptr) return most;
  if (shared_.nodes.is_pending(node)) return 0;
  if (prices->n_slots() == 0) return most;
  // What payers of a third test pay by outcome is not in the counts of pairs.
  for (const std::uint32_t feature : shared_.nodes.features(node)) {
    if (prices->charge(node.paid.bought, feature).slot >= 0) return 2;
  }
  return most;
}

void Solver::look(const NodeBits& node, TreeBudget budget, KernelAnswer& answer) {
  const int levels = std::min(budget.depth, most_levels(node));
  const bool of_numbers = shared_.nodes.channels().numbers != nullptr;
  // An answer that is kept counts as work, too: which trees are tried must not depend on what is kept.
  work += of_numbers ? number_kernel_work(node, levels) : kernel_work(node, levels);
  const bool worth_keeping = levels == 3 && shared_.switches.cache;
  if (const KernelAnswer* kept = worth_keeping ? kept_.find(node, levels) : nullptr) {
    answer = *kept;
  } else {
    ++(levels == 3 ? statistics.triple_kernels : statistics.pair_kernels);
    kernel_.run(node, levels, poll_, answer);
    if (worth_keeping) kept_.keep(node, levels, answer);
  }
  const SearchPrices* prices = shared_.nodes.prices();
  if (prices != nullptr)
    answer.everything =
        prices->everything(node.paid.bought, shared_.nodes.features(node), budget.depth).fixed;
}

SearchValue Solver::beyond(const KernelAnswer& answer) const {
  const auto cheapest = std::min_element(answer.pay.begin(), answer.pay.end());
  return (answer.levels + 2) * shared_.units.leaf() +
         (cheapest == answer.pay.end() ? 0 : shared_.units.of_cost(*cheapest));
}

SearchValue Solver::side_value(const KernelAnswer& answer, std::size_t column, int side, int leaves) const {
  SearchValue best = kNoTree;
  const auto& cost = answer.side[2 * column + static_cast<std::size_t>(side)];
  for (int k = 1; k <= std::min(leaves, 4); ++k)
    best = std::min(best, value_of(cost[static_cast<std::size_t>(k - 1)], k));
  return best;
}

SearchValue Solver::best_looked_at(const KernelAnswer& answer, TreeBudget budget) const {
  SearchValue best = leaf_value(answer.node_cost);
  const int most = budget.leaves;
  for (std::size_t c = 0; c < answer.side.size() / 2; ++c) {
    const SearchValue pay = shared_.units.of_cost(answer.pay_of(c));
    if (most >= 8) {
      best = std::min(best, pay + side_value(answer, c, 0, 4) + side_value(answer, c, 1, 4));
      continue;
    }
    for (int k = 1; k <= std::min(4, most - 1); ++k)
      best = std::min(best, pay + side_value(answer, c, 1, k) + side_value(answer, c, 0, most - k));
  }
  return best;
}

// Beyond the kernel's trees of three levels one side has three levels, and so four leaves: B3.
SearchValue Solver::bound_of(const RootOption& option, const KernelAnswer& answer) const {
  const SearchValue l0 = option.side[0], l1 = option.side[1],
                    four = (answer.levels + 1) * shared_.units.leaf();
  if (!option.order.empty()) return option.pay + 2 * shared_.units.leaf();
  if (!shared_.switches.one_side_four) return option.pay + l0 + l1;
  return option.pay + std::min(std::max(l0, four) + l1, l0 + std::max(l1, four));
}

std::vector<RootOption> Solver::options(const NodeBits& node, const KernelAnswer& answer) const {
  const SearchValue leaf = shared_.units.leaf();
  const auto& use = shared_.switches;
  std::vector<RootOption> made;
  for (std::size_t c = 0; c < node.n_columns(); ++c) {
    RootOption option;
    option.column = c;
    if (answer.side[2 * c][0] >= kNoCost || answer.side[2 * c + 1][0] >= kNoCost) continue;
    for (int side = 0; side < 2; ++side) {
      const SearchValue looked = side_value(answer, c, side, 4);
      option.guess += looked;
      // A side that is no tree of the kernel's has as many levels as it looked at, and so one leaf more.
      option.side[side] = use.after_kernel ? std::min(looked, (answer.levels + 1) * leaf) : leaf;
    }
    option.pay = shared_.units.of_cost(answer.pay_of(c));
    option.guess += option.pay;
    option.lower_bound = bound_of(option, answer);
    made.push_back(option);
  }
  if (answer.levels == 0) add_orders(node, made);
  // Of tests that promise the same, those that divide most evenly leave most to divide below.
  std::stable_sort(made.begin(), made.end(), [&](const RootOption& a, const RootOption& b) {
    return a.guess != b.guess ? a.guess < b.guess
                              : answer.smaller_base(a.column) > answer.smaller_base(b.column);
  });
  return made;
}

// An order holds any of the features that have to be ordered and still divide the node.
void Solver::add_orders(const NodeBits& node, std::vector<RootOption>& options) const {
  const NodeMaker& nodes = shared_.nodes;
  const SearchPrices& prices = *nodes.prices();
  std::vector<std::uint32_t> orderable = nodes.features(node);
  std::erase_if(orderable, [&](std::uint32_t feature) { return !prices.is_orderable(feature); });
  for (std::uint32_t set = 1; set < std::uint32_t{1} << orderable.size(); ++set) {
    RootOption option;
    std::int64_t pay = 0, of_budget = 0;
    bool places = false;  // immediate tests alone are no order
    for (std::size_t i = 0; i < orderable.size(); ++i) {
      if (!(set >> i & 1)) continue;
      option.order.push_back(orderable[i]);
      places |= prices.is_pending(node.paid.bought, orderable[i]);
    }
    if (!places) continue;
    PathState path = node.paid.bought;
    for (const Charge& charge : prices.order(path, option.order)) {
      pay += paid_for(node, nodes.channels(), charge);
      of_budget += charge.of_budget;
    }
    if (of_budget > node.paid.left) continue;
    option.pay = shared_.units.of_cost(pay);
    option.lower_bound = option.guess = option.pay + 2 * shared_.units.leaf();
    options.push_back(std::move(option));
  }
}

SearchAnswer Solver::solve_order(const NodeBits& node, RootOption& option, TreeBudget budget,
                                 SearchValue target) {
  return solve(shared_.nodes.ordered(node, option.order), budget, target);
}

bool Solver::is_known(const Hash128& rows, TreeBudget budget, SearchValue target, SearchAnswer& answer) {
  if (!shared_.switches.cache) return false;
  KnownValue known;
  if (shared_.cache.find(SearchCache::key(rows, budget), known) && (known.exact || known.value >= target)) {
    ++statistics.cache_hits;
    answer = {known.value, known.exact};
    return true;
  }
  if (known_slack_ == 0 || budget.depth == kAnyDepth) return false;
  // Trees of more levels are at least as good, so what bounds them bounds these.
  const int depth = known_slack_ == kAnyDepth ? kAnyDepth : budget.depth + known_slack_;
  if (!shared_.cache.find(SearchCache::key(rows, TreeBudget::of(depth, budget.leaves)), known)) return false;
  if (known.value < target) return false;
  answer = {known.value, false};
  return true;
}

SearchAnswer Solver::solve_child(const NodeBits& node, std::size_t column, int side, TreeBudget budget,
                                 SearchValue target) {
  SearchAnswer known;
  if (shared_.switches.cache && is_known(shared_.nodes.child_key(node, column, side), budget, target, known))
    return known;
  return solve(shared_.nodes.child(node, column, side), budget, target);
}

SearchValue Solver::known_bound(const NodeBits& node, std::size_t column, int side, TreeBudget budget) {
  if (!shared_.switches.cache) return 0;
  KnownValue known;
  const Hash128 rows = shared_.nodes.child_key(node, column, side);
  return shared_.cache.find(SearchCache::key(rows, budget), known) ? known.value : 0;
}

SearchAnswer Solver::solve(const NodeBits& node, TreeBudget budget, SearchValue target) {
  ++statistics.nodes;
  const auto& use = shared_.switches;
  const SearchValue leaf = shared_.units.leaf();
  const std::int64_t cost = leaf_cost(node, shared_.nodes.channels());
  const SearchValue as_leaf = leaf_value(cost);
  if (cost == 0 || budget.depth <= 0 || budget.leaves < 2 || node.n_columns() == 0) return {as_leaf, true};
  if (use.one_split) {
    if (as_leaf <= 2 * leaf) return {as_leaf, true};
    if (2 * leaf >= target) return {2 * leaf, false};
  }
  SearchAnswer found;
  if (is_known(node.key(), budget, target, found)) return found;
  poll_();
  KernelAnswer answer;
  look(node, budget, answer);
  found = branch(node, answer, budget, target);
  if (use.cache) shared_.cache.keep(SearchCache::key(node.key(), budget), {found.value, found.exact});
  return found;
}

SearchAnswer Solver::branch(const NodeBits& node, const KernelAnswer& answer, TreeBudget budget,
                            SearchValue target) {
  const auto& use = shared_.switches;
  const SearchValue leaf = shared_.units.leaf();
  SearchValue best = best_looked_at(answer, budget);
  if (budget.depth <= answer.levels) return {best, true};
  // A tree that the kernel did not look at has more levels, and so this many leaves.
  const SearchValue five = beyond(answer);
  if (use.after_kernel) {
    if (best <= five) return {best, true};
    if (five >= target) return {std::min(best, five), best < target};
  }
  if (use.leaf_budget) {
    const SearchValue most = (std::min(target, best) - 1) / leaf;  // leaves for which there is room
    if (most < answer.levels + 2) return {std::min(best, (most + 1) * leaf), best < target};
  }
  std::vector<RootOption> all = options(node, answer);
  SearchValue bound = kNoTree;  // of all options
  for (std::size_t i = 0; i < all.size(); ++i) {
    const SearchValue goal = std::min(best, target);
    RootOption& option = all[i];
    for (std::size_t j = 0; use.similarity && j < i && option.lower_bound < goal; ++j)
      compare(node, answer, budget, all[j], option);
    if (option.lower_bound < goal) {
      const SearchAnswer found = try_option(node, option, budget, goal);
      if (found.exact) best = std::min(best, found.value);
      option.lower_bound = std::max(option.lower_bound, found.value);
    }
    bound = std::min(bound, option.lower_bound);
  }
  if (best < target) return {best, true};
  return {std::min(best, bound), false};
}

void Solver::compare(const NodeBits& node, const KernelAnswer& answer, TreeBudget budget,
                     const RootOption& known, RootOption& other) const {
  if (!budget.any_leaves() || !(known.solved[0] || known.solved[1])) return;
  if (!known.order.empty() || !other.order.empty()) return;
  const NodeMaker& nodes = shared_.nodes;
  const bool limited = nodes.channels().rows >= 0 || nodes.channels().weight >= 0;
  const std::int64_t* base = answer.base.data();
  const std::int64_t both = nodes.shared_base(node, known.column, other.column);
  const bool priced = nodes.prices() != nullptr;
  if (priced && !may_compare(node, known.column, other.column)) return;
  const std::int64_t payers = priced ? nodes.shared_payers(node, known.column, other.column) : 0;
  const std::int64_t ones = base[2 * other.column + 1], known_ones = base[2 * known.column + 1];
  // [side of known][side of other]
  const std::int64_t shared_rows[2][2] = {{base[2 * other.column] - (known_ones - both), ones - both},
                                          {known_ones - both, both}};
  for (int q = 0; q < 2; ++q) {
    if (!known.solved[q]) continue;
    for (int r = 0; r < 2; ++r) {
      const std::int64_t moved = base[2 * known.column + static_cast<std::size_t>(q)] - shared_rows[q][r];
      const std::int64_t prices =
          priced ? price_of_moving(node, answer, {known.column, q}, {other.column, r}, payers) : 0;
      if (moved >= shared_.units.most_cost()) continue;  // what range allows may be far more than any cost
      const SearchValue bound = known.side[q] - shared_.units.of_cost(moved + prices);
      if (bound <= other.side[r]) continue;
      // Under limits of leaves a tree for fewer rows is one for more rows, and not the other way round.
      if (limited && !nodes.is_part(node, other.column, r, known.column, q)) continue;
      other.side[r] = bound;
    }
  }
  other.lower_bound = std::max(other.lower_bound, bound_of(other, answer));
}

// A tree for other rows must be one for these: a budget that binds may forbid that, unless it is the same
// feature that both sides have paid for.
bool Solver::may_compare(const NodeBits& node, std::size_t known, std::size_t other) const {
  const NodeMaker& nodes = shared_.nodes;
  return node.paid.left == kAnyPrice || nodes.feature(node, known) == nodes.feature(node, other);
}

std::int64_t Solver::price_of_moving(const NodeBits& node, const KernelAnswer& answer, Side known, Side other,
                                     std::int64_t both) const {
  const NodeMaker& nodes = shared_.nodes;
  const std::int64_t* payers = answer.payers.data();
  const std::int64_t ones = payers[2 * other.column + 1], known_ones = payers[2 * known.column + 1];
  const std::int64_t shared[2][2] = {{payers[2 * other.column] - (known_ones - both), ones - both},
                                     {known_ones - both, both}};
  const std::int64_t stay = shared[known.side][other.side];
  const std::int64_t moved = payers[2 * known.column + static_cast<std::size_t>(known.side)] - stay;
  // Those that moved may pay for everything, the others for what only the other path has paid for.
  const bool same = nodes.feature(node, known.column) == nodes.feature(node, other.column);
  const std::int64_t one = same ? 0 : answer.price[other.column];
  // No tree costs its payers more than the most of all.
  const double sum = static_cast<double>(moved) * static_cast<double>(answer.everything) +
                     static_cast<double>(stay) * static_cast<double>(one);
  const std::int64_t most = nodes.prices()->most();
  return sum < static_cast<double>(most) ? static_cast<std::int64_t>(std::ceil(sum)) : most;
}

SearchAnswer Solver::solve_pair(const NodeBits& node, RootOption& option, TreeBudget first, TreeBudget second,
                                bool only_pair, SearchValue target) {
  const TreeBudget budget[2] = {second, first};
  SearchValue lower[2] = {option.side[0], option.side[1]};
  bool exact[2] = {false, false}, bounded[2] = {false, false};
  if (shared_.switches.cache) {
    Hash128 rows[2] = {node.hash, shared_.nodes.child_hash(node, option.column, 1)};
    rows[0] ^= rows[1];
    for (int side = 0; side < 2 && shared_.nodes.prices() != nullptr; ++side)
      rows[side] ^= shared_.nodes.child_paid(node, option.column, side).hash();
    for (int side = 0; side < 2; ++side) {
      KnownValue known;
      if (!shared_.cache.find(SearchCache::key(rows[side], budget[side]), known)) continue;
      ++statistics.cache_hits;
      lower[side] = std::max(lower[side], known.value);
      exact[side] = known.exact;
      bounded[side] = true;
      if (only_pair) note_side(option, side, known.value);
    }
  }
  if (lower[0] + lower[1] >= target) return {lower[0] + lower[1], false};
  // The side of the higher bound first: it is the likelier to show that the option is in vain.
  const int begin = lower[1] >= lower[0] ? 1 : 0;
  std::optional<NodeBits> child[2];
  const auto make = [&](int side) {
    if (!child[side]) child[side] = shared_.nodes.child(node, option.column, side);
  };
  for (const int side : {begin, 1 - begin}) {
    if (bounded[side] || shared_.nodes.prices() == nullptr) continue;
    make(side);
    const SearchValue bound = rough_bound(*child[side], budget[side]);
    if (bound <= lower[side]) continue;
    lower[side] = bound;
    if (only_pair) note_side(option, side, bound);
    if (lower[0] + lower[1] >= target) return {lower[0] + lower[1], false};
  }
  for (const int side : {begin, 1 - begin}) {
    if (exact[side]) continue;
    const SearchValue rest = lower[1 - side];
    make(side);
    const SearchAnswer found = solve(*child[side], budget[side], target - rest);
    lower[side] = found.value;
    if (only_pair) note_side(option, side, found.value);
    if (found.value + rest >= target) return {found.value + rest, false};
  }
  return {lower[0] + lower[1], true};
}

SearchValue Solver::rough_bound(const NodeBits& node, TreeBudget budget) {
  if (!shared_.switches.rough || budget.depth != 3 || most_levels(node) != 3) return 0;
  // Those that a search has done with at once.
  const SearchValue as_leaf = leaf_value(leaf_cost(node, shared_.nodes.channels()));
  if (budget.leaves < 2 || node.n_columns() == 0 || as_leaf <= 2 * shared_.units.leaf()) return 0;
  KernelAnswer answer;
  if (!kernel_.bound(node, poll_, answer)) return 0;
  ++statistics.rough_kernels;
  work += kernel_work(node, 3);
  const SearchValue bound = best_looked_at(answer, budget);
  if (shared_.switches.cache) shared_.cache.keep(SearchCache::key(node.key(), budget), {bound, false});
  return bound;
}

void Solver::note_side(RootOption& option, int side, SearchValue value) {
  option.side[side] = std::max(option.side[side], value);
  option.solved[side] = true;
}

SearchAnswer Solver::try_option(const NodeBits& node, RootOption& option, TreeBudget budget,
                                SearchValue target) {
  const SearchAnswer found = option.order.empty() ? try_test(node, option, budget, target - option.pay)
                                                  : solve_order(node, option, budget, target - option.pay);
  return {found.value + option.pay, found.exact};
}

SearchAnswer Solver::try_test(const NodeBits& node, RootOption& option, TreeBudget budget,
                              SearchValue target) {
  const int depth = budget.depth_below();
  if (budget.any_leaves()) {
    const TreeBudget below = TreeBudget::of(depth, kAnyLeaves);
    return solve_pair(node, option, below, below, true, target);
  }
  const int most = TreeBudget::of(depth, kAnyLeaves).most_leaves();
  SearchAnswer best{kNoTree, false};
  for (int first = std::max(1, budget.leaves - most); first <= std::min(most, budget.leaves - 1); ++first) {
    const SearchAnswer found = solve_pair(node, option, TreeBudget::of(depth, first),
                                          TreeBudget::of(depth, budget.leaves - first), false, target);
    if (found.exact) {
      best = found;
      target = found.value;
    } else if (!best.exact) {
      best.value = std::min(best.value, found.value);
    }
  }
  return best;
}

}  // namespace thriftree
