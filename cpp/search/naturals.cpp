#include "search/naturals.hpp"

namespace thriftree {

Division divided(const Natural& a, const Limb* b, std::size_t n_b) {
  const int bits = bits_of(a);
  Division made{Natural(a.size()), Natural(n_b + 1)};
  if (bits <= 128 && bits_of(b, n_b) <= 128) {
    const auto whole = [](const Limb* limbs, std::size_t n) {
      return DoubleLimb{limbs[0]} | (n > 1 ? DoubleLimb{limbs[1]} << 64 : 0);
    };
    const DoubleLimb x = whole(a.data(), a.size()), y = whole(b, n_b);
    const auto write = [](DoubleLimb value, Natural& to) {
      to[0] = static_cast<Limb>(value);
      if (to.size() > 1) to[1] = static_cast<Limb>(value >> 64);
    };
    write(x / y, made.quotient);
    write(x % y, made.rest);
    return made;
  }
  for (int bit = bits; bit-- > 0;) {
    const auto at = static_cast<std::size_t>(bit);
    Limb carry = a[at / 64] >> (at % 64) & 1;
    for (Limb& limb : made.rest) {
      const Limb next = limb >> 63;
      limb = limb << 1 | carry;
      carry = next;
    }
    if (is_less(made.rest.data(), made.rest.size(), b, n_b)) continue;
    subtract(made.rest, b, n_b);
    made.quotient[at / 64] |= Limb{1} << (at % 64);
  }
  return made;
}

}  // namespace thriftree
