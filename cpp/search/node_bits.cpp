#include "search/node_bits.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <numeric>

#include "run/cpu.hpp"
#include "search/bit_packing.hpp"

namespace thriftree {

namespace {

std::uint64_t low_bits(std::size_t n) { return n >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << n) - 1; }

// Which entries of word w of a segment exist.
std::uint64_t valid_bits(const NodeSegment& segment, std::uint32_t word) {
  return low_bits(segment.n_entries - std::size_t{64} * word);
}

std::uint32_t words_of(std::uint32_t n_entries) { return (n_entries + 63) / 64; }

THRIFTREE_BY_CPU(std::int64_t, count_both, (const std::uint64_t* a, const std::uint64_t* b, std::size_t n),
                 (a, b, n)) {
  std::int64_t ones = 0;
  for (std::size_t i = 0; i < n; ++i) ones += __builtin_popcountll(a[i] & b[i]);
  return ones;
}

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

NodeMaker::NodeMaker(const SearchEntries& entries, bool duplicates, std::int64_t least_base, bool by_feature)
    : entries_(entries),
      channels_(entries.channels),
      duplicates_(duplicates),
      least_base_(least_base),
      by_feature_(by_feature) {
  std::size_t n = 0;
  for (const auto& segment : entries.segments) n += segment.group.size();
  key_.reserve(n);
  for (std::size_t i = 0; i < n; ++i) key_.push_back(hash_of(i));
}

NodeBits NodeMaker::root() const {
  NodeBits node;
  constexpr std::size_t most = 65472;  // entries of a segment, so that their counts fit 16 bits
  BitRows answers;                     // of each entry; of none between two segments
  answers.n_words = entries_.answers.n_words;
  std::uint32_t entry = 0;
  for (const EntrySegment& segment : entries_.segments) {
    for (std::size_t begin = 0; begin < segment.group.size(); begin += most) {
      const auto n = static_cast<std::uint32_t>(std::min(most, segment.group.size() - begin));
      node.segments.push_back({segment.channel, segment.multiplier, n, node.n_words});
      for (std::uint32_t i = 0; i < n; ++i) {
        const std::uint64_t* words = entries_.answers.row(segment.group[begin + i]);
        answers.words.insert(answers.words.end(), words, words + answers.n_words);
        node.hash ^= key_[entry];
        node.entry.push_back(entry++);
      }
      node.n_words += words_of(n);
      node.entry.resize(std::size_t{64} * node.n_words);
      answers.words.resize(node.entry.size() * answers.n_words);
    }
  }
  node.column.resize(entries_.test.size());
  std::iota(node.column.begin(), node.column.end(), 0);
  node.words = transposed(answers, node.entry.size(), node.n_columns()).words;
  drop_columns(node);
  if (prices() != nullptr) {
    node.paid = prices()->root();
    drop_unaffordable(node);
    node.paid = prices()->restricted(node.paid, features(node));
    node.state = node.paid.hash();
  }
  return node;
}

std::int64_t NodeMaker::shared_payers(const NodeBits& node, std::size_t a, std::size_t b) const {
  std::int64_t sum = 0;
  for (const NodeSegment& segment : node.segments) {
    if (segment.channel != channels_.payers) continue;
    const std::size_t at = segment.first_word;
    sum += segment.multiplier * count_both(node.bits(a) + at, node.bits(b) + at, words_of(segment.n_entries));
  }
  return sum;
}

std::vector<std::uint32_t> NodeMaker::features(const NodeBits& node) const {
  std::vector<std::uint32_t> made;  // columns are in the order of their features
  for (std::size_t c = 0; c < node.n_columns(); ++c) {
    const auto one = static_cast<std::uint32_t>(feature(node, c));
    if (made.empty() || made.back() != one) made.push_back(one);
  }
  return made;
}

bool NodeMaker::is_pending(const NodeBits& node) const {
  if (prices() == nullptr) return false;
  for (std::size_t c = 0; c < node.n_columns(); ++c) {
    if (prices()->is_pending(node.paid.bought, feature(node, c))) return true;
  }
  return false;
}

NodeBits NodeMaker::ordered(const NodeBits& node, const std::vector<std::uint32_t>& features) const {
  NodeBits made = node;
  for (const Charge& charge : prices()->order(made.paid.bought, features)) {
    if (made.paid.left != kAnyPrice) made.paid.left -= charge.of_budget;
  }
  drop_unaffordable(made);
  made.paid = prices()->restricted(made.paid, this->features(made));
  made.state = made.paid.hash();
  return made;
}

PaidPath NodeMaker::child_paid(const NodeBits& node, std::size_t c, int side) const {
  PaidPath after = node.paid;
  const Charge charge = prices()->ask(after.bought, feature(node, c));
  if (after.left != kAnyPrice) after.left -= charge.of_budget;
  // Features that still divide the child's entries.
  std::vector<std::uint32_t> matter;
  const std::uint64_t* mask = node.bits(c);
  for (std::size_t k = 0; k < node.n_columns(); ++k) {
    const auto one = static_cast<std::uint32_t>(feature(node, k));
    if (k == c || (!matter.empty() && matter.back() == one)) continue;
    std::uint64_t ones = 0, zeros = 0;
    for (const NodeSegment& segment : node.segments) {
      for (std::uint32_t w = 0; w < words_of(segment.n_entries); ++w) {
        const std::uint64_t valid = valid_bits(segment, w), bits = node.bits(k)[segment.first_word + w];
        const std::uint64_t here = (side == 1 ? mask[segment.first_word + w] : ~mask[segment.first_word + w]);
        ones |= here & bits & valid;
        zeros |= here & ~bits & valid;
      }
      if (ones != 0 && zeros != 0) break;
    }
    if (ones != 0 && zeros != 0) matter.push_back(one);
  }
  return prices()->restricted(after, matter);
}

// Columns that the budget does not allow, or that an order has not foreseen, cannot be asked here or below.
void NodeMaker::drop_unaffordable(NodeBits& node) const {
  const SearchPrices& prices = *entries_.prices;
  const PaidPath paid = node.paid;
  keep_columns(node, [&](std::size_t c) {
    const std::size_t one = feature(node, c);
    if (prices.is_forbidden(paid.bought, one)) return false;
    if (paid.left == kAnyPrice || prices.charge(paid.bought, one).of_budget <= paid.left) return true;
    node.paid.cut = true;
    return false;
  });
}

template <class Keep>
void NodeMaker::keep_columns(NodeBits& node, const Keep& keep) {
  std::size_t kept = 0;
  for (std::size_t c = 0; c < node.n_columns(); ++c) {
    if (!keep(c)) continue;
    if (kept != c) {
      node.column[kept] = node.column[c];
      std::copy(node.bits(c), node.bits(c) + node.n_words,
                node.words.begin() + static_cast<std::ptrdiff_t>(kept * node.n_words));
    }
    ++kept;
  }
  node.column.resize(kept);
  node.words.resize(kept * node.n_words);
}

std::int64_t NodeMaker::shared_base(const NodeBits& node, std::size_t a, std::size_t b) const {
  if (channels_.numbers != nullptr) return channels_.numbers->shared_top(node, a, b);
  std::int64_t sum = 0;
  for (const NodeSegment& segment : node.segments) {
    if (!counts_as_base(segment)) continue;
    const std::size_t at = segment.first_word;
    sum += std::abs(segment.multiplier) *
           count_both(node.bits(a) + at, node.bits(b) + at, words_of(segment.n_entries));
  }
  return sum;
}

bool NodeMaker::is_part(const NodeBits& node, std::size_t a, int a_side, std::size_t b, int b_side) const {
  const std::uint64_t flip = b_side == 1 ? 0 : ~std::uint64_t{0};
  bool outside = false;
  for_each_word(node, a, a_side, [&](const NodeSegment&, std::uint32_t w, std::uint64_t bits) {
    outside |= (bits & ~(node.bits(b)[w] ^ flip)) != 0;
  });
  return !outside;
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
  NodeBits made = part(node, mask);
  if (prices() != nullptr) take_paid(made, child_paid(node, c, side));
  return made;
}

void NodeMaker::take_paid(NodeBits& node, const PaidPath& paid) const {
  node.paid = paid;
  node.state = paid.hash();
  drop_unaffordable(node);
}

NodeBits NodeMaker::part(const NodeBits& node, const std::vector<std::uint64_t>& mask) const {
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
      for (std::uint64_t bits = mask[in + w]; bits != 0; bits &= bits - 1) {
        made.entry[at] = node.entry[64 * (in + w) + static_cast<std::size_t>(std::countr_zero(bits))];
        made.hash ^= key_[made.entry[at++]];
      }
    }
    for (std::size_t k = 0; k < node.n_columns(); ++k)
      pack_bits(node.bits(k) + in, mask.data() + in, n_words, made.words.data() + k * made.n_words + out);
  }
  drop_columns(made);
  return made;
}

