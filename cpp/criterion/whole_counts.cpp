#include "criterion/whole_counts.hpp"

#include <array>

namespace thriftree {

void square_whole_counts(const std::uint16_t* label, int m, std::span<double> left,
                         std::span<const double> total, double* squares_left, double* squares_right) {
  std::array<std::int64_t, kMostClassesInWhole> count, rest;
  std::int64_t a = 0, b = 0;
  for (std::size_t k = 0; k < left.size(); ++k) {
    count[k] = static_cast<std::int64_t>(left[k]);
    rest[k] = static_cast<std::int64_t>(total[k]) - count[k];
    a += count[k] * count[k];
    b += rest[k] * rest[k];
  }
  for (int i = 0; i < m; ++i) {
    const std::size_t k = label[i];
    const std::int64_t l = count[k]++, r = rest[k]--;
    a += 2 * l + 1;
    b -= 2 * r - 1;
    squares_left[i] = static_cast<double>(a);
    squares_right[i] = static_cast<double>(b);
  }
  for (std::size_t k = 0; k < left.size(); ++k) left[k] = static_cast<double>(count[k]);
}

}  // namespace thriftree
