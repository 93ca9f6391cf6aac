#include "search/bit_packing.hpp"

#include <bit>

#include "run/cpu.hpp"

#ifdef THRIFTREE_X86
#include <immintrin.h>
#endif

namespace thriftree {

namespace {

THRIFTREE_INLINE std::uint64_t pack_word_plainly(std::uint64_t word, std::uint64_t mask) {
  std::uint64_t result = 0;
  for (std::size_t at = 0; mask != 0; mask &= mask - 1, ++at)
    result |= (word >> std::countr_zero(mask) & 1) << at;
  return result;
}

// Packs word after word; `pack` is one instruction where the CPU has it.
#define THRIFTREE_PACK_BITS(pack)                                           \
  std::uint64_t pending = 0;                                                \
  std::size_t filled = 0;                                                   \
  for (std::size_t w = 0; w < n_words; ++w) {                               \
    const std::uint64_t bits = pack(words[w], mask[w]);                     \
    const auto n = static_cast<std::size_t>(__builtin_popcountll(mask[w])); \
    pending |= bits << filled;                                              \
    filled += n;                                                            \
    if (filled >= 64) {                                                     \
      *out++ = pending;                                                     \
      filled -= 64;                                                         \
      pending = filled == 0 ? 0 : bits >> (n - filled);                     \
    }                                                                       \
  }                                                                         \
  if (filled != 0) *out = pending;

void pack_plainly(const std::uint64_t* words, const std::uint64_t* mask, std::size_t n_words,
                  std::uint64_t* out) {
  THRIFTREE_PACK_BITS(pack_word_plainly)
}

#ifdef THRIFTREE_X86
__attribute__((target("bmi2,popcnt"))) void pack_by_pext(const std::uint64_t* words,
                                                         const std::uint64_t* mask, std::size_t n_words,
                                                         std::uint64_t* out) {
  THRIFTREE_PACK_BITS(_pext_u64)
}
#endif

}  // namespace

void pack_bits(const std::uint64_t* words, const std::uint64_t* mask, std::size_t n_words,
               std::uint64_t* out) {
#ifdef THRIFTREE_X86
  const bool has_pext = cpu_has(CpuLevel::avx2);
  if (has_pext) return pack_by_pext(words, mask, n_words, out);
#endif
  pack_plainly(words, mask, n_words, out);
}

}  // namespace thriftree
