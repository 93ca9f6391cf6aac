#include "search/near_trees.hpp"

#include <algorithm>
#include <stdexcept>

#include "run/control.hpp"

namespace thriftree {

namespace {

constexpr std::size_t kMostOpenedBytes = std::size_t{8} << 20;

// Whether the rank is the leaf's; else it is less by one where a leaf of this key comes first.
bool is_leaf(const NearLeaf& leaf, NearKey key, Natural& rank) {
  if (!leaf.allowed || !(leaf.key == key)) return false;
  if (is_zero(rank)) return true;
  const Limb one = 1;
  subtract(rank, &one, 1);
  return false;
}

}  // namespace

Natural NearTrees::count() const {
  const NearHistogram& all = histogram();
  Natural sum(all.limbs + 1);
  for (std::size_t i = 0; i < all.keys.size(); ++i)
    add_limbs(sum.data(), sum.size(), all.count(i), all.limbs);
  return sum;
}

std::vector<std::int32_t> NearTrees::tests_asked(const std::function<void()>& poll) const {
  std::vector<bool> asked(rows_.entries.test.size());
  const auto note = [&asked](std::int32_t column) { asked[static_cast<std::size_t>(column)] = true; };
  for (std::uint32_t number = 0; number < graph_.nodes.size(); ++number) {
    const NearNode& node = graph_.nodes[number];
    if (node.histogram.keys.empty()) continue;  // in no tree of the set
    for (const NearOption& option : node.options) note(option.column);
    if (!node.is_last) continue;
    poll();
    const NearLastLevels levels =
        rows_.last_levels.open(rows_.rows_of(graph_.nodes, number), graph_.levels_left(node), node.budget());
    for (const NearLastOption& option : levels.options) {
      note(option.column);
      for (const NearSide* side : {&option.first, &option.second}) {
        for (const NearSide::Split& split : side->splits) note(split.column);
      }
    }
  }
  std::vector<std::int32_t> made;
  for (std::size_t c = 0; c < asked.size(); ++c) {
    if (asked[c]) made.push_back(rows_.entries.test[c]);
  }
  std::sort(made.begin(), made.end());
  return made;
}

NearTree NearTrees::tree(Natural rank) {
  const NearHistogram& all = histogram();
  for (std::size_t i = 0; i < all.keys.size(); ++i) {
    if (is_less(rank.data(), rank.size(), all.count(i), all.limbs)) {
      NearTree tree;
      tree.key = all.keys[i];
      write(0, tree.key, std::move(rank), tree);
      return tree;
    }
    subtract(rank, all.count(i), all.limbs);
  }
  throw BadInput("there are fewer trees: ranks begin with 0 and end before count()");
}

NearTrees::Chosen NearTrees::choose(const std::vector<NearPairs>& options, NearKey key, Natural rank) const {
  Natural sum(limbs_of(options));
  for (std::size_t i = 0; i < options.size(); ++i) {
    const NearPairs& pairs = options[i];
    count_pairs(pairs, key, rows_.units, sum);
    if (!is_less(rank, sum)) {
      subtract(rank, sum.data(), sum.size());
      continue;
    }
    const NearHistogram &a = *pairs.first, &b = *pairs.second;
    std::size_t j = b.keys.size();
    for (std::size_t k = 0; k < a.keys.size(); ++k) {
      const NearKey other = key - pairs.pay - a.keys[k];
      while (j > 0 && rows_.units.before(other, b.keys[j - 1])) --j;
      if (j == 0 || !(b.keys[j - 1] == other)) continue;
      std::fill(sum.begin(), sum.end(), 0);
      add_product(sum.data(), sum.size(), a.count(k), a.limbs, b.count(j - 1), b.limbs);
      // Leaves are the first of their key, so the pair of leaves is the first of its block, if it is there.
      const Limb skipped = pairs.without_leaves && pairs.leaves == key && pairs.first_leaf == a.keys[k];
      subtract(sum, &skipped, 1);
      if (!is_less(rank, sum)) {
        subtract(rank, sum.data(), sum.size());
        continue;
      }
      rank.push_back(0);
      add_limbs(rank.data(), rank.size(), &skipped, 1);
      Division ranks = divided(rank, b.count(j - 1), b.limbs);
      return {i, a.keys[k], other, std::move(ranks.quotient), std::move(ranks.rest)};
    }
  }
  throw std::logic_error("a set of nearly best trees has fewer trees than it counted");
}

void NearTrees::write(std::uint32_t number, NearKey key, Natural rank, NearTree& tree) {
  const NearNode& node = graph_.nodes[number];
  if (is_leaf(node.leaf, key, rank)) return write_test(-1, tree);
  std::vector<NearPairs> options;
  if (!node.is_last) {
    for (const NearOption& option : node.options) options.push_back(graph_.pairs(option));
    Chosen chosen = choose(options, key, std::move(rank));
    const NearOption& option = node.options[chosen.option];
    write_test(option.column, tree);
    write(option.first, chosen.first, std::move(chosen.first_rank), tree);
    write(option.second, chosen.second, std::move(chosen.second_rank), tree);
    return;
  }
  const Opened& last = opened(number);
  for (std::size_t i = 0; i < last.levels.options.size(); ++i)
    options.push_back(last.levels.options[i].pairs(last.sides[2 * i], last.sides[2 * i + 1]));
  Chosen chosen = choose(options, key, std::move(rank));
  const NearLastOption& option = last.levels.options[chosen.option];
  write_test(option.column, tree);
  write_side(option.first, chosen.first, std::move(chosen.first_rank), tree);
  write_side(option.second, chosen.second, std::move(chosen.second_rank), tree);
}

void NearTrees::write_side(const NearSide& side, NearKey key, Natural rank, NearTree& tree) const {
  if (is_leaf(side.leaf, key, rank)) return write_test(-1, tree);
  std::size_t i = 0;
  while (!(side.splits[i].key == key)) ++i;
  write_test(side.splits[i + rank[0]].column, tree);
  write_test(-1, tree);
  write_test(-1, tree);
}

const NearTrees::Opened& NearTrees::opened(std::uint32_t number) {
  const auto known = opened_.find(number);
  if (known != opened_.end()) {
    recent_.splice(recent_.begin(), recent_, known->second.used);
    return known->second;
  }
  const NearNode& node = graph_.nodes[number];
  Opened made;
  made.levels =
      rows_.last_levels.open(rows_.rows_of(graph_.nodes, number), graph_.levels_left(node), node.budget());
  for (const NearLastOption& option : made.levels.options) {
    made.sides.push_back(option.first.histogram(rows_.units));
    made.sides.push_back(option.second.histogram(rows_.units));
    made.bytes += sizeof(NearLastOption) + made.sides.back().bytes() + made.sides.rbegin()[1].bytes() +
                  (option.first.splits.size() + option.second.splits.size()) * sizeof(NearSide::Split);
  }
  recent_.push_front(number);
  made.used = recent_.begin();
  opened_bytes_ += made.bytes;
  while (opened_bytes_ > kMostOpenedBytes && recent_.size() > 1) {
    opened_bytes_ -= opened_.at(recent_.back()).bytes;
    opened_.erase(recent_.back());
    recent_.pop_back();
  }
  return opened_.emplace(number, std::move(made)).first->second;
}

}  // namespace thriftree
