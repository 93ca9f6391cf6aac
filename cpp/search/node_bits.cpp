#include "search/node_bits.hpp"

#include <bit>
#include <unordered_map>

#include "search/bit_packing.hpp"

namespace thriftree {

namespace {

std::uint64_t low_bits(std::size_t n) { return n >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << n) - 1; }

// Which entries of word w of a segment exist.
std::uint64_t valid_bits(const NodeSegment& segment, std::uint32_t word) {
  return low_bits(segment.n_entries - std::size_t{64} * word);
}

std::uint32_t words_of(std::uint32_t n_entries) { return (n_entries + 63) / 64; }

// Calls with (word index, bits of the entries that answer column c with `side`), segment by segment.
template <class Use>
void for_each_word(const NodeBits& node, std::size_t c, int side, Use use) {
  const std::uint64_t* bits = node.bits(c);
  const std::uint64_t flip = side == 1 ? 0 : ~std::uint64_t{0};
  for (const NodeSegment& segment : node.segments) {
    for (std::uint32_t w = 0; w < words_of(segment.n_entries); ++w)
      use(segment, segment.first_word + w, (bits[segment.first_word + w] ^ flip) & valid_bits(segment, w));
  }
}

}  // namespace

NodeMaker::NodeMaker(const SearchEntries& entries, bool duplicates)
    : entries_(entries), channels_(entries.channels), duplicates_(duplicates) {
  std::size_t n = 0;
  for (const auto& segment : entries.segments) n += segment.group.size();
  key_.reserve(n);
  for (std::size_t i = 0; i < n; ++i) key_.push_back(hash_of(i));
}

NodeBits NodeMaker::root() const {
  NodeBits node;
  std::uint32_t entry = 0;
  // Counts of a segment fit 16 bits.
  constexpr std::size_t most = 65472;
  struct Part {
    const EntrySegment* segment;
    std::size_t begin;
  };
  std::vector<Part> parts;
  for (const EntrySegment& segment : entries_.segments) {
    for (std::size_t begin = 0; begin < segment.group.size(); begin += most) {
      const auto n = static_cast<std::uint32_t>(std::min(most, segment.group.size() - begin));
      node.segments.push_back({segment.channel, segment.multiplier, n, node.n_words});
      node.n_words += words_of(n);
      node.entry.resize(std::size_t{64} * node.n_words);
      parts.push_back({&segment, begin});
      for (std::uint32_t i = 0; i < n; ++i)
        node.entry[std::size_t{64} * node.segments.back().first_word + i] = entry++;
    }
  }
  for (std::size_t c = 0; c < entries_.column.size(); ++c) {
    node.column.push_back(static_cast<std::int32_t>(c));
    const std::size_t start = node.words.size();
    node.words.resize(start + node.n_words);
    for (std::size_t s = 0; s < parts.size(); ++s) {
      std::uint64_t* out = node.words.data() + start + node.segments[s].first_word;
      for (std::uint32_t i = 0; i < node.segments[s].n_entries; ++i) {
        const std::uint32_t group = parts[s].segment->group[parts[s].begin + i];
        out[i / 64] |= (entries_.column[c][group / 64] >> (group % 64) & 1) << (i % 64);
      }
    }
  }
  drop_columns(node);
  return node;
}

Hash128 NodeMaker::hash(const NodeBits& node) const {
  Hash128 sum;
  for (const NodeSegment& segment : node.segments) {
    for (std::uint32_t i = 0; i < segment.n_entries; ++i)
      sum ^= key_[node.entry[std::size_t{64} * segment.first_word + i]];
  }
  return sum;
}

Hash128 NodeMaker::child_hash(const NodeBits& node, std::size_t c, int side) const {
  Hash128 sum;
  for_each_word(node, c, side, [&](const NodeSegment&, std::uint32_t w, std::uint64_t bits) {
    for (; bits != 0; bits &= bits - 1)
      sum ^= key_[node.entry[std::size_t{64} * w + static_cast<std::size_t>(std::countr_zero(bits))]];
  });
  return sum;
}

NodeBits NodeMaker::child(const NodeBits& node, std::size_t c, int side) const {
  std::vector<std::uint64_t> mask(node.n_words);
  for_each_word(node, c, side,
                [&](const NodeSegment&, std::uint32_t w, std::uint64_t bits) { mask[w] = bits; });
  NodeBits made;
  std::vector<const NodeSegment*> from;
  for (const NodeSegment& segment : node.segments) {
    std::uint32_t n = 0;
    for (std::uint32_t w = 0; w < words_of(segment.n_entries); ++w)
      n += static_cast<std::uint32_t>(std::popcount(mask[segment.first_word + w]));
    if (n == 0) continue;
    made.segments.push_back({segment.channel, segment.multiplier, n, made.n_words});
    made.n_words += words_of(n);
    from.push_back(&segment);
  }
  made.entry.resize(std::size_t{64} * made.n_words);
  made.column = node.column;
  made.words.resize(node.n_columns() * made.n_words);
  for (std::size_t s = 0; s < from.size(); ++s) {
    const std::size_t in = from[s]->first_word, out = made.segments[s].first_word;
    const std::size_t n_words = words_of(from[s]->n_entries);
    std::size_t at = std::size_t{64} * out;
    for (std::size_t w = 0; w < n_words; ++w) {
      for (std::uint64_t bits = mask[in + w]; bits != 0; bits &= bits - 1)
        made.entry[at++] = node.entry[64 * (in + w) + static_cast<std::size_t>(std::countr_zero(bits))];
    }
    for (std::size_t k = 0; k < node.n_columns(); ++k)
      pack_bits(node.bits(k) + in, mask.data() + in, n_words, made.words.data() + k * made.n_words + out);
  }
  drop_columns(made);
  return made;
}

// Columns that no longer divide the entries go, and so do repeated ones up to complement: of several the
// first stays, which is the one that ties go to.
void NodeMaker::drop_columns(NodeBits& node) const {
  std::vector<std::uint64_t> valid(node.n_words);
  for (const NodeSegment& segment : node.segments) {
    for (std::uint32_t w = 0; w < words_of(segment.n_entries); ++w)
      valid[segment.first_word + w] = valid_bits(segment, w);
  }
  std::unordered_map<Hash128, std::size_t, HashOfHash> known;
  std::size_t kept = 0;
  for (std::size_t c = 0; c < node.n_columns(); ++c) {
    const std::uint64_t* bits = node.bits(c);
    // The first entry answers 0 in one of a column and its complement.
    const std::uint64_t flip = node.n_words != 0 && (bits[0] & 1) ? ~std::uint64_t{0} : 0;
    Hash128 hash;
    std::uint64_t any = 0;
    for (std::uint32_t w = 0; w < node.n_words; ++w) {
      const std::uint64_t word = (bits[w] ^ flip) & valid[w];
      any |= word;
      hash.low = (hash.low ^ word) * 0x9e3779b97f4a7c15U;
      hash.low ^= hash.low >> 29;
      hash.high = (hash.high + word) * 0xd6e8feb86659fd93U;
      hash.high ^= hash.high >> 32;
    }
    if (any == 0) continue;
    if (duplicates_ && !known.try_emplace(hash, c).second) continue;
    if (kept != c) {
      node.column[kept] = node.column[c];
      std::copy(bits, bits + node.n_words,
                node.words.begin() + static_cast<std::ptrdiff_t>(kept * node.n_words));
    }
    ++kept;
  }
  node.column.resize(kept);
  node.words.resize(kept * node.n_words);
}

}  // namespace thriftree
