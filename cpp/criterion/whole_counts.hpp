// Rows of weight 1, one after another: counts by class and their squares are whole numbers, so nothing waits
// for floating point.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace thriftree {

inline constexpr std::size_t kMostClassesInWhole = 64;

// The sums of the squared class counts, on the left and on the right of the threshold after each of `m` rows.
// `left` are the counts before the first of them, and those after the last on return; `total` the node's.
// At most kMostClassesInWhole classes.
void square_whole_counts(const std::uint16_t* label, int m, std::span<double> left,
                         std::span<const double> total, double* squares_left, double* squares_right);

}  // namespace thriftree
