// A column of very many numbers as few codes that never fall as the number rises. Which numbers share a code
// is of no concern to a tree: codes say where a threshold may lie, exact values where it does. So no edge is
// searched for: a number's cell is computed, and a table of cells holds the codes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace thriftree {

template <typename T>
struct SpanMap {
  static constexpr std::size_t n_cells = 1024;
  static constexpr std::uint32_t most_codes = 255;  // one byte has room for the missing code, too

  bool by_bits = false;       // cells of equal size in the order of the bits; else of the numbers
  T low = 0, scale = 0;       // numbers: the cell of x is (x - low) * scale, within [0, n_cells)
  std::uint64_t low_key = 0;  // bits: (sort_key of x as a float - low_key) >> shift
  int shift = 0;
  std::uint32_t n_codes = 1;
  std::vector<std::uint8_t> code;  // by cell, never falling; at n_cells that of NaN, which is n_codes

  SpanMap() = default;
  // Codes of about equal shares of the sample, which has finite numbers only and is rearranged.
  SpanMap(std::vector<T>& sample, std::uint32_t codes_wanted);

  std::uint32_t cell_of(T x) const;  // n_cells for NaN
  std::uint8_t operator()(T x) const { return code[cell_of(x)]; }
};

// codes[i] = map(x[i]); x is what read_numbers gives.
void code_spans(const SpanMap<float>& map, const float* x, std::size_t n, std::uint32_t* codes);
void code_spans(const SpanMap<double>& map, const double* x, std::size_t n, std::uint32_t* codes);

}  // namespace thriftree
