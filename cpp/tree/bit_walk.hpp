// A tree of tests with two branches, walked as FixedWalk walks cuts: sets of categories are bits, and a cut
// is a set that holds nothing, or missing values only.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "tree/fixed_walk.hpp"

namespace thriftree {

template <typename T>
struct BitNode {
  T cut;                // x > cut goes to child + 1; +inf where the bits decide, and at a leaf
  T last;               // the last code that has a bit of its own: what is larger has its bit
  std::uint32_t slot;   // where a row holds the tested value
  std::uint32_t child;  // place of the first child, the other follows it; a leaf has itself
  std::uint32_t
      bits;  // the first word of the node's bits: of missing, of x < 0, of the codes 0, 1, ..., last
};

template <typename T>
class BitWalk {
 public:
  static constexpr std::size_t kLanes = 16;
  static constexpr bool kKnownIsFaster = false;  // missing values cost a step nothing
  using Places = std::array<std::uint32_t, kLanes>;

  BitWalk(std::vector<BitNode<T>> nodes, std::vector<std::uint32_t> words, WalkLength length)
      : nodes_(std::move(nodes)), words_(std::move(words)), length_(length) {}

  // Places of the leaves that kLanes rows reach, which start `stride` values apart.
  template <bool missing>
  Places leaves(const T* rows, std::ptrdiff_t stride) const {
    Places at{};
    for (int step = 0; step < length_.steps; ++step) {
      for (std::size_t lane = 0; lane < kLanes; ++lane)
        at[lane] = next(at[lane], rows + static_cast<std::ptrdiff_t>(lane) * stride);
    }
    if (length_.all_arrive) return at;
    for (std::size_t lane = 0; lane < kLanes; ++lane)
      at[lane] = leaf_below(at[lane], rows + static_cast<std::ptrdiff_t>(lane) * stride);
    return at;
  }

  // Place of the leaf that one row reaches from a place.
  std::uint32_t leaf_below(std::uint32_t at, const T* row) const {
    for (std::uint32_t to = next(at, row); to != at; to = next(at, row)) at = to;
    return at;
  }

 private:
  std::uint32_t next(std::uint32_t at, const T* row) const {
    const BitNode<T>& node = nodes_.data()[at];
    const T x = row[node.slot];
    T code = x > 0 ? x : 0;  // of NaN 0
    code = code < node.last ? code : node.last;
    const std::uint32_t known = 0U - static_cast<std::uint32_t>(x >= 0);
    const std::uint32_t bit = ((static_cast<std::uint32_t>(static_cast<std::int32_t>(code)) + 2) & known) |
                              static_cast<std::uint32_t>(x < 0);
    const std::uint32_t in_set = words_.data()[node.bits + (bit >> 5)] >> (bit & 31);
    return node.child + ((static_cast<std::uint32_t>(x > node.cut) | in_set) & 1);
  }

  std::vector<BitNode<T>> nodes_;  // breadth first
  std::vector<std::uint32_t> words_;
  WalkLength length_;
};

}  // namespace thriftree
