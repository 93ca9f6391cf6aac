// The kernel in plain C++.
#include <cstddef>
#include <cstdint>
#include <vector>

#include "run/cpu.hpp"
#include "search/kernel_task.hpp"

namespace thriftree {

namespace {

#define THRIFTREE_KERNEL
constexpr std::size_t kVectorBytes = 16;

template <std::size_t n>
void count_blocks(const std::uint16_t* block, std::size_t stride, const std::uint16_t* mask,
                  std::size_t n_chunks, std::uint16_t* counts) {
  for (std::size_t i = 0; i < n * kBlockLanes; ++i) counts[i] = 0;
  for (std::size_t b = 0; b < n; ++b) {
    std::uint16_t* of_block = counts + b * kBlockLanes;
    for (std::size_t c = 0; c < n_chunks; ++c) {
      for (std::size_t i = 0; i < kBlockLanes; ++i) {
        unsigned x = block[b * stride + c * kBlockLanes + i] & mask[c];
        x -= x >> 1 & 0x5555U;
        x = (x & 0x3333U) + (x >> 2 & 0x3333U);
        x = (x + (x >> 4)) & 0x0f0fU;
        of_block[i] = static_cast<std::uint16_t>(of_block[i] + ((x + (x >> 8)) & 0x1fU));
      }
    }
  }
}

#include "search/kernel_body.hpp"
#include "search/kernel_priced_body.hpp"

}  // namespace

void run_kernel_portable(KernelTask& task) { run_kernel(task); }

}  // namespace thriftree
