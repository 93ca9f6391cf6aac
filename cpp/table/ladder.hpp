// How many entries of a sorted list lie below each of many numbers: the inner loop of coding.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace thriftree {

// A map from numbers to cells that never falls as the number rises: what lies in an earlier cell is smaller.
// So a number's cell tells how many entries are below it, but for those in the cell itself.
template <typename T>
struct Cells {
  static constexpr std::size_t count = 2048;

  bool by_bits = false;  // cells of equal size in the order of bits, which suits long tails; else in numbers
  T low = 0, scale = 0;
  std::uint64_t low_key = 0;
  int shift = 0;
  int comparisons = 0;                // most entries in a cell; 0: there are no cells
  std::vector<std::uint16_t> before;  // entries in earlier cells

  Cells() = default;
  // Of the ascending entries; none where comparing entries is as quick.
  explicit Cells(const std::vector<T>& entries);
  std::size_t of(T x) const;

 private:
  void fill(const std::vector<T>& entries);
};

// A sorted list, ready to be searched.
template <typename T>
struct Ladder {
  std::uint32_t size = 0;  // true entries
  int levels = 0;          // 2^levels > size
  std::vector<T> rungs;    // 2^levels entries: ascending, then +inf
  Cells<T> cells;

  Ladder() = default;
  // Entries of another type are rounded towards -inf, which leaves the answer for every T unchanged.
  explicit Ladder(const std::vector<double>& entries);
};

// below[i] = number of entries < x[i]; 0 for NaN.
void count_below(const Ladder<float>& ladder, const float* x, std::size_t n, std::uint32_t* below);
void count_below(const Ladder<double>& ladder, const double* x, std::size_t n, std::uint32_t* below);

}  // namespace thriftree
