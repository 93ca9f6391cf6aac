// Any number of labels for two leaves, where all mistakes about a row cost the same: a leaf saves the
// heaviest label.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "search/sweep_prefixes.hpp"

namespace thriftree {

// Memory that one thread uses for one column after the other.
struct LaneScratch {
  std::vector<lanes::Numbers<std::int16_t>> in16;
  std::vector<lanes::Numbers<std::int32_t>> in32;
  std::vector<lanes::Numbers<std::int64_t>> in64;
};

// The most that two leaves save of each side together, one cut apart or as one leaf.
struct LaneSavings {
  LaneCosts left, right;            // whatever the leaves' sizes
  LaneCosts kept_left, kept_right;  // two leaves with enough rows and weight; below 0: there are none
};

// `rooms`, left and right, may be null: then nothing is kept to.
template <typename T>
void majority_savings(const lanes::LaneInputs<T>& in, std::size_t n_classes, const lanes::LeafRoom<T>* rooms,
                      std::vector<lanes::Numbers<T>>& scratch, LaneSavings& found);

extern template void majority_savings(const lanes::LaneInputs<std::int16_t>&, std::size_t,
                                      const lanes::LeafRoom<std::int16_t>*,
                                      std::vector<lanes::Numbers<std::int16_t>>&, LaneSavings&);
extern template void majority_savings(const lanes::LaneInputs<std::int32_t>&, std::size_t,
                                      const lanes::LeafRoom<std::int32_t>*,
                                      std::vector<lanes::Numbers<std::int32_t>>&, LaneSavings&);
extern template void majority_savings(const lanes::LaneInputs<std::int64_t>&, std::size_t,
                                      const lanes::LeafRoom<std::int64_t>*,
                                      std::vector<lanes::Numbers<std::int64_t>>&, LaneSavings&);

}  // namespace thriftree
