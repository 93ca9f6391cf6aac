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
constexpr std::size_t kVectorBytes = 64;

typedef std::int16_t Lanes16 __attribute__((vector_size(64), may_alias));
typedef std::int32_t Lanes32 __attribute__((vector_size(64), may_alias));
THRIFTREE_KERNEL inline Lanes16 larger(Lanes16 a, Lanes16 b) {
  return reinterpret_cast<Lanes16>(
      _mm512_max_epi16(reinterpret_cast<__m512i>(a), reinterpret_cast<__m512i>(b)));
}
THRIFTREE_KERNEL inline Lanes32 larger(Lanes32 a, Lanes32 b) {
  return reinterpret_cast<Lanes32>(
      _mm512_maskz_max_epi32(0xffff, reinterpret_cast<__m512i>(a), reinterpret_cast<__m512i>(b)));
}
THRIFTREE_KERNEL inline Lanes16 magnitude(Lanes16 x) {
  return reinterpret_cast<Lanes16>(_mm512_abs_epi16(reinterpret_cast<__m512i>(x)));
}
THRIFTREE_KERNEL inline Lanes32 magnitude(Lanes32 x) {
  return reinterpret_cast<Lanes32>(_mm512_maskz_abs_epi32(0xffff, reinterpret_cast<__m512i>(x)));
}
// The largest of eight lanes, all above -32768, by the one instruction that compares across lanes.
THRIFTREE_KERNEL inline std::int16_t largest_of_eight(__m128i x) {
  const __m128i most = _mm_set1_epi16(32767);
  return static_cast<std::int16_t>(32767 - _mm_extract_epi16(_mm_minpos_epu16(_mm_sub_epi16(most, x)), 0));
}
template <typename T>
THRIFTREE_KERNEL inline T largest(Lanes16 x) {
  const auto lanes = reinterpret_cast<__m512i>(x);
  const __m256i all = _mm256_max_epi16(_mm512_maskz_extracti64x4_epi64(0xf, lanes, 0),
                                       _mm512_maskz_extracti64x4_epi64(0xf, lanes, 1));
  return largest_of_eight(_mm_max_epi16(_mm256_castsi256_si128(all), _mm256_extracti128_si256(all, 1)));
}

THRIFTREE_KERNEL THRIFTREE_INLINE void count_block(const std::uint16_t* block, const std::uint16_t* mask,
                                                   std::size_t n_chunks, std::uint16_t* counts) {
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
