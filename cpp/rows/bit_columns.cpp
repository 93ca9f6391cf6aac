#include "rows/bit_columns.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "run/cpu.hpp"

#ifdef THRIFTREE_X86
#include <immintrin.h>
#endif

namespace thriftree {

namespace {

// 64 bits from any bit position; the word after the last must exist.
inline std::uint64_t word_at(const std::uint64_t* bits, std::size_t position) {
  const std::size_t word = position >> 6, shift = position & 63;
  if (shift == 0) return bits[word];
  return bits[word] >> shift | bits[word + 1] << (64 - shift);
}

inline std::uint64_t low_bits(std::size_t n) {
  return n >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << n) - 1;
}

THRIFTREE_BY_CPU(std::uint32_t, count_whole_words, (const std::uint64_t* bits, std::size_t n_words),
                 (bits, n_words)) {
  std::uint64_t total = 0;
  for (std::size_t i = 0; i < n_words; ++i)
    total += static_cast<std::uint64_t>(__builtin_popcountll(bits[i]));
  return static_cast<std::uint32_t>(total);
}

std::uint32_t count_ones(const std::uint64_t* bits, std::size_t begin, std::size_t end) {
  if (end - begin <= 64)
    return static_cast<std::uint32_t>(std::popcount(word_at(bits, begin) & low_bits(end - begin)));
  const std::size_t first = (begin + 63) / 64, last = end / 64;
  std::uint32_t total = count_whole_words(bits + first, last - first);
  if (begin & 63) total += static_cast<std::uint32_t>(std::popcount(bits[begin >> 6] >> (begin & 63)));
  if (end & 63) total += static_cast<std::uint32_t>(std::popcount(bits[last] & low_bits(end & 63)));
  return total;
}

// Appends bits to a stream of words.
class BitWriter {
 public:
  explicit BitWriter(std::uint64_t* out) : out_(out) {}
  void append(std::uint64_t bits, std::size_t n) {  // bits beyond the n lowest are 0
    pending_ |= bits << filled_;
    if (filled_ + n >= 64) {
      *out_++ = pending_;
      pending_ = filled_ == 0 ? 0 : bits >> (64 - filled_);
      filled_ = filled_ + n - 64;
    } else {
      filled_ += n;
    }
  }
  void finish() { *out_ = pending_; }

 private:
  std::uint64_t* out_;
  std::uint64_t pending_ = 0;
  std::size_t filled_ = 0;  // bits of pending_ in use, below 64
};

// The bits of `word` where `mask` is set, packed together.
inline std::uint64_t pack_plainly(std::uint64_t word, std::uint64_t mask) {
  std::uint64_t result = 0;
  for (std::size_t at = 0; mask != 0; mask &= mask - 1, ++at) {
    result |= (word >> std::countr_zero(mask) & 1) << at;
  }
  return result;
}

// The node's bits, branch after branch, into `packed`.
#define THRIFTREE_PACK_NODE(pack)                                          \
  BitWriter writer(packed);                                                \
  for (const auto& branch : node.branches) {                               \
    for (std::size_t i = 0; i * 64 < node.n_rows; ++i) {                   \
      const std::uint64_t mask = branch[i];                                \
      const auto n = static_cast<std::size_t>(__builtin_popcountll(mask)); \
      writer.append(pack(word_at(bits, node.begin + i * 64), mask), n);    \
    }                                                                      \
  }                                                                        \
  writer.finish()

void pack_node_plainly(const std::uint64_t* bits, const BitMoves& node, std::uint64_t* packed) {
  THRIFTREE_PACK_NODE(pack_plainly);
}

#ifdef THRIFTREE_X86
__attribute__((target("bmi2,popcnt"))) void pack_node_by_pext(const std::uint64_t* bits, const BitMoves& node,
                                                              std::uint64_t* packed) {
  THRIFTREE_PACK_NODE(_pext_u64);
}
#endif

// The lowest bit of each of `Codes` neighbouring codes of up to 8 rows, from bit `at` on of a word for each
// code's column. The codes of a row are the bytes of one word, and in each byte the bits of the rows come
// together.
template <std::size_t Codes>
void pack_rows(const std::uint8_t* codes, std::size_t stride, std::span<const std::uint32_t> rows,
               std::size_t at, std::uint64_t* words) {
  std::uint64_t together = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::uint64_t of_row = 0;
    std::memcpy(&of_row, codes + rows[i] * stride, Codes);
    together |= (of_row & 0x0101010101010101U) << i;
  }
  std::uint8_t of_column[8];
  std::memcpy(of_column, &together, 8);
  for (std::size_t j = 0; j < Codes; ++j) words[j] |= std::uint64_t{of_column[j]} << at;
}

