// Bits of rows and tests, turned from one order into the other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace thriftree {

// Bit j of word i becomes bit i of word j.
void transpose_bits(std::uint64_t block[64]);

// Rows of bits, each on words of its own.
struct BitRows {
  std::size_t n_words = 0;           // of each row
  std::vector<std::uint64_t> words;  // [row * n_words + word]; bits beyond the last are 0

  const std::uint64_t* row(std::size_t i) const { return words.data() + i * n_words; }
};

// The 64 answers (bytes of 0 or 1) from `answers` on, or the n that there are, as bits.
std::uint64_t bits_of_answers(const std::uint8_t* answers, std::size_t n);

// The matrix with rows and columns exchanged; it has `n_bits` of each row of `from`.
BitRows transposed(const BitRows& from, std::size_t n_rows, std::size_t n_bits);

}  // namespace thriftree
