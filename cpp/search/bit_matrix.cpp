#include "search/bit_matrix.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace thriftree {

// Quarters are exchanged, then quarters of quarters, down to single bits.
void transpose_bits(std::uint64_t block[64]) {
  std::uint64_t mask = 0x00000000ffffffffU;
  for (std::size_t half = 32; half != 0; half >>= 1, mask ^= mask << half) {
    for (std::size_t i = 0; i < 64; i = (i + half + 1) & ~half) {
      const std::uint64_t swapped = (block[i] >> half ^ block[i + half]) & mask;
      block[i] ^= swapped << half;
      block[i + half] ^= swapped;
    }
  }
}

std::uint64_t bits_of_answers(const std::uint8_t* answers, std::size_t n) {
  std::uint64_t bits = 0;
  std::size_t i = 0;
  if constexpr (std::endian::native == std::endian::little) {
    for (; i + 8 <= n; i += 8) {
      std::uint64_t eight = 0;
      std::memcpy(&eight, answers + i, 8);
      // The product moves the lowest bit of byte k to bit 56 + k.
      bits |= (eight * 0x0102040810204080U >> 56) << i;
    }
  }
  for (; i < n; ++i) bits |= static_cast<std::uint64_t>(answers[i]) << i;
  return bits;
}

BitRows transposed(const BitRows& from, std::size_t n_rows, std::size_t n_bits) {
  BitRows made;
  made.n_words = (n_rows + 63) / 64;
  made.words.resize(n_bits * made.n_words);
  std::uint64_t block[64];
  for (std::size_t row = 0; row < n_rows; row += 64) {
    const std::size_t rows = std::min<std::size_t>(64, n_rows - row);
    for (std::size_t word = 0; word < from.n_words; ++word) {
      for (std::size_t i = 0; i < 64; ++i) block[i] = i < rows ? from.row(row + i)[word] : 0;
      transpose_bits(block);
      const std::size_t bits = std::min<std::size_t>(64, n_bits - 64 * word);
      for (std::size_t i = 0; i < bits; ++i) made.words[(64 * word + i) * made.n_words + row / 64] = block[i];
    }
  }
  return made;
}

}  // namespace thriftree
