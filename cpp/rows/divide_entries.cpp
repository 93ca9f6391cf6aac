#include "rows/divide_entries.hpp"

#include <algorithm>

#include "run/cpu.hpp"

#ifdef THRIFTREE_X86
// GCC 12's own header declares a vector "undefined" in a way that its warning does not know.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#include <immintrin.h>
#endif

namespace thriftree {

namespace {

// Where a division stands: entries read, written left, written right, and the bits handed on.
struct Progress {
  std::size_t read = 0, left = 0, right = 0;
  std::uint32_t pending_left = 0, pending_right = 0;
};

template <class Entry>
void divide_plainly(Entry* entries, std::size_t n, int row_shift, const std::uint64_t* right, Entry* scratch,
                    Progress& p) {
  for (; p.read < n; ++p.read) {
    const Entry e = entries[p.read];
    const auto row = static_cast<std::size_t>(e >> row_shift);
    const bool goes_right = (right[row >> 6] >> (row & 63)) & 1;
    entries[p.left] = e | p.pending_left;
    scratch[p.right] = e | p.pending_right;
    const auto bit = static_cast<std::uint32_t>(e & 1);
    p.pending_left = goes_right ? p.pending_left | bit : 0;
    p.pending_right = goes_right ? 0 : p.pending_right | bit;
    p.left += !goes_right;
    p.right += goes_right;
  }
}

#ifdef THRIFTREE_X86

// Of 16 entries, those in `stay` keep their bit or get one from an entry that left since the last that
// stayed. Adding the bits of the leaving entries to the runs of leaving entries carries each into the next
// entry that stays.
inline std::uint32_t bits_after(std::uint32_t bits, std::uint32_t stay, std::uint32_t& pending) {
  const std::uint32_t leave = ~stay & 0xFFFFU;
  const std::uint32_t carried = leave + (bits & leave) + pending;
  pending = carried >> 16;
  return (bits | carried) & stay;
}

__attribute__((target("avx512f"))) void divide_by_sixteen(std::uint32_t* entries, std::size_t n,
                                                          int row_shift, const std::uint64_t* right,
                                                          std::uint32_t* scratch, Progress& p) {
  const __m512i one = _mm512_set1_epi32(1);
  const __m128i shift = _mm_cvtsi32_si128(row_shift);
  for (; p.read + 16 <= n; p.read += 16) {
    const __m512i e = _mm512_loadu_si512(entries + p.read);
    const __m512i row = _mm512_srl_epi32(e, shift);
    const __m512i word = _mm512_i32gather_epi32(_mm512_srli_epi32(row, 5), right, 4);
    const __m512i bit_of_row = _mm512_sllv_epi32(one, _mm512_and_si512(row, _mm512_set1_epi32(31)));
    const std::uint32_t to_right = _mm512_test_epi32_mask(word, bit_of_row), to_left = ~to_right & 0xFFFFU;
    const std::uint32_t bits = _mm512_test_epi32_mask(e, one);
    const __m512i bare = _mm512_andnot_si512(one, e);
    const auto left_bits = static_cast<__mmask16>(bits_after(bits, to_left, p.pending_left));
    const auto right_bits = static_cast<__mmask16>(bits_after(bits, to_right, p.pending_right));
    // All 16 lanes are stored; those past the count are overwritten by the next store. Left writes never pass
    // what was read.
    _mm512_storeu_si512(entries + p.left,
                        _mm512_maskz_compress_epi32(static_cast<__mmask16>(to_left),
                                                    _mm512_mask_or_epi32(bare, left_bits, bare, one)));
    _mm512_storeu_si512(scratch + p.right,
                        _mm512_maskz_compress_epi32(static_cast<__mmask16>(to_right),
                                                    _mm512_mask_or_epi32(bare, right_bits, bare, one)));
    const auto n_right = static_cast<std::size_t>(__builtin_popcount(to_right));
    p.right += n_right;
    p.left += 16 - n_right;
  }
}

#endif

template <class Entry>
void finish(Entry* entries, std::size_t n_left, const Entry* scratch, const Progress& p) {
  std::copy(scratch, scratch + p.right, entries + n_left);
}

}  // namespace

void divide_entries(std::uint32_t* entries, std::size_t n, std::size_t n_left, int row_shift,
                    const std::uint64_t* right, std::uint32_t* scratch) {
  Progress p;
#ifdef THRIFTREE_X86
  if (cpu_has(CpuLevel::avx512)) divide_by_sixteen(entries, n, row_shift, right, scratch, p);
#endif
  divide_plainly(entries, n, row_shift, right, scratch, p);
  finish(entries, n_left, scratch, p);
}

void divide_entries(std::uint64_t* entries, std::size_t n, std::size_t n_left, int row_shift,
                    const std::uint64_t* right, std::uint64_t* scratch) {
  Progress p;
  divide_plainly(entries, n, row_shift, right, scratch, p);
  finish(entries, n_left, scratch, p);
}

}  // namespace thriftree

#ifdef THRIFTREE_X86
#pragma GCC diagnostic pop
#endif
