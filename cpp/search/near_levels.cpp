#include "search/near_levels.hpp"

#include <algorithm>
#include <cstdlib>

#include "run/cpu.hpp"

namespace thriftree {

namespace {

THRIFTREE_BY_CPU(std::int64_t, count_ones_of, (const std::uint64_t* a, const std::uint64_t* b, std::size_t n),
                 (a, b, n)) {
  std::int64_t ones = 0;
  for (std::size_t i = 0; i < n; ++i) ones += __builtin_popcountll(a[i] & b[i]);
  return ones;
}

std::size_t words_of(const NodeSegment& segment) { return (segment.n_entries + std::size_t{63}) / 64; }

}  // namespace

NearHistogram NearSide::histogram(const NearUnits& units) const {
  NearHistogram made;
  const auto add = [&made](NearKey key) {
    if (!made.keys.empty() && made.keys.back() == key) {
      ++made.counts.back();
      return;
    }
    made.keys.push_back(key);
    made.counts.push_back(1);
  };
  std::size_t i = 0;
  while (i < splits.size() && units.before(splits[i].key, leaf.key)) add(splits[i++].key);
  if (leaf.allowed) add(leaf.key);
  while (i < splits.size()) add(splits[i++].key);
  made.total_bits = static_cast<int>(std::bit_width(splits.size() + 1));
  return made;
}

void LastLevels::count(const NodeBits& node, std::size_t column, const std::uint64_t* mask,
                       std::int64_t* sums) const {
  const std::uint64_t* bits = node.bits(column);
  for (const NodeSegment& segment : node.segments) {
    const std::size_t at = segment.first_word;
    const std::int64_t ones = count_ones_of(bits + at, mask + at, words_of(segment));
    sums[segment.channel] += ones * segment.multiplier;
    if (channels_.is_base(segment.channel)) sums[channels_.n] += ones * std::abs(segment.multiplier);
  }
}

void LastLevels::count_all(const NodeBits& node, const std::uint64_t* mask, Sums& sums) const {
  sums.assign(node.n_columns() * width(), 0);
  for (std::size_t c = 0; c < node.n_columns(); ++c)
    count(node, c, mask == nullptr ? node.bits(c) : mask, sums.data() + c * width());
}

LastLevels::Sums LastLevels::all_of(const NodeBits& node) const {
  Sums all(width());
  for (const NodeSegment& segment : node.segments) {
    all[static_cast<std::size_t>(segment.channel)] += segment.n_entries * segment.multiplier;
    if (channels_.is_base(segment.channel)) all.back() += segment.n_entries * std::abs(segment.multiplier);
  }
  return all;
}

NearLeaf LastLevels::leaf_of(const std::int64_t* sums) const {
  NearLeaf made;
  made.key = units_.key(channels_.leaf_cost(sums, sums[channels_.n]), 1);
  if (channels_.signed_pair) {
    made.label = sums[0] < 0 ? 1 : 0;
  } else {
    made.label = static_cast<std::int32_t>(std::max_element(sums, sums + channels_.n_labels) - sums);
  }
  made.allowed = sums[channels_.rows] >= limits_.min_leaf &&
                 (channels_.weight < 0 || sums[channels_.weight] >= limits_.min_leaf_weight);
  return made;
}

NearLeaf LastLevels::leaf(const NodeBits& node) const { return leaf_of(all_of(node).data()); }

NearLeaf LastLevels::side_leaf(const NodeBits& node, std::size_t column, int side) const {
  Sums sums(width());
  count(node, column, node.bits(column), sums.data());
  if (side == 0) {
    const Sums all = all_of(node);
    for (std::size_t i = 0; i < sums.size(); ++i) sums[i] = all[i] - sums[i];
  }
  return leaf_of(sums.data());
}

// Whether a column before c of the same feature divides the side's rows in the same two parts.
bool LastLevels::repeats(const NodeBits& node, std::size_t tested, int side, const std::int64_t* all,
                         const Sums& ones, std::size_t c) const {
  const auto feature = [&](std::size_t k) { return nodes_.feature(node, k); };
  const auto rows = [&](std::size_t k) {
    return ones[k * width() + static_cast<std::size_t>(channels_.rows)];
  };
  const std::int64_t all_rows = all[channels_.rows];
  const std::uint64_t flip = side == 1 ? 0 : ~std::uint64_t{0};
  for (std::size_t k = c; k-- > 0 && feature(k) == feature(c);) {
    for (const bool turned : {false, true}) {
      if (rows(k) != (turned ? all_rows - rows(c) : rows(c))) continue;
      bool differs = false;
      for (const NodeSegment& segment : node.segments) {
        if (segment.channel != channels_.rows) continue;
        for (std::size_t w = 0; w < words_of(segment) && !differs; ++w) {
          const std::size_t at = segment.first_word + w;
          std::uint64_t mask = node.bits(tested)[at] ^ flip;
          const std::size_t left = segment.n_entries - 64 * w;
          if (left < 64) mask &= (std::uint64_t{1} << left) - 1;
          differs = ((node.bits(k)[at] ^ node.bits(c)[at] ^ (turned ? ~std::uint64_t{0} : 0)) & mask) != 0;
        }
      }
      if (!differs) return true;
    }
  }
  return false;
}

NearKey LastLevels::pay(const Charge& charge, const std::int64_t* sums) const {
  std::int64_t sum = charge.fixed * sums[channels_.payers];
  if (charge.slot >= 0) sum += sums[channels_.outcomes + charge.slot];
  return {sum, 0};
}

void LastLevels::add_splits(const NodeBits& node, const PricesAtNode* prices, std::size_t tested, int side,
                            const std::int64_t* all, const Sums& ones, NearSide& made) const {
  const std::size_t w = width();
  Sums zeros(w);
  for (std::size_t c = 0; c < node.n_columns(); ++c) {
    if (c == tested || (prices != nullptr && !prices->allows(tested, c))) continue;
    const std::int64_t* of_column = ones.data() + c * w;
    for (std::size_t i = 0; i < w; ++i) zeros[i] = all[i] - of_column[i];
    const NearLeaf first = leaf_of(of_column), second = leaf_of(zeros.data());
    if (!first.allowed || !second.allowed || first.label == second.label) continue;
    if (repeats(node, tested, side, all, ones, c)) continue;
    NearKey key = first.key + second.key;
    if (prices != nullptr) key = key + pay(prices->after(tested, c), all);
    made.splits.push_back({key, node.column[c]});
  }
}

NearLastLevels LastLevels::open(const NodeBits& node, int depth, NearBudget budget) const {
  NearLastLevels made;
  const std::size_t w = width();
  const Sums all = all_of(node);
  made.leaf = leaf_of(all.data());
  if (depth < 1 || budget.leaves < 2) return made;
  Sums single, both, zeros(w), apart;
  count_all(node, nullptr, single);
  const bool priced = nodes_.prices() != nullptr;
  const PricesAtNode at_node = priced ? prices_of(node, nodes_) : PricesAtNode{};
  const PricesAtNode* prices = priced ? &at_node : nullptr;
  const auto least = [&](const NearSide& side) {
    SearchValue value = units_.value(side.leaf.key);
    for (const NearSide::Split& split : side.splits) value = std::min(value, units_.value(split.key));
    return value;
  };
  for (std::size_t c = 0; c < node.n_columns(); ++c) {
    const std::int64_t* ones = single.data() + c * w;
    for (std::size_t i = 0; i < w; ++i) zeros[i] = all[i] - ones[i];
    NearLastOption option;
    option.column = node.column[c];
    option.first.leaf = leaf_of(ones);
    option.second.leaf = leaf_of(zeros.data());
    if (!option.first.leaf.allowed || !option.second.leaf.allowed) continue;
    if (priced) option.pay = pay(at_node.columns[c].alone, all.data());
    if (depth > 1) {
      count_all(node, node.bits(c), both);
      add_splits(node, prices, c, 1, ones, both, option.first);
      apart.resize(both.size());
      for (std::size_t i = 0; i < both.size(); ++i) apart[i] = single[i] - both[i];
      add_splits(node, prices, c, 0, zeros.data(), apart, option.second);
    }
    const SearchValue least_first = least(option.first), least_second = least(option.second);
    const SearchValue most = budget.value - units_.value(option.pay);
    if (least_first + least_second > most) continue;
    const auto trim = [&](NearSide& side, SearchValue highest) {
      std::erase_if(side.splits, [&](const auto& split) { return units_.value(split.key) > highest; });
      std::sort(side.splits.begin(), side.splits.end(), [&](const auto& a, const auto& b) {
        return a.key == b.key ? a.column < b.column : units_.before(a.key, b.key);
      });
    };
    trim(option.first, most - least_second);
    trim(option.second, most - least_first);
    made.options.push_back(std::move(option));
  }
  return made;
}

}  // namespace thriftree
