// Vectors of 32 bytes: what CPUs with AVX2 have instructions for. Of 64 bytes, half of a block would often be
// columns that a pair does not need. Whoever includes this defines THRIFTREE_KERNEL (the target attribute).
//
// No include guard: this is a body, not a header, and nothing where no CPU is named.

#ifdef THRIFTREE_KERNEL

constexpr std::size_t kVectorBytes = 32;

typedef std::int16_t Lanes16 __attribute__((vector_size(32), may_alias));
typedef double Doubles __attribute__((vector_size(32), may_alias));
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
THRIFTREE_KERNEL inline Doubles magnitude(Doubles x) {
  return reinterpret_cast<Doubles>(_mm256_andnot_pd(_mm256_set1_pd(-0.0), reinterpret_cast<__m256d>(x)));
}
// Of shares: 16 bits without a sign.
THRIFTREE_KERNEL inline Lanes16 smaller_share(Lanes16 a, Lanes16 b) {
  return reinterpret_cast<Lanes16>(
      _mm256_min_epu16(reinterpret_cast<__m256i>(a), reinterpret_cast<__m256i>(b)));
}
// The high half of a number times a share.
THRIFTREE_KERNEL inline Lanes16 share_of(Lanes16 number, Lanes16 share) {
  return reinterpret_cast<Lanes16>(
      _mm256_mulhi_epu16(reinterpret_cast<__m256i>(number), reinterpret_cast<__m256i>(share)));
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

#endif
