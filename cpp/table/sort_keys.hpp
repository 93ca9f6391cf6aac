// Sort keys in ascending order.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

namespace thriftree {

// A radix sort from the lowest digit up; digits that all keys share cost nothing but their count.
template <typename Key>
void sort_keys(std::vector<Key>& keys, std::vector<Key>& spare) {
  constexpr int digit_bits = 11, n_digits = (std::numeric_limits<Key>::digits + digit_bits - 1) / digit_bits;
  constexpr std::size_t n_buckets = std::size_t{1} << digit_bits;
  const auto digit = [](Key key, std::size_t d) {
    return static_cast<std::size_t>(key >> (d * digit_bits)) & (n_buckets - 1);
  };
  if (keys.empty()) return;
  spare.resize(keys.size());
  std::array<std::array<std::uint32_t, n_buckets>, n_digits> places{};
  for (const Key key : keys) {
    for (std::size_t d = 0; d < n_digits; ++d) ++places[d][digit(key, d)];
  }
  for (std::size_t d = 0; d < n_digits; ++d) {
    auto& place = places[d];
    if (place[digit(keys[0], d)] == keys.size()) continue;
    std::uint32_t before = 0;
    for (auto& p : place) before += std::exchange(p, before);
    for (const Key key : keys) spare[place[digit(key, d)]++] = key;
    keys.swap(spare);
  }
}

}  // namespace thriftree
