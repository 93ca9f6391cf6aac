// Eight counts, or single-precision numbers, at a time: what bounds that are seen from afar are made with.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "run/cpu.hpp"

namespace thriftree {

inline constexpr std::size_t kCountLanes = 8;
inline constexpr float kNotAllowed = -1;  // what a threshold that is not allowed gains
typedef std::int32_t EightCounts __attribute__((vector_size(4 * kCountLanes)));
typedef float EightNumbers __attribute__((vector_size(4 * kCountLanes)));

// The sums of the counts up to each, with it, and with what came before them, which becomes the last sum.
THRIFTREE_INLINE void add_up(const void* counts, EightCounts& carry, EightCounts& sums) {
  const EightCounts zero = {};
  std::memcpy(&sums, counts, sizeof sums);
  sums += __builtin_shufflevector(zero, sums, 0, 8, 9, 10, 11, 12, 13, 14);
  sums += __builtin_shufflevector(zero, sums, 0, 1, 8, 9, 10, 11, 12, 13);
  sums += __builtin_shufflevector(zero, sums, 0, 1, 2, 3, 8, 9, 10, 11);
  sums += carry;
  carry = __builtin_shufflevector(sums, sums, 7, 7, 7, 7, 7, 7, 7, 7);
}

}  // namespace thriftree
