// At the ends of spans: the objects on the left, and on both sides the pairs of objects in different groups.
#pragma once

#include <array>
#include <cstddef>
#include <span>

namespace thriftree {

inline constexpr std::size_t kMostEnds = 257;  // of a column of one-byte codes
using EndValues = std::array<double, kMostEnds>;

struct EndPairs {
  EndValues objects, left, right;  // of as many ends as there are
  double all = 0;                  // objects of the node

  // counts[k * stride + i]: those of group k on the left of end i; `whole` are the node's.
  EndPairs(const double* counts, std::size_t stride, int m, std::span<const double> whole);
};

// The pairs of different groups that a threshold at each end parts: q, of m; and the most that one inside
// each span does: upper, of m - 1.
//
// They are f = sum of L_k (r - R_k), which is affine in each L_k, of slope s_k = n - n_k - 2 (l - L_k). The
// slope never rises, so within a span it is at most that of its first end and at least that of its last, and
// from either end, or from both and their mean, f is bounded as gini is (see GiniBound). Two groups: f is
// largest at one of the four corners.
void look_at_pairs(const double* counts, std::size_t stride, int m, std::span<const double> whole, double* q,
                   double* upper);

}  // namespace thriftree
