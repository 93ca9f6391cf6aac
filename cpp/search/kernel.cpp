#include "search/kernel.hpp"

#include <algorithm>
#include <bit>

namespace thriftree {

namespace {

// Sums of one set of rows: each channel, and last the base.
using Sums = std::vector<std::int64_t>;

class PlainCounts {
 public:
  PlainCounts(const NodeBits& node, const SearchChannels& channels) : node_(node), channels_(channels) {}

  Sums of(const std::vector<std::uint64_t>& mask) const {
    Sums sums(static_cast<std::size_t>(channels_.n) + 1);
    for (std::size_t s = 0; s < node_.segments.size(); ++s) {
      const NodeSegment& segment = node_.segments[s];
      std::int64_t count = 0;
      for (std::uint32_t w = 0; w < (segment.n_entries + 63) / 64; ++w)
        count += std::popcount(mask[segment.first_word + w]);
      add(sums, segment, count);
    }
    return sums;
  }

  void add(Sums& sums, const NodeSegment& segment, std::int64_t count) const {
    sums[static_cast<std::size_t>(segment.channel)] += count * segment.multiplier;
    const bool is_base =
        channels_.base >= 0 ? segment.channel == channels_.base : segment.channel < channels_.n_labels;
    if (is_base) sums.back() += count * std::abs(segment.multiplier);
  }

 private:
  const NodeBits& node_;
  const SearchChannels& channels_;
};

std::int64_t cost_of(const Sums& sums, const SearchChannels& channels) {
  if (channels.signed_pair) return (sums.back() - std::abs(sums[0])) / 2;
  return sums.back() - *std::max_element(sums.begin(), sums.begin() + channels.n_labels);
}

Sums minus(Sums a, const Sums& b) {
  for (std::size_t i = 0; i < a.size(); ++i) a[i] -= b[i];
  return a;
}

}  // namespace

std::int64_t leaf_cost(const NodeBits& node, const SearchChannels& channels) {
  PlainCounts counts(node, channels);
  Sums sums(static_cast<std::size_t>(channels.n) + 1);
  for (const NodeSegment& segment : node.segments) counts.add(sums, segment, segment.n_entries);
  return cost_of(sums, channels);
}

void Kernel::run(const NodeBits& node, int levels, const std::function<void()>& poll, KernelAnswer& answer) {
  const std::size_t p = node.n_columns();
  PlainCounts counts(node, channels_);
  const auto leaf = [&](const Sums& sums) {
    if (channels_.rows >= 0 && sums[static_cast<std::size_t>(channels_.rows)] < limits_.min_leaf)
      return kNoCost;
    if (channels_.weight >= 0 && sums[static_cast<std::size_t>(channels_.weight)] < limits_.min_leaf_weight)
      return kNoCost;
    return cost_of(sums, channels_);
  };
  answer.levels = levels;
  answer.node_cost = leaf_cost(node, channels_);
  answer.side.assign(2 * p, {kNoCost, kNoCost, kNoCost, kNoCost});
  answer.base.assign(2 * p, 0);
  Sums all(static_cast<std::size_t>(channels_.n) + 1);
  for (const NodeSegment& segment : node.segments) counts.add(all, segment, segment.n_entries);
  std::vector<Sums> single;
  std::vector<std::uint64_t> mask(node.n_words);
  for (std::size_t f = 0; f < p; ++f) {
    mask.assign(node.bits(f), node.bits(f) + node.n_words);
    single.push_back(counts.of(mask));
    const Sums none = minus(all, single[f]);
    answer.side[2 * f + 1][0] = leaf(single[f]);
    answer.side[2 * f][0] = leaf(none);
    answer.base[2 * f + 1] = single[f].back();
    answer.base[2 * f] = none.back();
  }
  if (levels < 2) return;
  // split[(f * p + g) * 4 + 2 * a + b]: the cell where f answers a and g answers b, as a leaf or divided once
  // more
  std::vector<std::int64_t> whole(4 * p * p, kNoCost), split(4 * p * p, kNoCost);
  std::vector<Sums> pair(p * p);
  for (std::size_t f = 0; f < p; ++f) {
    for (std::size_t g = 0; g < p; ++g) {
      if (g == f) continue;
      for (std::uint32_t w = 0; w < node.n_words; ++w) mask[w] = node.bits(f)[w] & node.bits(g)[w];
      const Sums both = counts.of(mask);
      pair[f * p + g] = both;
      std::int64_t* at = whole.data() + 4 * (f * p + g);
      at[3] = leaf(both);
      at[2] = leaf(minus(single[f], both));
      at[1] = leaf(minus(single[g], both));
      at[0] = leaf(minus(minus(all, single[f]), minus(single[g], both)));
    }
  }
  if (levels >= 3) {
    for (std::size_t f = 0; f < p; ++f) {
      poll();
      for (std::size_t g = f + 1; g < p; ++g) {
        for (std::size_t h = 0; h < p; ++h) {
          if (h == f || h == g) continue;
          for (std::uint32_t w = 0; w < node.n_words; ++w)
            mask[w] = node.bits(f)[w] & node.bits(g)[w] & node.bits(h)[w];
          const Sums t = counts.of(mask);
          const Sums fg = pair[f * p + g], fh = pair[f * p + h], gh = pair[g * p + h];
          const Sums u = minus(fh, t), v = minus(gh, t), q = minus(minus(single[h], fh), v);
          const Sums cells[4][2] = {{minus(minus(minus(all, single[f]), minus(single[g], fg)), q), q},
                                    {minus(minus(single[g], fg), v), v},
                                    {minus(minus(single[f], fg), u), u},
                                    {minus(fg, t), t}};
          for (std::size_t cell = 0; cell < 4; ++cell) {
            const std::int64_t cost = std::min(kNoCost, leaf(cells[cell][0]) + leaf(cells[cell][1]));
            std::int64_t& best = split[4 * (f * p + g) + cell];
            best = std::min(best, cost);
          }
        }
        for (std::size_t cell = 0; cell < 4; ++cell)
          split[4 * (g * p + f) + (cell >> 1 | (cell & 1) << 1)] = split[4 * (f * p + g) + cell];
      }
    }
  }
  for (std::size_t f = 0; f < p; ++f) {
    for (std::size_t side = 0; side < 2; ++side) {
      auto& best = answer.side[2 * f + side];
      for (std::size_t g = 0; g < p; ++g) {
        if (g == f) continue;
        const std::int64_t* w = whole.data() + 4 * (f * p + g) + 2 * side;
        const std::int64_t* s = split.data() + 4 * (f * p + g) + 2 * side;
        best[1] = std::min(best[1], w[0] + w[1]);
        best[2] = std::min({best[2], w[0] + s[1], s[0] + w[1]});
        best[3] = std::min(best[3], s[0] + s[1]);
      }
      for (auto& cost : best) cost = std::min(cost, kNoCost);
    }
  }
}

}  // namespace thriftree
