// A tree laid out for walking: small nodes, siblings side by side, and where every test is a single cut one
// comparison a step and no branch to mispredict.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <variant>
#include <vector>

#include "tree/bit_walk.hpp"
#include "tree/code_table.hpp"
#include "tree/fixed_walk.hpp"
#include "tree/tree.hpp"

namespace thriftree {

// T is the type of the rows walked: float or double. For float rows a cut is rounded down to the nearest
// float f: every float x has x <= f exactly if x <= cut.
template <typename T>
struct CompiledNode {
  static constexpr std::uint32_t kMissingRight = 1U << 31, kGeneral = 1U << 30, kSlot = kGeneral - 1;

  T cut;  // x > cut goes to child + 1; a leaf has +inf, and itself as child, so that it is never left
  std::uint32_t where;  // slot of the tested value in the row, and the flags above
  std::uint32_t child;  // place of the first child; branch b (or right, in a binary node) is at child + b
};

template <typename T>
class CompiledTree {
 public:
  // `slot_of[column]`: where a row holds the column's value. `code[column]`: it is a code column (see
  // InputColumn). `tree` must outlive it, and hold at least one test.
  CompiledTree(const Tree& tree, std::span<const std::uint32_t> slot_of, std::span<const char> code);

  // Tree node at each place.
  const std::vector<std::int32_t>& node_at() const { return node_at_; }

  // out[i] = at_leaf[place of the leaf that row i reaches], for n rows of `width` values that start `stride`
  // values of T apart.
  template <typename Out>
  void walk(const T* rows, std::ptrdiff_t stride, std::size_t width, std::size_t n, const Out* at_leaf,
            Out* out) const;

 private:
  // Lanes are rows of general tests walked together, so that the loads of one hide behind the others'.
  static constexpr std::size_t kLanes = 8;

  CompiledNode<T> compile(std::int32_t node, std::uint32_t place, std::uint32_t child,
                          std::span<const std::uint32_t> slot_of, std::span<const char> code) const;
  void make_cuts();
  bool has_two_branches_by_bits(std::uint32_t place) const;
  void make_bits();
  std::uint32_t step(std::uint32_t at, const T* row) const;
  template <typename Out>
  void walk_general(const T* rows, std::ptrdiff_t stride, std::size_t n, const Out* at_leaf, Out* out) const;
  template <typename Cuts, typename Out>
  static void walk_cuts(const Cuts& cuts, const T* rows, std::ptrdiff_t stride, std::size_t width,
                        std::size_t n, const Out* at_leaf, Out* out);

  // A general node's branches by code, for a code column. Where keys lie close together: of missing, of
  // other, of the codes 0, 1, ... and, last, of every code beyond the largest key. Where they do not, but are
  // many: by hashing. Neither (last = 0, no bits): the keys are searched.
  struct Lookup {
    std::uint32_t begin = 0;  // in branches_
    std::uint32_t last = 0;   // the last entry, counted from begin
    CodeTable::Place hashed;
  };

  Lookup make_lookup(std::int32_t node);
  std::uint32_t general_branch(std::uint32_t at, T x) const;

  const Tree& tree_;
  std::vector<char> code_;         // by column
  std::vector<Lookup> lookup_at_;  // by place
  std::vector<std::uint32_t> branches_;
  CodeTable hashed_;
  std::vector<CompiledNode<T>> nodes_;
  std::vector<std::int32_t> node_at_;
  // Where no test is general, by cuts; in 16-bit indices where they reach and make nodes smaller. Where the
  // general tests have two branches that bits can tell, by bits. Otherwise none.
  std::variant<std::monostate, FixedWalk<T, std::uint16_t>, FixedWalk<T, std::uint32_t>, BitWalk<T>> fixed_;
};

}  // namespace thriftree
