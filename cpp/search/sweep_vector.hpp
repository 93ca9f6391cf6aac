// Thirty-two numbers at once, one for each threshold that a sweep looks at.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "run/cpu.hpp"

namespace thriftree {

constexpr int kLanes = 32;
constexpr std::size_t kBins = kLanes + 1;

namespace lanes {

// Of AVX2: compilers split wider vectors for it number by number, and AVX-512 loses little.
constexpr std::size_t kVectorBytes = 32;

// GCC and Clang keep these in registers of whatever width the CPU has. The alignment is said twice: the
// attribute's is not heeded where T is a parameter.
template <typename T>
struct alignas(64) Numbers {
  typedef T Part __attribute__((vector_size(kVectorBytes)));
  static constexpr int kParts = static_cast<int>(kLanes * sizeof(T) / kVectorBytes);
  Part part[kParts];
};

template <typename T>
THRIFTREE_INLINE void fill(Numbers<T>& x, T value) {
  for (auto& part : x.part) part = value - typename Numbers<T>::Part{};
}
template <typename T>
THRIFTREE_INLINE void add(Numbers<T>& sum, const Numbers<T>& x) {
  for (int p = 0; p < Numbers<T>::kParts; ++p) sum.part[p] += x.part[p];
}
// Adds the value to the lanes whose mask is set, or to the others.
template <typename T>
THRIFTREE_INLINE void add_where(Numbers<T>& sum, T value, const Numbers<T>& mask) {
  for (int p = 0; p < Numbers<T>::kParts; ++p)
    sum.part[p] += (value - typename Numbers<T>::Part{}) & mask.part[p];
}
template <typename T>
THRIFTREE_INLINE void add_elsewhere(Numbers<T>& sum, T value, const Numbers<T>& mask) {
  for (int p = 0; p < Numbers<T>::kParts; ++p)
    sum.part[p] += (value - typename Numbers<T>::Part{}) & ~mask.part[p];
}
template <typename T>
THRIFTREE_INLINE void lower(Numbers<T>& least, const Numbers<T>& x) {
  for (int p = 0; p < Numbers<T>::kParts; ++p)
    least.part[p] = x.part[p] < least.part[p] ? x.part[p] : least.part[p];
}
template <typename T>
THRIFTREE_INLINE void raise(Numbers<T>& most, const Numbers<T>& x) {
  for (int p = 0; p < Numbers<T>::kParts; ++p)
    most.part[p] = x.part[p] > most.part[p] ? x.part[p] : most.part[p];
}

template <typename T>
T get(const Numbers<T>& x, int lane) {
  constexpr int width = static_cast<int>(kVectorBytes / sizeof(T));
  return x.part[lane / width][lane % width];
}
template <typename T>
void set(Numbers<T>& x, int lane, T value) {
  constexpr int width = static_cast<int>(kVectorBytes / sizeof(T));
  x.part[lane / width][lane % width] = value;
}

// Per bin: all bits set in the lanes on whose left side a row of the bin is, those from the bin on.
template <typename T>
std::vector<Numbers<T>> left_masks() {
  std::vector<Numbers<T>> masks(kBins);
  for (std::size_t bin = 0; bin < kBins; ++bin) {
    for (int lane = 0; lane < kLanes; ++lane)
      set(masks[bin], lane, static_cast<T>(static_cast<std::size_t>(lane) >= bin ? -1 : 0));
  }
  return masks;
}

// What a leaf of one side needs so that a prefix of the side and the rest can both be leaves; per lane.
template <typename T>
struct LeafRoom {
  Numbers<T> rows_least, rows_most, weight_least, weight_most;

  // The lanes where both are large enough.
  THRIFTREE_INLINE void allowed(const Numbers<T>& rows, const Numbers<T>& weight, Numbers<T>& mask) const {
    for (int p = 0; p < Numbers<T>::kParts; ++p) {
      mask.part[p] = (rows.part[p] >= rows_least.part[p]) & (rows.part[p] <= rows_most.part[p]) &
                     (weight.part[p] >= weight_least.part[p]) & (weight.part[p] <= weight_most.part[p]);
    }
  }
};

// The rows of a node in the order of one column, with the bin and the value of each.
template <typename T>
struct LaneInputs {
  const std::uint32_t* order;
  std::size_t n;
  const std::uint8_t* bins;
  const std::int32_t* labels;
  const std::int64_t* weights;   // null: each weighs 1
  const std::int64_t* by_label;  // a row's value is this × its weight
  const Numbers<T>* masks;

  THRIFTREE_INLINE T weight(std::uint32_t place) const {
    return weights ? static_cast<T>(weights[place]) : T{1};
  }
  THRIFTREE_INLINE T value(std::uint32_t place) const {
    const std::int64_t value = by_label[labels[place]];
    return static_cast<T>(weights ? value * weights[place] : value);
  }
};

}  // namespace lanes
}  // namespace thriftree
