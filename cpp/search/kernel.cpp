#include "search/kernel.hpp"

#include <algorithm>
#include <bit>
#include <optional>

#include "run/cpu.hpp"
#include "search/kernel_task.hpp"
#include "search/number_kernel.hpp"

namespace thriftree {

namespace {

// Sums of one set of entries: each channel, and the base.
struct ChannelSums {
  std::vector<std::int64_t> channel;
  std::int64_t base = 0;

  explicit ChannelSums(const SearchChannels& channels) : channel(static_cast<std::size_t>(channels.n)) {}

  void add(const SearchChannels& channels, const NodeSegment& segment, std::int64_t count) {
    channel[static_cast<std::size_t>(segment.channel)] += count * segment.multiplier;
    if (channels.is_base(segment.channel)) base += count * std::abs(segment.multiplier);
  }
  ChannelSums operator-(const ChannelSums& other) const {
    ChannelSums made = *this;
    for (std::size_t i = 0; i < channel.size(); ++i) made.channel[i] -= other.channel[i];
    made.base -= other.base;
    return made;
  }
};

std::int64_t cost_of(const ChannelSums& sums, const SearchChannels& channels) {
  return channels.leaf_cost(sums.channel.data(), sums.base);
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

void run_here(KernelTask& task) {
  static const KernelFunction fastest = kernels_of_this_cpu().back();
  fastest(task);
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

std::optional<RoughScale> rough_scale(const NodeBits& node, const NodeMaker& nodes) {
  constexpr int kLeastBits = 3;  // of a mistake
  const SearchPrices* prices = nodes.prices();
  const SearchChannels& channels = nodes.channels();
  if (prices == nullptr || channels.numbers != nullptr || !channels.signed_pair || channels.n_in_triples != 1)
    return std::nullopt;
  if (node.paid.left != kAnyPrice || node.n_columns() == 0) return std::nullopt;
  const ChannelSums all = node_sums(node, channels);
  const auto bits = [](std::int64_t sum) {
    return static_cast<int>(std::bit_width(static_cast<std::uint64_t>(sum)));
  };
  const RoughScale made{std::max(0, bits(all.base) - 15),
                        15 - bits(all.channel[static_cast<std::size_t>(channels.payers)])};
  if (made.payers_up < 0 || prices->shift() - made.down < kLeastBits) return std::nullopt;
  return made;
}

std::int64_t leaf_cost(const NodeBits& node, const SearchChannels& channels) {
  if (channels.numbers != nullptr) return channels.numbers->leaf_cost(node);
  return cost_of(node_sums(node, channels), channels);
}

std::int64_t paid_for(const NodeBits& node, const SearchChannels& channels, const Charge& charge) {
  std::int64_t payers = 0, own = 0;
  for (const NodeSegment& segment : node.segments) {
    if (segment.channel == channels.payers) payers += segment.multiplier * segment.n_entries;
    if (charge.slot >= 0 && segment.channel == channels.outcomes + charge.slot)
      own += segment.multiplier * segment.n_entries;
  }
  return payers * charge.fixed + own;
}

Kernel::Kernel(const NodeMaker& nodes, KernelLimits limits)
    : nodes_(nodes),
      channels_(nodes.channels()),
      limits_(limits),
      scratch_(std::make_unique<KernelScratch>()) {
  if (channels_.numbers != nullptr) of_numbers_ = std::make_unique<NumberKernel>(*channels_.numbers);
}
Kernel::~Kernel() = default;

// A test that has to be ordered is no division by itself.
void Kernel::charge(const NodeBits& node, KernelAnswer& answer) const {
  const SearchPrices& prices = *nodes_.prices();
  answer.pay.resize(node.n_columns());
  answer.price.resize(node.n_columns());
  for (std::size_t c = 0; c < node.n_columns(); ++c) {
    const std::size_t feature = nodes_.feature(node, c);
    if (c > 0 && nodes_.feature(node, c - 1) == feature) {
      answer.pay[c] = answer.pay[c - 1];
      answer.price[c] = answer.price[c - 1];
    } else {
      const Charge charge = prices.charge(node.paid.bought, feature);
      answer.pay[c] = paid_for(node, channels_, charge);
      answer.price[c] = prices.highest(feature, charge);
    }
    if (prices.is_pending(node.paid.bought, feature))
      answer.side[2 * c][0] = answer.side[2 * c + 1][0] = kNoCost;
  }
}

// What needs no pairs: the answer's sizes, and its costs of one leaf.
void Kernel::begin(const NodeBits& node, int levels, KernelAnswer& answer) const {
  const std::size_t p = node.n_columns();
  const ChannelSums all = node_sums(node, channels_);
  answer.levels = levels;
  answer.node_cost = cost_of(all, channels_);
  answer.side.assign(2 * p, {kNoCost, kNoCost, kNoCost, kNoCost});
  answer.base.assign(2 * p, 0);
  const bool priced = nodes_.prices() != nullptr;
  answer.payers.assign(priced ? 2 * p : 0, 0);
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
    if (!priced) continue;
    answer.payers[2 * c] = zeros.channel[static_cast<std::size_t>(channels_.payers)];
    answer.payers[2 * c + 1] = ones.channel[static_cast<std::size_t>(channels_.payers)];
  }
  if (priced) charge(node, answer);
}

void Kernel::run(const NodeBits& node, int levels, const std::function<void()>& poll, KernelAnswer& answer) {
  if (of_numbers_) return of_numbers_->run(node, levels, poll, answer);
  begin(node, levels, answer);
  if (levels < 2 || node.n_columns() == 0) return;
  const ChannelSums all = node_sums(node, channels_);
  std::int64_t most = all.base;
  for (std::int64_t sum : all.channel) most = std::max(most, std::abs(sum));
  KernelTask task{node, channels_, limits_, levels, poll, *scratch_, most, answer};
  PricesAtNode prices;
  if (nodes_.prices() != nullptr) {
    prices = prices_of(node, nodes_);
    task.prices = &prices;
  }
  run_here(task);
}

bool Kernel::bound(const NodeBits& node, const std::function<void()>& poll, KernelAnswer& answer) {
  const std::optional<RoughScale> rough = rough_scale(node, nodes_);
  if (!rough) return false;
  begin(node, 3, answer);
  const PricesAtNode prices = prices_of(node, nodes_);
  KernelTask task{node, channels_, limits_, 3, poll, *scratch_, 0, answer, &prices, &*rough};
  run_here(task);
  return true;
}

}  // namespace thriftree
