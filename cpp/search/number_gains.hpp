// From sums to gains: what the cells of three tests gain as leaves, lane by lane.
#pragma once

#include <cstddef>
#include <cstdint>

namespace thriftree {

constexpr double kBadGain = -0x1p60;  // of a cell that may be no leaf: with any gain added it is below 0

// One of a row's numbers within a word of 64 bits, so that words can be added up: a number below 2^52, moved
// up by `shift`; signed ones have `bias` added before they are read.
struct NumberField {
  std::size_t word = 0;
  int shift = 0;
  std::uint64_t mask = ~std::uint64_t{0};  // after the shift
  std::int64_t bias = 0;

  double read(std::int64_t word_sum) const {
    const std::uint64_t raw =
        static_cast<std::uint64_t>(word_sum) + (static_cast<std::uint64_t>(bias) << shift);
    return static_cast<double>(static_cast<std::int64_t>(raw >> shift & mask) - bias);
  }
};

struct GainRule {
  double unit = 1, min_rows = 0, min_weight = 0;
};

// Of one number (sum, weight or rows): over the node, f, g and both of them, and over h with each.
struct CellSums {
  double all, f, g, both;
  const double *h, *fh, *gh;
  const std::int64_t* fgh;  // words
  NumberField field;        // in them
};

// Where the best divisions of cells of two tests are kept, and what a pass over h has found for f and g.
struct NumberDivisions {
  double* of_f[4];  // [2 a + c]: f answers a, h answers c, and g divides
  double* of_g[4];  // [2 b + c]: g answers b, h answers c, and f divides
  double best[4];   // [2 a + b]: f answers a, g answers b, and the best h divides
};

// For h from `first` on: sums[0] of weight x target, [1] of weight, [2] of rows where the rule asks for them.
void divide_cells(const CellSums* sums, std::size_t first, std::size_t width, const GainRule& rule,
                  NumberDivisions& made);

}  // namespace thriftree
