// A sum of many terms that does not wait for each addition before the next: four partial sums, always in the
// same order.
#pragma once

#include <cstddef>

namespace thriftree {

template <class Term>
inline double sum_over(std::size_t n, const Term& term) {
  double a = 0, b = 0, c = 0, d = 0;
  std::size_t k = 0;
  for (; k + 4 <= n; k += 4) {
    a += term(k);
    b += term(k + 1);
    c += term(k + 2);
    d += term(k + 3);
  }
  for (; k < n; ++k) a += term(k);
  return (a + b) + (c + d);
}

}  // namespace thriftree
