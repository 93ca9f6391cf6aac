// A tree of single cuts, walked by many rows at once for a fixed number of steps: small nodes, siblings side
// by side, a leaf that leads to itself, so that no row asks on its way whether it has arrived.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace thriftree {

// T is the type of the rows walked, Index of what nodes hold: 8 bytes a node for float rows and 16-bit
// indices.
template <typename T, typename Index>
struct CutNode {
  T cut;        // x > cut goes to child + 1; a leaf has +inf, and itself as child, so that it is never left
  Index slot;   // where a row holds the tested value
  Index child;  // place of the low child; the high one follows it
};

// How far a walk goes without asking: most rows have arrived after `steps`, or all of them.
struct WalkLength {
  int steps = 0;
  bool all_arrive = true;
};

template <typename T, typename Index>
class FixedWalk {
 public:
  // Rows walked together, so that the loads of one hide behind the others'. Twelve do as well, eight and
  // twenty-four are slower.
  static constexpr std::size_t kLanes = 16;
  static constexpr bool kKnownIsFaster = true;  // rows without missing values
  using Places = std::array<std::uint32_t, kLanes>;

  // `missing_right`: by place, 1 where a missing value takes the high branch.
  FixedWalk(std::vector<CutNode<T, Index>> nodes, std::vector<std::uint8_t> missing_right, WalkLength length)
      : nodes_(std::move(nodes)), missing_right_(std::move(missing_right)), length_(length) {}

  // Places of the leaves that kLanes rows reach, which start `stride` values apart. `missing`: a tested value
  // may be NaN.
  template <bool missing>
  Places leaves(const T* rows, std::ptrdiff_t stride) const {
    Places at{};
    for (int step = 0; step < length_.steps; ++step) {
      // Said, because gcc makes a loop of it otherwise; others do not know the words.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC unroll 16
#endif
      for (std::size_t lane = 0; lane < kLanes; ++lane)
        at[lane] = next<missing>(at[lane], rows + static_cast<std::ptrdiff_t>(lane) * stride);
    }
    if (length_.all_arrive) return at;
    for (std::size_t lane = 0; lane < kLanes; ++lane)
      at[lane] = leaf_below(at[lane], rows + static_cast<std::ptrdiff_t>(lane) * stride);
    return at;
  }

  // Place of the leaf that one row reaches from a place; its values may be NaN.
  std::uint32_t leaf_below(std::uint32_t at, const T* row) const {
    for (std::uint32_t to = next<true>(at, row); to != at; to = next<true>(at, row)) at = to;
    return at;
  }

 private:
  template <bool missing>
  std::uint32_t next(std::uint32_t at, const T* row) const {
    const CutNode<T, Index>& node = nodes_.data()[at];
    const T x = row[node.slot];
    auto high = static_cast<std::uint32_t>(x > node.cut);
    // NaN is neither > nor <=, so the two comparisons tell missing from high without a branch.
    if constexpr (missing) high |= static_cast<std::uint32_t>(!(x <= node.cut)) & missing_right_.data()[at];
    return node.child + high;
  }

  std::vector<CutNode<T, Index>> nodes_;  // breadth first
  std::vector<std::uint8_t> missing_right_;
  WalkLength length_;
};

}  // namespace thriftree
