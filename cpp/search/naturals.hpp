// Natural numbers of any size, for counts of trees: spans of limbs, the least first.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace thriftree {

using Limb = std::uint64_t;
using Natural = std::vector<Limb>;  // any number of leading zeros
__extension__ using DoubleLimb = unsigned __int128;

// The sum must fit: n limbs.
inline void add_limbs(Limb* sum, std::size_t n, const Limb* a, std::size_t n_a) {
  DoubleLimb carry = 0;
  for (std::size_t i = 0; i < n && (i < n_a || carry != 0); ++i) {
    carry += DoubleLimb{sum[i]} + (i < n_a ? a[i] : 0);
    sum[i] = static_cast<Limb>(carry);
    carry >>= 64;
  }
}

// Adds a * b; the sum must fit its n limbs.
inline void add_product(Limb* sum, std::size_t n, const Limb* a, std::size_t n_a, const Limb* b,
                        std::size_t n_b) {
  if (n == 1) {
    sum[0] += a[0] * b[0];
    return;
  }
  for (std::size_t i = 0; i < n_a; ++i) {
    if (a[i] == 0) continue;
    Limb carry = 0;
    for (std::size_t j = 0; i + j < n && (j < n_b || carry != 0); ++j) {
      const DoubleLimb t = DoubleLimb{a[i]} * (j < n_b ? b[j] : 0) + sum[i + j] + carry;
      sum[i + j] = static_cast<Limb>(t);
      carry = static_cast<Limb>(t >> 64);
    }
  }
}

inline int bits_of(const Limb* a, std::size_t n) {
  while (n > 0 && a[n - 1] == 0) --n;
  return n == 0 ? 0 : static_cast<int>(64 * (n - 1)) + static_cast<int>(std::bit_width(a[n - 1]));
}
inline int bits_of(const Natural& a) { return bits_of(a.data(), a.size()); }
inline bool is_zero(const Natural& a) { return bits_of(a) == 0; }
inline std::size_t limbs_for(int bits) {
  return std::max<std::size_t>(1, (static_cast<std::size_t>(bits) + 63) / 64);
}

inline bool is_less(const Limb* a, std::size_t n_a, const Limb* b, std::size_t n_b) {
  for (std::size_t i = std::max(n_a, n_b); i-- > 0;) {
    const Limb x = i < n_a ? a[i] : 0, y = i < n_b ? b[i] : 0;
    if (x != y) return x < y;
  }
  return false;
}
inline bool is_less(const Natural& a, const Natural& b) {
  return is_less(a.data(), a.size(), b.data(), b.size());
}

// a -= b, where b is not larger.
inline void subtract(Natural& a, const Limb* b, std::size_t n_b) {
  Limb borrow = 0;
  for (std::size_t i = 0; i < a.size() && (i < n_b || borrow != 0); ++i) {
    const Limb y = i < n_b ? b[i] : 0, x = a[i];
    a[i] = x - y - borrow;
    borrow = x < y || (x == y && borrow != 0) ? 1 : 0;
  }
}

struct Division {
  Natural quotient, rest;
};
// b is more than 0.
Division divided(const Natural& a, const Limb* b, std::size_t n_b);

}  // namespace thriftree
