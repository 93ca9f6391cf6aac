#include "search/number_gains.hpp"

#include <algorithm>

#include "search/number_lanes.hpp"

namespace thriftree {

namespace {

using namespace number_lanes;

THRIFTREE_INLINE double largest(Four x) { return std::max(std::max(x[0], x[1]), std::max(x[2], x[3])); }

// The numbers of a field: below 2^52 their digits are those of 2^52 + number.
THRIFTREE_INLINE Four read_field(const NumberField& field, const std::int64_t* words) {
  const auto raw =
      reinterpret_cast<FourWords>(load(words)) + (static_cast<std::uint64_t>(field.bias) << field.shift);
  const FourWords digits = ((raw >> field.shift) & field.mask) | 0x4330000000000000U;
  return reinterpret_cast<Four>(digits) - (0x1p52 + static_cast<double>(field.bias));
}

// The sums of the eight cells of f, g and h: cell 4 a + 2 b + c answers a, b and c.
struct EightCells {
  Four cell[8];
};

THRIFTREE_INLINE EightCells cells_of(const CellSums& s, std::size_t h) {
  const Four t = read_field(s.field, s.fgh + h), u = load(s.fh + h) - t, v = load(s.gh + h) - t;
  const Four q = load(s.h + h) - load(s.fh + h) - v;
  const double only_f = s.f - s.both, only_g = s.g - s.both, none = s.all - s.f - only_g;
  return {{none - q, q, only_g - v, v, only_f - u, u, s.both - t, t}};
}

// number_gain, lane by lane.
THRIFTREE_INLINE Four gain_of(Four sum, Four weight, double unit) {
  // Without weight the sum is 0, and so is the gain.
  const Four x = sum * sum / larger(weight, all_of(1)) * unit;
  const Four nearest = (x + 0x1.8p52) - 0x1.8p52;  // a whole number, for x below 2^51
  return nearest > x ? nearest - 1 : nearest;
}

template <bool limited>
THRIFTREE_INLINE void divide(const CellSums* sums, std::size_t first, std::size_t width, const GainRule& rule,
                             NumberDivisions& made) {
  Four best[4] = {all_of(kBadGain), all_of(kBadGain), all_of(kBadGain), all_of(kBadGain)};
  for (std::size_t h = first; h < width; h += 4) {
    const EightCells sum = cells_of(sums[0], h), weight = cells_of(sums[1], h);
    Four gain[8];
    for (std::size_t i = 0; i < 8; ++i) gain[i] = gain_of(sum.cell[i], weight.cell[i], rule.unit);
    if constexpr (limited) {
      const EightCells rows = cells_of(sums[2], h);
      for (std::size_t i = 0; i < 8; ++i) {
        gain[i] = rows.cell[i] < rule.min_rows ? all_of(kBadGain) : gain[i];
        gain[i] = weight.cell[i] < rule.min_weight ? all_of(kBadGain) : gain[i];
      }
    }
    for (std::size_t i = 0; i < 4; ++i) {
      const std::size_t a = i >> 1, c = i & 1;
      best[i] = larger(best[i], gain[2 * i] + gain[2 * i + 1]);
      raise(made.of_f[i] + h, gain[4 * a + c] + gain[4 * a + 2 + c]);
      raise(made.of_g[i] + h, gain[2 * a + c] + gain[4 + 2 * a + c]);
    }
  }
  for (std::size_t i = 0; i < 4; ++i) made.best[i] = largest(best[i]);
}

THRIFTREE_BY_CPU(void, divide_freely,
                 (const CellSums* sums, std::size_t first, std::size_t width, const GainRule& rule,
                  NumberDivisions& made),
                 (sums, first, width, rule, made)) {
  divide<false>(sums, first, width, rule, made);
}
THRIFTREE_BY_CPU(void, divide_within_limits,
                 (const CellSums* sums, std::size_t first, std::size_t width, const GainRule& rule,
                  NumberDivisions& made),
                 (sums, first, width, rule, made)) {
  divide<true>(sums, first, width, rule, made);
}

}  // namespace

void divide_cells(const CellSums* sums, std::size_t first, std::size_t width, const GainRule& rule,
                  NumberDivisions& made) {
  if (rule.min_rows > 0 || rule.min_weight > 0) {
    divide_within_limits(sums, first, width, rule, made);
  } else {
    divide_freely(sums, first, width, rule, made);
  }
}

}  // namespace thriftree
