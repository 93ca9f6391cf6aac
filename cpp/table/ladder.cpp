#include "table/ladder.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "run/cpu.hpp"
#include "table/cells.hpp"
#include "table/source.hpp"

namespace thriftree {
namespace {

constexpr std::size_t shortest_with_cells = 8;  // entries; a shorter list is searched as quickly
constexpr int most_comparisons = 4;             // in a cell; beyond, halving the list is quicker
constexpr std::size_t together = 64;            // numbers coded at a time

template <typename T>
T rounded_down(double x) {
  auto y = static_cast<T>(x);
  if (static_cast<double>(y) > x) y = std::nextafter(y, -std::numeric_limits<T>::infinity());
  return y;
}

template <typename T>
std::uint32_t cell_of_bits(T x, std::uint64_t low_key, int shift) {
  const std::uint64_t key = sort_key(x);
  const std::uint64_t at = key > low_key && x == x ? (key - low_key) >> shift : 0;
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(at, Cells<T>::count - 1));
}

template <typename T>
THRIFTREE_INLINE void cells_of_numbers(const Cells<T>& cells, const T* x, std::uint32_t* cell) {
  const T low = cells.low, scale = cells.scale;
  for (std::size_t i = 0; i < together; ++i)
    cell[i] = static_cast<std::uint32_t>(cell_of_number<Cells<T>::count>(x[i], low, scale));
}
THRIFTREE_BY_CPU(void, find_cells, (const Cells<float>& cells, const float* x, std::uint32_t* cell),
                 (cells, x, cell)) {
  cells_of_numbers(cells, x, cell);
}
THRIFTREE_BY_CPU(void, find_cells, (const Cells<double>& cells, const double* x, std::uint32_t* cell),
                 (cells, x, cell)) {
  cells_of_numbers(cells, x, cell);
}

// Level by level for a few numbers at a time, so that their searches overlap and none waits on a branch.
template <typename T>
void halve(const Ladder<T>& ladder, const T* x, std::size_t n, std::uint32_t* below) {
  constexpr std::size_t at_once = 16;
  const T* rungs = ladder.rungs.data();
  std::size_t i = 0;
  for (; i + at_once <= n; i += at_once) {
    std::uint32_t at[at_once] = {};
    for (std::uint32_t step = (std::uint32_t{1} << ladder.levels) / 2; step > 0; step /= 2) {
      for (std::size_t l = 0; l < at_once; ++l) at[l] += rungs[at[l] + step - 1] < x[i + l] ? step : 0;
    }
    std::memcpy(below + i, at, sizeof at);
  }
  for (; i < n; ++i) {
    std::uint32_t at = 0;
    for (std::uint32_t step = (std::uint32_t{1} << ladder.levels) / 2; step > 0; step /= 2) {
      at += rungs[at + step - 1] < x[i] ? step : 0;
    }
    below[i] = at;
  }
}

template <int Comparisons, typename T>
void compare_in_cells(const Ladder<T>& ladder, const T* x, const std::uint32_t* cell, std::uint32_t* below) {
  const std::uint16_t* before = ladder.cells.before.data();
  const T* rungs = ladder.rungs.data();
  for (std::size_t i = 0; i < together; ++i) {
    const std::uint32_t first = before[cell[i]];
    std::uint32_t at = first;
    for (std::uint32_t k = 0; k < Comparisons; ++k) at += rungs[first + k] < x[i];
    below[i] = at;
  }
}

template <typename T>
void count_below_of(const Ladder<T>& ladder, const T* x, std::size_t n, std::uint32_t* below) {
  const Cells<T>& cells = ladder.cells;
  std::size_t i = 0;
  for (std::uint32_t cell[together]; cells.comparisons > 0 && i + together <= n; i += together) {
    if (cells.by_bits) {
      for (std::size_t k = 0; k < together; ++k) cell[k] = cell_of_bits(x[i + k], cells.low_key, cells.shift);
    } else {
      find_cells(cells, x + i, cell);
    }
    switch (cells.comparisons) {
      case 1:
        compare_in_cells<1>(ladder, x + i, cell, below + i);
        break;
      case 2:
        compare_in_cells<2>(ladder, x + i, cell, below + i);
        break;
      default:
        compare_in_cells<most_comparisons>(ladder, x + i, cell, below + i);
    }
  }
  halve(ladder, x + i, n - i, below + i);
}

}  // namespace

template <typename T>
std::size_t Cells<T>::of(T x) const {
  return by_bits ? cell_of_bits(x, low_key, shift)
                 : static_cast<std::uint32_t>(cell_of_number<count>(x, low, scale));
}

template <typename T>
void Cells<T>::fill(const std::vector<T>& entries) {
  std::array<std::uint16_t, count> in_cell{};
  for (const T entry : entries) ++in_cell[of(entry)];
  comparisons = *std::max_element(in_cell.begin(), in_cell.end());
  before.resize(count);
  std::uint16_t sum = 0;
  for (std::size_t cell = 0; cell < count; ++cell) {
    before[cell] = sum;
    sum = static_cast<std::uint16_t>(sum + in_cell[cell]);
  }
}

template <typename T>
Cells<T>::Cells(const std::vector<T>& entries) {
  if (entries.size() < shortest_with_cells) return;
  low = entries.front();
  scale = static_cast<T>(count) / (entries.back() - low);
  low_key = sort_key(low);
  const std::uint64_t range = sort_key(entries.back()) - low_key;
  shift = std::max(0, static_cast<int>(std::bit_width(range)) - std::countr_zero(count));
  if (std::isfinite(scale)) fill(entries);
  if (comparisons == 0 || comparisons > 2) {
    Cells other = *this;
    other.by_bits = true;
    other.fill(entries);
    if (comparisons == 0 || other.comparisons < comparisons) *this = std::move(other);
  }
  if (comparisons > most_comparisons) *this = {};
}

template <typename T>
Ladder<T>::Ladder(const std::vector<double>& entries)
    : size(static_cast<std::uint32_t>(entries.size())), levels(std::bit_width(entries.size())) {
  for (const double entry : entries) rungs.push_back(rounded_down<T>(entry));
  cells = Cells<T>(rungs);
  // One past the last rung is looked at where a cell has fewer entries than others.
  rungs.resize(std::max((std::size_t{1} << levels), entries.size() + most_comparisons),
               std::numeric_limits<T>::infinity());
}
template struct Cells<float>;
template struct Cells<double>;
template struct Ladder<float>;
template struct Ladder<double>;

void count_below(const Ladder<float>& ladder, const float* x, std::size_t n, std::uint32_t* below) {
  count_below_of(ladder, x, n, below);
}
void count_below(const Ladder<double>& ladder, const double* x, std::size_t n, std::uint32_t* below) {
  count_below_of(ladder, x, n, below);
}

}  // namespace thriftree
