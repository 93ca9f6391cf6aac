#include "search/kernel.hpp"

#include <algorithm>

#include "run/cpu.hpp"
#include "search/kernel_task.hpp"

namespace thriftree {

namespace {

// Sums of one set of entries: each channel, and the base.
struct ChannelSums {
  std::vector<std::int64_t> channel;
  std::int64_t base = 0;

  explicit ChannelSums(const SearchChannels& channels) : channel(static_cast<std::size_t>(channels.n)) {}

  void add(const SearchChannels& channels, const NodeSegment& segment, std::int64_t count) {
    channel[static_cast<std::size_t>(segment.channel)] += count * segment.multiplier;
    const bool is_base =
        channels.base >= 0 ? segment.channel == channels.base : segment.channel < channels.n_labels;
    if (is_base) base += count * std::abs(segment.multiplier);
  }
  ChannelSums operator-(const ChannelSums& other) const {
    ChannelSums made = *this;
    for (std::size_t i = 0; i < channel.size(); ++i) made.channel[i] -= other.channel[i];
    made.base -= other.base;
    return made;
  }
};

std::int64_t cost_of(const ChannelSums& sums, const SearchChannels& channels) {
  if (channels.signed_pair) return (sums.base - std::abs(sums.channel[0])) / 2;
  return sums.base - *std::max_element(sums.channel.begin(), sums.channel.begin() + channels.n_labels);
}

ChannelSums node_sums(const NodeBits& node, const SearchChannels& channels) {
  ChannelSums sums(channels);
  for (const NodeSegment& segment : node.segments) sums.add(channels, segment, segment.n_entries);
  return sums;
}

THRIFTREE_BY_CPU(std::int64_t, count_ones, (const std::uint64_t* words, std::size_t n), (words, n)) {
  std::int64_t ones = 0;
  for (std::size_t i = 0; i < n; ++i) ones += __builtin_popcountll(words[i]);
  return ones;
}

}  // namespace

std::vector<KernelFunction> kernels_of_this_cpu() {
  std::vector<KernelFunction> kernels{run_kernel_portable};
#ifdef THRIFTREE_X86
  if (cpu_has(CpuLevel::avx2)) kernels.push_back(run_kernel_avx2);
  if (cpu_has(CpuLevel::avx512) && __builtin_cpu_supports("avx512bitalg"))
    kernels.push_back(run_kernel_avx512);
#endif
  return kernels;
}

std::int64_t leaf_cost(const NodeBits& node, const SearchChannels& channels) {
  return cost_of(node_sums(node, channels), channels);
}

Kernel::Kernel(const SearchChannels& channels, KernelLimits limits)
    : channels_(channels), limits_(limits), scratch_(std::make_unique<KernelScratch>()) {}
Kernel::~Kernel() = default;

void Kernel::run(const NodeBits& node, int levels, const std::function<void()>& poll, KernelAnswer& answer) {
  const std::size_t p = node.n_columns();
  const ChannelSums all = node_sums(node, channels_);
  answer.levels = levels;
  answer.node_cost = cost_of(all, channels_);
  answer.side.assign(2 * p, {kNoCost, kNoCost, kNoCost, kNoCost});
  answer.base.assign(2 * p, 0);
  const auto leaf = [&](const ChannelSums& sums) {
    const auto below = [&](int channel, std::int64_t least) {
      return channel >= 0 && sums.channel[static_cast<std::size_t>(channel)] < least;
    };
    if (below(channels_.rows, limits_.min_leaf) || below(channels_.weight, limits_.min_leaf_weight))
      return kNoCost;
    return cost_of(sums, channels_);
  };
  for (std::size_t c = 0; c < p; ++c) {
    ChannelSums ones(channels_);
    for (const NodeSegment& segment : node.segments)
      ones.add(channels_, segment,
               count_ones(node.bits(c) + segment.first_word, (segment.n_entries + std::size_t{63}) / 64));
    const ChannelSums zeros = all - ones;
    answer.side[2 * c][0] = leaf(zeros);
    answer.side[2 * c + 1][0] = leaf(ones);
    answer.base[2 * c] = zeros.base;
    answer.base[2 * c + 1] = ones.base;
  }
  if (levels < 2 || p == 0) return;
  std::int64_t most = all.base;
  for (std::int64_t sum : all.channel) most = std::max(most, std::abs(sum));
  static const KernelFunction run_here = kernels_of_this_cpu().back();
  KernelTask task{node, channels_, limits_, levels, poll, *scratch_, most, answer};
  run_here(task);
}

}  // namespace thriftree
