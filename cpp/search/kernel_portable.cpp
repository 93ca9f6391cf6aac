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

typedef std::int16_t Lanes16 __attribute__((vector_size(16), may_alias));
inline std::uint16_t bits_of(std::int16_t x) { return static_cast<std::uint16_t>(x); }
inline Lanes16 smaller_share(Lanes16 a, Lanes16 b) {
  for (std::size_t i = 0; i < 8; ++i) a[i] = bits_of(a[i]) < bits_of(b[i]) ? a[i] : b[i];
  return a;
}
inline Lanes16 share_of(Lanes16 number, Lanes16 share) {
  for (std::size_t i = 0; i < 8; ++i)
    number[i] = static_cast<std::int16_t>((std::uint32_t{bits_of(number[i])} * bits_of(share[i])) >> 16);
  return number;
}

#include "search/kernel_body.hpp"
#include "search/kernel_priced_body.hpp"
#include "search/kernel_rough_body.hpp"
#include "search/kernel_which_body.hpp"

}  // namespace

void run_kernel_portable(KernelTask& task) { run_kernel(task); }

}  // namespace thriftree
