// Two labels for two leaves: a side's cost after the best cut follows from its least and largest prefix sums.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "search/sweep_vector.hpp"

namespace thriftree {

using LaneCosts = std::array<std::int64_t, kLanes>;

// Of both sides: prefix sums of the rows in a column's order, at each end of a rank and of no row.
struct LanePrefixes {
  LaneCosts least_left, most_left, least_right, most_right;
};

// What a row adds, where few values occur: one vector per label and bin.
struct SmallSums {
  std::vector<lanes::Numbers<std::int16_t>> left, right;  // [label × kBins + bin]
  std::int64_t unit = 1;                                  // values are multiples of it
  std::size_t chunk = 1;                                  // so many rows can be summed in 16 bits
};

// False: the values are too large.
bool make_small_sums(const std::vector<std::int64_t>& by_label, SmallSums& made);

// `codes` are label × kBins + bin.
void small_prefixes(const std::uint32_t* order, std::size_t n, const std::uint8_t* codes,
                    const SmallSums& sums, LanePrefixes& found);
void wide_prefixes(const lanes::LaneInputs<std::int32_t>& in, LanePrefixes& found);
void wide_prefixes(const lanes::LaneInputs<std::int64_t>& in, LanePrefixes& found);

// The same of those prefixes that leave room for both leaves. Where there is none, the least is far above and
// the largest far below every sum.
void kept_prefixes(const lanes::LaneInputs<std::int32_t>& in, const lanes::LeafRoom<std::int32_t>& left,
                   const lanes::LeafRoom<std::int32_t>& right, LanePrefixes& found);
void kept_prefixes(const lanes::LaneInputs<std::int64_t>& in, const lanes::LeafRoom<std::int64_t>& left,
                   const lanes::LeafRoom<std::int64_t>& right, LanePrefixes& found);

}  // namespace thriftree
