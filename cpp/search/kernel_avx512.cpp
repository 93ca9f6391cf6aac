// The kernel for CPUs with AVX-512 that count the bits of 16-bit lanes in one instruction.
#include "run/cpu.hpp"

#ifdef THRIFTREE_X86

#include <immintrin.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "search/kernel_task.hpp"

namespace thriftree {

namespace {

#define THRIFTREE_KERNEL \
  __attribute__((target( \
      "avx512f,avx512bw,avx512vl,avx512dq,avx512bitalg,avx2,fma,bmi2,popcnt,prefer-vector-width=256")))
#include "search/kernel_lanes.hpp"

// One rounding in place of two: none, where sums are whole numbers that doubles hold.
THRIFTREE_KERNEL inline Doubles minus_product(Doubles a, Doubles b, Doubles c) {
  return reinterpret_cast<Doubles>(_mm256_fnmadd_pd(
      reinterpret_cast<__m256d>(b), reinterpret_cast<__m256d>(c), reinterpret_cast<__m256d>(a)));
}

template <std::size_t n>
THRIFTREE_KERNEL THRIFTREE_INLINE void count_blocks(const std::uint16_t* block, std::size_t stride,
                                                    const std::uint16_t* mask, std::size_t n_chunks,
                                                    std::uint16_t* counts) {
  __m256i sum[n];
  for (std::size_t i = 0; i < n; ++i) sum[i] = _mm256_setzero_si256();
#pragma GCC unroll 2
  for (std::size_t c = 0; c < n_chunks; ++c) {
    const __m256i m = _mm256_set1_epi16(static_cast<short>(mask[c]));
    for (std::size_t i = 0; i < n; ++i) {
      const auto* at = reinterpret_cast<const __m256i*>(block + i * stride + c * kBlockLanes);
      sum[i] = _mm256_add_epi16(sum[i], _mm256_popcnt_epi16(_mm256_and_si256(m, _mm256_loadu_si256(at))));
    }
  }
  for (std::size_t i = 0; i < n; ++i)
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(counts + i * kBlockLanes), sum[i]);
}

#include "search/kernel_body.hpp"
#include "search/kernel_priced_body.hpp"
#include "search/kernel_rough_body.hpp"
#include "search/kernel_which_body.hpp"

}  // namespace

void run_kernel_avx512(KernelTask& task) { run_kernel(task); }

}  // namespace thriftree

#endif
