// Bits of chosen rows, packed together.
#pragma once

#include <cstddef>
#include <cstdint>

namespace thriftree {

// Writes the bits of `words` where `mask` is set, one after the other; returns nothing beyond the last word
// that they fill. `out` holds as many words as popcount(mask) needs.
void pack_bits(const std::uint64_t* words, const std::uint64_t* mask, std::size_t n_words,
               std::uint64_t* out);

}  // namespace thriftree
