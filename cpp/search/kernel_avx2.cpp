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
constexpr std::size_t kVectorBytes = 32;

typedef std::int16_t Lanes16 __attribute__((vector_size(32), may_alias));
typedef std::int32_t Lanes32 __attribute__((vector_size(32), may_alias));
THRIFTREE_KERNEL inline Lanes16 larger(Lanes16 a, Lanes16 b) {
  return reinterpret_cast<Lanes16>(
      _mm256_max_epi16(reinterpret_cast<__m256i>(a), reinterpret_cast<__m256i>(b)));
}
THRIFTREE_KERNEL inline Lanes32 larger(Lanes32 a, Lanes32 b) {
  return reinterpret_cast<Lanes32>(
      _mm256_max_epi32(reinterpret_cast<__m256i>(a), reinterpret_cast<__m256i>(b)));
}
THRIFTREE_KERNEL inline Lanes16 magnitude(Lanes16 x) {
  return reinterpret_cast<Lanes16>(_mm256_abs_epi16(reinterpret_cast<__m256i>(x)));
}
THRIFTREE_KERNEL inline Lanes32 magnitude(Lanes32 x) {
  return reinterpret_cast<Lanes32>(_mm256_abs_epi32(reinterpret_cast<__m256i>(x)));
}
// The largest of eight lanes, all above -32768, by the one instruction that compares across lanes.
THRIFTREE_KERNEL inline std::int16_t largest_of_eight(__m128i x) {
  const __m128i most = _mm_set1_epi16(32767);
  return static_cast<std::int16_t>(32767 - _mm_extract_epi16(_mm_minpos_epu16(_mm_sub_epi16(most, x)), 0));
}
template <typename T>
THRIFTREE_KERNEL inline T largest(Lanes16 x) {
  const auto all = reinterpret_cast<__m256i>(x);
  return largest_of_eight(_mm_max_epi16(_mm256_castsi256_si128(all), _mm256_extracti128_si256(all, 1)));
}

THRIFTREE_KERNEL inline __m256i bits_of_bytes(__m256i x) {
  const __m256i table = _mm256_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4, 0, 1, 1, 2, 1, 2, 2,
                                         3, 1, 2, 2, 3, 2, 3, 3, 4);
  const __m256i low = _mm256_set1_epi8(15);
  return _mm256_add_epi8(_mm256_shuffle_epi8(table, _mm256_and_si256(x, low)),
                         _mm256_shuffle_epi8(table, _mm256_and_si256(_mm256_srli_epi16(x, 4), low)));
}

THRIFTREE_KERNEL THRIFTREE_INLINE void count_block(const std::uint16_t* block, const std::uint16_t* mask,
                                                   std::size_t n_chunks, std::uint16_t* counts) {
  const __m256i ones = _mm256_set1_epi8(1);
  __m256i sum0 = _mm256_setzero_si256(), sum1 = sum0;
  for (std::size_t begin = 0; begin < n_chunks;) {
    // A byte holds the counts of 31 bytes.
    const std::size_t end = begin + 31 < n_chunks ? begin + 31 : n_chunks;
    __m256i bytes0 = _mm256_setzero_si256(), bytes1 = bytes0;
    for (; begin < end; ++begin) {
      const __m256i m = _mm256_set1_epi16(static_cast<short>(mask[begin]));
      const auto* at = reinterpret_cast<const __m256i*>(block + begin * kBlockLanes);
      bytes0 = _mm256_add_epi8(bytes0, bits_of_bytes(_mm256_and_si256(m, _mm256_loadu_si256(at))));
      bytes1 = _mm256_add_epi8(bytes1, bits_of_bytes(_mm256_and_si256(m, _mm256_loadu_si256(at + 1))));
    }
    sum0 = _mm256_add_epi16(sum0, _mm256_maddubs_epi16(bytes0, ones));
    sum1 = _mm256_add_epi16(sum1, _mm256_maddubs_epi16(bytes1, ones));
  }
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(counts), sum0);
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(counts) + 1, sum1);
}

#include "search/kernel_body.hpp"

}  // namespace

void run_kernel_avx2(KernelTask& task) { run_kernel(task); }

}  // namespace thriftree

#endif