// Writes n bits of a stream to any bit position, leaving its neighbours alone.
void write_bits(const std::uint64_t* stream, std::size_t n, std::uint64_t* bits, std::size_t position) {
  for (std::size_t done = 0; done < n;) {
    const std::size_t word = (position + done) >> 6, shift = (position + done) & 63;
    const std::size_t size = std::min(64 - shift, n - done);
    const std::uint64_t mask = low_bits(size) << shift;
    const std::uint64_t value = word_at(stream, done) << shift;
    bits[word] = (bits[word] & ~mask) | (value & mask);
    done += size;
  }
}

}  // namespace

BitColumns::BitColumns(const Table& table, const Target& target, std::span<const std::uint32_t> rows,
                       Control& control, Team& team)
    : place_(table.columns.size(), kElsewhere) {
  for (std::uint32_t c = 0; c < table.columns.size(); ++c) {
    if (!kept_as_bits(table.columns[c], target)) continue;
    place_[c] = static_cast<std::uint32_t>(columns_.size());
    columns_.push_back(c);
  }
  if (columns_.empty()) return;
  control.reserve(2 * columns_.size() * (rows.size() / 8 + 16), "packing two-valued columns");
  bits_.resize(columns_.size());
  for (auto& bits : bits_) bits.assign(rows.size() / 64 + 2, 0);
  // A task packs 64 * 64 rows of one block: each row's chunk is read once.
  constexpr std::size_t rows_per_task = 4096;
  const std::size_t n_parts = (rows.size() + rows_per_task - 1) / rows_per_task;
  team.run(table.blocks.size() * n_parts, [&](std::size_t task, int) {
    const Block& block = table.blocks[task / n_parts];
    const std::size_t end = std::min(rows.size(), (task % n_parts + 1) * rows_per_task);
    for (std::size_t first = task % n_parts * rows_per_task; first < end; first += 64) {
      std::uint64_t words[16] = {};
      for (std::size_t i = first; i < std::min(end, first + 64); i += 8) {
        const auto some = rows.subspan(i, std::min<std::size_t>(8, end - i));
        const std::uint8_t* codes = block.codes.data();
        if (block.stride == 4) pack_rows<4>(codes, 4, some, i - first, words);
        if (block.stride >= 8) pack_rows<8>(codes, block.stride, some, i - first, words);
        if (block.stride == 16) pack_rows<8>(codes + 8, 16, some, i - first, words + 8);
      }
      for (std::size_t j = 0; j < block.columns.size(); ++j) {
        if (holds(block.columns[j])) bits_[place_[block.columns[j]]][first / 64] = words[j];
      }
    }
  });
  root_ = bits_;
}

void BitColumns::runs(std::uint32_t column, std::size_t begin, std::span<const std::uint32_t> class_begin,
                      ColumnRuns& out) const {
  const std::uint64_t* bits = bits_[place_[column]].data();
  const std::size_t n_classes = class_begin.size() - 1;
  out.codes = {0, 1};
  out.sums.assign(2 * n_classes, 0.0);
  std::int64_t ones_in_all = 0;
  for (std::size_t k = 0; k < n_classes; ++k) {
    const std::size_t n = class_begin[k + 1] - class_begin[k];
    if (n == 0) continue;
    const std::uint32_t ones = count_ones(bits, begin + class_begin[k], begin + class_begin[k + 1]);
    out.sums[k] = static_cast<double>(n - ones);
    out.sums[n_classes + k] = ones;
    ones_in_all += ones;
  }
  const std::int64_t n_rows = class_begin.back();
  out.rows = {n_rows - ones_in_all, ones_in_all};
  out.totals = {static_cast<double>(out.rows[0]), static_cast<double>(out.rows[1])};
  if (ones_in_all != 0 && ones_in_all != n_rows) return;
  // Only one of the two codes occurs.
  const std::size_t kept = ones_in_all == 0 ? 0 : 1;
  out.codes = {static_cast<std::uint32_t>(kept)};
  out.rows = {n_rows};
  out.totals = {static_cast<double>(n_rows)};
  out.sums.erase(out.sums.begin() + static_cast<std::ptrdiff_t>(kept == 0 ? n_classes : 0),
                 out.sums.begin() + static_cast<std::ptrdiff_t>(kept == 0 ? 2 * n_classes : n_classes));
}

void BitColumns::divide(std::uint32_t column, std::span<const BitMoves> moves) {
#ifdef THRIFTREE_X86
  const bool has_pext = cpu_has(CpuLevel::avx2);
  const auto pack = has_pext ? pack_node_by_pext : pack_node_plainly;
#else
  const auto pack = pack_node_plainly;
#endif
  std::uint64_t* bits = bits_[place_[column]].data();
  std::vector<std::uint64_t> packed;
  for (const BitMoves& node : moves) {
    packed.resize(node.n_rows / 64 + 2);
    pack(bits, node, packed.data());
    write_bits(packed.data(), node.n_rows, bits, node.begin);
  }
}

}  // namespace thriftree
