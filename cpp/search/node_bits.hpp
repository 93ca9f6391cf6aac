// The rows of one node of a search, packed: of each test that still divides them a string of bits, entry by
// entry, segment by segment.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "search/entries.hpp"
#include "search/hashing.hpp"

namespace thriftree {

struct NodeSegment {
  int channel = 0;
  std::int64_t multiplier = 1;
  std::uint32_t n_entries = 0;   // more than 0
  std::uint32_t first_word = 0;  // of each column; a segment starts on a word, unused bits are 0
};

struct NodeBits {
  std::vector<std::int32_t> column;  // index into SearchEntries::test of each column, rising
  std::vector<NodeSegment> segments;
  std::uint32_t n_words = 0;         // of each column
  std::vector<std::uint64_t> words;  // [column * n_words + word]
  std::vector<std::uint32_t> entry;  // [word * 64 + bit]: the entry there, for hashes
  Hash128 hash;                      // of the set of entries
  PaidPath paid;                     // what the path to the node has paid for
  Hash128 state;                     // of `paid`; nothing without prices

  // Of rows and what was paid for.
  Hash128 key() const {
    Hash128 made = hash;
    made ^= state;
    return made;
  }
  std::size_t n_columns() const { return column.size(); }
  const std::uint64_t* bits(std::size_t c) const { return words.data() + c * n_words; }
};

// What all nodes of a search share.
class NodeMaker {
 public:
  // A column whose two sides do not both hold at least `least_base` of what rows can cost, `min_leaf` rows
  // and `min_leaf_weight` begins no best tree, here or below: it is left out, as are repeated columns if
  // asked to.
  // `by_feature`: only columns of the same feature repeat each other.
  NodeMaker(const SearchEntries& entries, bool duplicates, std::int64_t least_base, bool by_feature = false);

  const SearchChannels& channels() const { return channels_; }
  NodeBits root() const;
  // The entries of the node that answer column c with `side`, without columns that no longer divide them.
  NodeBits child(const NodeBits& node, std::size_t c, int side) const;
  // The entries of the mask, [word of a column], as if the path to them had paid for nothing.
  NodeBits part(const NodeBits& node, const std::vector<std::uint64_t>& mask) const;
  // The node as the path that paid for so much leaves it: without what the budget no longer allows.
  void take_paid(NodeBits& node, const PaidPath& paid) const;
  // What the entries that answer column a with 1 and column b with 1 can cost at most.
  std::int64_t shared_base(const NodeBits& node, std::size_t a, std::size_t b) const;
  // Whether every entry that answers column a with `a_side` answers column b with `b_side`.
  bool is_part(const NodeBits& node, std::size_t a, int a_side, std::size_t b, int b_side) const;
  // What entries answer column a with 1 and column b with 1 as payers.
  std::int64_t shared_payers(const NodeBits& node, std::size_t a, std::size_t b) const;
  // The hash of the child's entries, without making it.
  Hash128 child_hash(const NodeBits& node, std::size_t c, int side) const;
  // What the path to the child has paid for, without making it.
  PaidPath child_paid(const NodeBits& node, std::size_t c, int side) const;

  // Both as one key.
  Hash128 child_key(const NodeBits& node, std::size_t c, int side) const {
    Hash128 made = child_hash(node, c, side);
    if (prices() != nullptr) made ^= child_paid(node, c, side).hash();
    return made;
  }

  // Null: tests cost nothing.
  const SearchPrices* prices() const { return entries_.prices.get(); }
  std::size_t feature(const NodeBits& node, std::size_t c) const {
    return static_cast<std::size_t>(entries_.feature[static_cast<std::size_t>(node.column[c])]);
  }
  // The features of the node's columns, each once, rising.
  std::vector<std::uint32_t> features(const NodeBits& node) const;
  // Whether tests of the node have to be ordered.
  bool is_pending(const NodeBits& node) const;
  // The node after an order of these features, which costs the charges, or nothing if the budget forbids it.
  NodeBits ordered(const NodeBits& node, const std::vector<std::uint32_t>& features) const;

 private:
  void drop_columns(NodeBits& node) const;
  void drop_unaffordable(NodeBits& node) const;
  template <class Keep>
  static void keep_columns(NodeBits& node, const Keep& keep);
  bool may_divide(const NodeBits& node, std::size_t c, const std::vector<std::int64_t>& all) const;
  bool counts_as_base(const NodeSegment& segment) const { return channels_.is_base(segment.channel); }

  const SearchEntries& entries_;
  SearchChannels channels_;
  bool duplicates_;
  std::int64_t least_base_;
  bool by_feature_;
  std::vector<Hash128> key_;  // of each entry
};

}  // namespace thriftree