bool NodeMaker::may_divide(const NodeBits& node, std::size_t c, const std::vector<std::int64_t>& all) const {
  if (channels_.numbers != nullptr) return channels_.numbers->may_divide(node, c, least_base_);
  // Sums over the entries that answer with 1: base, rows, weight.
  std::int64_t sums[3] = {0, 0, 0};
  const std::uint64_t* bits = node.bits(c);
  for (const NodeSegment& segment : node.segments) {
    const int which = counts_as_base(segment) ? 0 : segment.channel == channels_.rows ? 1 : 2;
    if (which == 2 && segment.channel != channels_.weight) continue;
    const std::size_t at = segment.first_word;
    sums[which] +=
        std::abs(segment.multiplier) * count_both(bits + at, bits + at, words_of(segment.n_entries));
  }
  const std::int64_t least[3] = {least_base_, channels_.rows >= 0 ? entries_.min_leaf : 0,
                                 channels_.weight >= 0 ? entries_.min_leaf_weight : 0};
  for (std::size_t i = 0; i < 3; ++i) {
    if (sums[i] < least[i] || all[i] - sums[i] < least[i]) return false;
  }
  return true;
}

// Columns that no longer divide the entries go, and so do repeated ones up to complement: of several the
// first stays, which is the one that ties go to.
void NodeMaker::drop_columns(NodeBits& node) const {
  std::vector<std::uint64_t> valid(node.n_words);
  for (const NodeSegment& segment : node.segments) {
    for (std::uint32_t w = 0; w < words_of(segment.n_entries); ++w)
      valid[segment.first_word + w] = valid_bits(segment, w);
  }
  std::vector<std::int64_t> all(3);
  for (const NodeSegment& segment : node.segments) {
    const std::int64_t sum = std::abs(segment.multiplier) * segment.n_entries;
    if (counts_as_base(segment)) all[0] += sum;
    if (segment.channel == channels_.rows) all[1] += sum;
    if (segment.channel == channels_.weight) all[2] += sum;
  }
  if (channels_.numbers != nullptr && channels_.numbers->is_pure(node)) {
    node.column.clear();
    node.words.clear();
    return;
  }
  const bool has_least = least_base_ > 0 || channels_.rows >= 0 || channels_.weight >= 0;
  std::vector<Hash128> known;  // of the columns that are kept, in a table of open addresses
  std::vector<std::size_t> table(std::bit_ceil(2 * node.n_columns() + 1), SIZE_MAX);
  keep_columns(node, [&](std::size_t c) {
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
    if (any == 0) return false;
    if (has_least && !may_divide(node, c, all)) return false;
    if (!duplicates_) return true;
    // With prices equal columns are the same only if it is the same feature that they ask for.
    if (by_feature_ || (prices() != nullptr && !prices()->is_always_free(feature(node, c))))
      hash ^= hash_of(feature(node, c) ^ (std::uint64_t{1} << 61));
    std::size_t at = hash.low & (table.size() - 1);
    while (table[at] != SIZE_MAX && !(known[table[at]] == hash)) at = (at + 1) & (table.size() - 1);
    if (table[at] != SIZE_MAX) return false;
    table[at] = known.size();
    known.push_back(hash);
    return true;
  });
}

}  // namespace thriftree
