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
  __attribute__((        \
      target("avx512f,avx512bw,avx512vl,avx512dq,avx512bitalg,avx2,bmi2,popcnt,prefer-vector-width=512")))

THRIFTREE_KERNEL void count_block(const std::uint16_t* block, const std::uint16_t* mask, std::size_t n_chunks,
                                  std::uint16_t* counts) {
  __m512i sum0 = _mm512_setzero_si512(), sum1 = sum0;
  std::size_t c = 0;
  for (; c + 2 <= n_chunks; c += 2) {
    const __m512i x0 = _mm512_and_si512(_mm512_loadu_si512(block + c * kBlockLanes),
                                        _mm512_set1_epi16(static_cast<short>(mask[c])));
    const __m512i x1 = _mm512_and_si512(_mm512_loadu_si512(block + (c + 1) * kBlockLanes),
                                        _mm512_set1_epi16(static_cast<short>(mask[c + 1])));
    sum0 = _mm512_add_epi16(sum0, _mm512_popcnt_epi16(x0));
    sum1 = _mm512_add_epi16(sum1, _mm512_popcnt_epi16(x1));
  }
  if (c < n_chunks) {
    const __m512i x = _mm512_and_si512(_mm512_loadu_si512(block + c * kBlockLanes),
                                       _mm512_set1_epi16(static_cast<short>(mask[c])));
    sum0 = _mm512_add_epi16(sum0, _mm512_popcnt_epi16(x));
  }
  _mm512_storeu_si512(counts, _mm512_add_epi16(sum0, sum1));
}

#include "search/kernel_body.hpp"

}  // namespace

void run_kernel_avx512(KernelTask& task) { run_kernel(task); }

}  // namespace thriftree

#endif
