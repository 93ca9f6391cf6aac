#include "table/spans.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>

#include "run/cpu.hpp"
#include "table/cells.hpp"
#include "table/source.hpp"

namespace thriftree {
namespace {

constexpr std::size_t crowd = 64;     // a cell with more than one in so many of the sample is crowded
constexpr std::size_t trimmed = 512;  // of a crowded sample one in so many is left out at either end

template <typename T>
THRIFTREE_INLINE void cells_of_numbers(T low, T scale, const T* x, std::size_t n, std::int32_t* cell) {
  for (std::size_t i = 0; i < n; ++i) {
    cell[i] = x[i] == x[i] ? cell_of_number<SpanMap<T>::n_cells>(x[i], low, scale)
                           : static_cast<std::int32_t>(SpanMap<T>::n_cells);
  }
}
THRIFTREE_BY_CPU(void, find_cells,
                 (const SpanMap<float>& map, const float* x, std::size_t n, std::int32_t* cell),
                 (map, x, n, cell)) {
  cells_of_numbers(map.low, map.scale, x, n, cell);
}
THRIFTREE_BY_CPU(void, find_cells,
                 (const SpanMap<double>& map, const double* x, std::size_t n, std::int32_t* cell),
                 (map, x, n, cell)) {
  cells_of_numbers(map.low, map.scale, x, n, cell);
}

// The number that bits are taken of. Doubles have so many exponents that cells of equal size would leave few
// to the numbers at hand; rounding to float keeps the order.
float rounded(float x) { return x; }
float rounded(double x) {
  constexpr double most = std::numeric_limits<float>::max();
  return static_cast<float>(std::clamp(x, -most, most));
}

// Cells over [low, high] of a sample: how many of it each holds, and the fullest.
template <typename T>
struct Filling {
  SpanMap<T> map;
  std::array<std::uint32_t, SpanMap<T>::n_cells> held{};
  std::uint32_t most = 0;
  bool usable = true;

  Filling(const std::vector<T>& sample, T low, T high, bool by_bits) {
    constexpr auto n_cells = SpanMap<T>::n_cells;
    map.by_bits = by_bits;
    map.low = low;
    map.scale = static_cast<T>(n_cells) / (high - low);
    map.low_key = sort_key(rounded(low));
    const std::uint64_t range = sort_key(rounded(high)) - map.low_key;
    map.shift = std::max(0, static_cast<int>(std::bit_width(range)) - std::countr_zero(n_cells));
    usable = by_bits || std::isfinite(map.scale);
    if (!usable) return;
    for (const T x : sample) most = std::max(most, ++held[map.cell_of(x)]);
  }
  bool better_than(const Filling& other) const { return usable && (!other.usable || most < other.most); }
};

}  // namespace

template <typename T>
std::uint32_t SpanMap<T>::cell_of(T x) const {
  if (x != x) return n_cells;
  if (!by_bits) return static_cast<std::uint32_t>(cell_of_number<SpanMap<T>::n_cells>(x, low, scale));
  const std::uint64_t key = sort_key(rounded(x));
  const std::uint64_t at = key > low_key ? (key - low_key) >> shift : 0;
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(at, n_cells - 1));
}

template <typename T>
SpanMap<T>::SpanMap(std::vector<T>& sample, std::uint32_t codes_wanted) {
  code.assign(n_cells + 1, 0);
  if (!sample.empty()) {
    const auto [least, largest] = std::minmax_element(sample.begin(), sample.end());
    Filling<T> best(sample, *least, *largest, false);
    if (!best.usable || best.most > sample.size() / crowd) {
      // Long tails, or numbers of which one is far out: try the order of bits, and without the ends.
      std::sort(sample.begin(), sample.end());
      const std::size_t cut = sample.size() / trimmed;
      const T low = sample[cut], high = sample[sample.size() - 1 - cut];
      for (const Filling<T>& other :
           {Filling<T>(sample, sample.front(), sample.back(), true), Filling<T>(sample, low, high, false),
            Filling<T>(sample, low, high, true)}) {
        if (other.better_than(best)) best = other;
      }
    }
    std::vector<std::uint8_t> codes = std::move(code);
    *this = best.map;
    code = std::move(codes);
    std::uint64_t before = 0, share = 0;
    for (std::size_t cell = 0; cell < n_cells; ++cell) {
      const std::uint64_t now = before * codes_wanted / sample.size();  // shares that end before this cell
      if (now > share && n_codes < codes_wanted) {
        share = now;
        ++n_codes;
      }
      code[cell] = static_cast<std::uint8_t>(n_codes - 1);
      before += best.held[cell];
    }
  }
  code[n_cells] = static_cast<std::uint8_t>(n_codes);
}

template struct SpanMap<float>;
template struct SpanMap<double>;

namespace {

template <typename T>
void code_spans_of(const SpanMap<T>& map, const T* x, std::size_t n, std::uint32_t* codes) {
  constexpr std::size_t together = 128;
  std::int32_t cell[together];
  for (std::size_t first = 0; first < n; first += together) {
    const std::size_t m = std::min(together, n - first);
    if (map.by_bits) {
      for (std::size_t i = 0; i < m; ++i) cell[i] = static_cast<std::int32_t>(map.cell_of(x[first + i]));
    } else {
      find_cells(map, x + first, m, cell);
    }
    for (std::size_t i = 0; i < m; ++i) codes[first + i] = map.code[static_cast<std::size_t>(cell[i])];
  }
}

}  // namespace

void code_spans(const SpanMap<float>& map, const float* x, std::size_t n, std::uint32_t* codes) {
  code_spans_of(map, x, n, codes);
}
void code_spans(const SpanMap<double>& map, const double* x, std::size_t n, std::uint32_t* codes) {
  code_spans_of(map, x, n, codes);
}

}  // namespace thriftree
