// What a kernel for one kind of CPU gets and gives back.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "search/kernel.hpp"
#include "search/node_bits.hpp"
#include "search/node_prices.hpp"

namespace thriftree {

// Buffers that a worker keeps from node to node. Every array is as long as the largest node needed it.
struct KernelScratch {
  std::vector<std::uint16_t> blocks;   // [block][chunk][lane]: 16 entries of one of 16 neighbouring columns
  std::vector<std::uint16_t> columns;  // [column][chunk]: the same, column by column
  std::vector<std::uint16_t> mask;     // [chunk]: the entries that are counted
  std::vector<char> lanes;             // of the kernel's own number type
};

struct KernelTask {
  const NodeBits& node;
  const SearchChannels& channels;
  const KernelLimits& limits;
  int levels;
  const std::function<void()>& poll;
  KernelScratch& scratch;
  std::int64_t most;                     // no sum of the node's is larger
  KernelAnswer& answer;                  // sized, and its costs of one leaf are set
  const PricesAtNode* prices = nullptr;  // null: tests cost nothing
  const RoughScale* rough = nullptr;     // not null: bounds of the costs will do
};

// Columns of a block. Fewer waste less where a block has columns that a pair does not need.
constexpr std::size_t kBlockLanes = 16;
constexpr std::size_t kMostBlocks = 4;  // that are counted at a time

// How the node's sums fit 16 bits; nothing where that leaves too little of what mistakes and prices differ
// in.
std::optional<RoughScale> rough_scale(const NodeBits& node, const NodeMaker& nodes);

using KernelFunction = void (*)(KernelTask&);
// Those that this CPU can run, the fastest last; the first is plain C++.
std::vector<KernelFunction> kernels_of_this_cpu();

void run_kernel_portable(KernelTask& task);
void run_kernel_avx2(KernelTask& task);
void run_kernel_avx512(KernelTask& task);

}  // namespace thriftree
