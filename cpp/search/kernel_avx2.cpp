// The kernel for CPUs with AVX2: bits are counted by table look-ups of half bytes.
#include "run/cpu.hpp"

#ifdef THRIFTREE_X86

#include <immintrin.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "search/kernel_task.hpp"

namespace thriftree {

namespace {

#define THRIFTREE_KERNEL __attribute__((target("avx2,bmi2,popcnt")))
#include "search/kernel_lanes.hpp"

THRIFTREE_KERNEL inline __m256i bits_of_bytes(__m256i x) {
  const __m256i table = _mm256_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4, 0, 1, 1, 2, 1, 2, 2,
                                         3, 1, 2, 2, 3, 2, 3, 3, 4);
  const __m256i low = _mm256_set1_epi8(15);
  return _mm256_add_epi8(_mm256_shuffle_epi8(table, _mm256_and_si256(x, low)),
                         _mm256_shuffle_epi8(table, _mm256_and_si256(_mm256_srli_epi16(x, 4), low)));
}

template <std::size_t n>
THRIFTREE_KERNEL THRIFTREE_INLINE void count_blocks(const std::uint16_t* block, std::size_t stride,
                                                    const std::uint16_t* mask, std::size_t n_chunks,
                                                    std::uint16_t* counts) {
  const __m256i ones = _mm256_set1_epi8(1);
  __m256i sum[n];
  for (std::size_t i = 0; i < n; ++i) sum[i] = _mm256_setzero_si256();
  for (std::size_t begin = 0; begin < n_chunks;) {
    // A byte holds the counts of 31 bytes.
    const std::size_t end = begin + 31 < n_chunks ? begin + 31 : n_chunks;
    __m256i bytes[n];
    for (std::size_t i = 0; i < n; ++i) bytes[i] = _mm256_setzero_si256();
    for (; begin < end; ++begin) {
      const __m256i m = _mm256_set1_epi16(static_cast<short>(mask[begin]));
      const std::uint16_t* at = block + begin * kBlockLanes;
      for (std::size_t i = 0; i < n; ++i) {
        const __m256i x = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(at + i * stride));
        bytes[i] = _mm256_add_epi8(bytes[i], bits_of_bytes(_mm256_and_si256(m, x)));
      }
    }
    for (std::size_t i = 0; i < n; ++i)
      sum[i] = _mm256_add_epi16(sum[i], _mm256_maddubs_epi16(bytes[i], ones));
  }
  for (std::size_t i = 0; i < n; ++i)
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(counts + i * kBlockLanes), sum[i]);
}

#include "search/kernel_body.hpp"
#include "search/kernel_priced_body.hpp"
#include "search/kernel_rough_body.hpp"
#include "search/kernel_which_body.hpp"

}  // namespace

void run_kernel_avx2(KernelTask& task) { run_kernel(task); }

}  // namespace thriftree

#endif
