// Counting: the rows of a node, all columns of one block at a time.
#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <type_traits>

#include "rows/fetch_ahead.hpp"
#include "rows/histogram.hpp"
#include "rows/two_valued.hpp"
#include "run/cpu.hpp"

namespace thriftree {

namespace {

// As many codes as are read at once: one wide read is quicker than one for every byte.
template <int Stride>
struct Word {
  static constexpr int codes = Stride < 8 ? Stride : 8;
  using Bits = std::conditional_t<codes == 8, std::uint64_t, std::uint32_t>;
};
static_assert(std::endian::native == std::endian::little);  // the first code is the lowest byte

// The slot of a code in byte j of a block's chunks.
struct ListedSlots {
  const std::uint32_t* offset;
  std::size_t operator()(int j, std::size_t code) const { return offset[j] + code; }
};
struct EvenSlots {
  std::size_t first;
  std::size_t operator()(int j, std::size_t code) const {
    return first + static_cast<std::size_t>(j) * Slots::even_slots + code;
  }
};

// Calls add(slot) for every code of a row.
template <int Stride, class SlotOf, class Add>
THRIFTREE_INLINE void each_code(const std::uint8_t* codes, std::size_t row, const SlotOf& slot_of,
                                const Add& add) {
  const std::uint8_t* chunk = codes + row * Stride;
  for (int first = 0; first < Stride; first += Word<Stride>::codes) {
    typename Word<Stride>::Bits word;
    std::memcpy(&word, chunk + first, sizeof word);
    for (int j = 0; j < Word<Stride>::codes; ++j, word >>= 8) add(slot_of(first + j, word & 0xFF));
  }
}

template <int Stride, class SlotOf>
void count_unit(const std::uint8_t* codes, const std::uint32_t* rows, std::size_t n, const SlotOf& slot_of,
                std::uint32_t* out) {
  for (std::size_t i = 0; i < n; ++i) {
    fetch_ahead<Stride>(codes, rows, i, n);
    each_code<Stride>(codes, rows[i], slot_of, [&](std::size_t slot) { ++out[slot]; });
  }
}

template <int Stride, class SlotOf>
void count_weights(const std::uint8_t* codes, const std::uint32_t* rows, std::size_t n, const SlotOf& slot_of,
                   const std::int64_t* weight, std::uint32_t* out_rows, std::int64_t* out) {
  for (std::size_t i = 0; i < n; ++i) {
    fetch_ahead<Stride>(codes, rows, i, n);
    const std::int64_t w = weight[rows[i]];
    each_code<Stride>(codes, rows[i], slot_of, [&](std::size_t slot) {
      ++out_rows[slot];
      out[slot] += w;
    });
  }
}

// The codes of a block, and where they are counted.
template <int Stride, class SlotOf>
struct Chunks {
  static constexpr int stride = Stride;
  const std::uint8_t* codes;
  const SlotOf& slot_of;
};

typedef std::uint64_t FourSums __attribute__((vector_size(sizeof(NumberSums)), aligned(8), may_alias));

// What is read of the rows, some at a time, is put side by side first: then adding is bound by nothing else.
// `weight` is null where every row weighs 1.
THRIFTREE_BY_CPU_OF(template <class BlockChunks>, void, count_numbers,
                    (const BlockChunks& chunks, const std::uint32_t* rows, std::size_t n,
                     const NumberOfRow* numbers, const std::int64_t* weight, NumberSums* out),
                    (chunks, rows, n, numbers, weight, out)) {
  constexpr std::size_t together = 256;
  constexpr std::size_t stride = BlockChunks::stride;
  std::uint8_t copied[together * stride];
  NumberSums added[together];
  for (std::size_t first = 0; first < n; first += together) {
    const std::size_t m = std::min(together, n - first);
    for (std::size_t i = 0; i < m; ++i) {
      fetch_ahead<BlockChunks::stride>(chunks.codes, rows, first + i, n);
      fetch_ahead(numbers, rows, first + i, n);
      const std::size_t row = rows[first + i];
      std::memcpy(copied + i * stride, chunks.codes + row * stride, stride);
      added[i].low = static_cast<std::uint32_t>(numbers[row].moment);
      added[i].high = static_cast<std::uint64_t>(numbers[row].moment >> 32);
      added[i].squares = numbers[row].steps;
      if (weight) added[i].weight = weight[row];
    }
    for (std::size_t i = 0; i < m; ++i) {
      const FourSums of_row = *reinterpret_cast<const FourSums*>(added + i);
      const std::uint8_t* chunk = copied + i * stride;
      for (std::size_t j = 0; j < stride; ++j)
        *reinterpret_cast<FourSums*>(out + chunks.slot_of(static_cast<int>(j), chunk[j])) += of_row;
    }
  }
}

// value[row] of each of these rows, added to its slot of every column.
template <int Stride, class SlotOf, class Value, class Sum>
void add_values(const Block& block, std::span<const std::uint32_t> rows, const SlotOf& slot_of,
                const Value* value, Sum* sums) {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    fetch_ahead<Stride>(block.codes.data(), rows.data(), i, rows.size());
    fetch_ahead(value, rows.data(), i, rows.size());
    const Value added = value[rows[i]];
    each_code<Stride>(block.codes.data(), rows[i], slot_of,
                      [&](std::size_t slot) { sums[slot] += static_cast<Sum>(added); });
  }
}

// Adds the sums of a block of two-valued columns to their slots.
void spread_ones(const OnesSums& ones, const Block& block, const std::array<std::uint32_t, 16>& offset,
                 std::int64_t* sums) {
  for (std::size_t j = 0; j < block.columns.size(); ++j) {
    sums[offset[j] + 1] += ones.values[j];
    sums[offset[j]] += ones.total - ones.values[j];
  }
}

template <int Stride, class SlotOf>
void count_stride(const Block& block, bool two_valued, const Counting& counting,
                  const std::array<std::uint32_t, 16>& offset, const SlotOf& slot_of, std::size_t n_slots,
                  const NodeRows& node, std::size_t from, std::size_t to, Histogram& out) {
  const Target& target = counting.target;
  const std::uint8_t* codes = block.codes.data();
  for (std::size_t k = 0; k + 1 < node.class_begin.size(); ++k) {
    const std::size_t begin = std::max<std::size_t>(node.class_begin[k], from);
    const std::size_t end = std::min<std::size_t>(node.class_begin[k + 1], to);
    if (begin >= end) continue;
    const std::uint32_t* rows = node.rows + begin;
    std::uint32_t* out_rows = out.rows.data() + (counting.row_groups > 1 ? k * n_slots : 0);
    if (target.n_classes == 0) {
      const Chunks<Stride, SlotOf> chunks{codes, slot_of};
      count_numbers(chunks, rows, end - begin, counting.numbers.data(),
                    target.weighted() ? target.growth.data() : nullptr, out.numbers.data());
      if (counting.row_groups > 0) count_unit<Stride>(codes, rows, end - begin, slot_of, out_rows);
    } else if (!counting.packed.empty() && two_valued) {
      spread_ones(sum_ones(block, rows, end - begin, counting.packed.data()), block, offset,
                  out.weights.data() + k * n_slots);
    } else if (!counting.packed.empty()) {
      add_values<Stride>(block, {rows, end - begin}, slot_of, counting.packed.data(),
                         out.weights.data() + k * n_slots);
    } else if (target.weighted() && two_valued && counting.row_groups > 0) {
      const OnesSums ones = sum_ones(block, rows, end - begin, target.growth.data());
      spread_ones(ones, block, offset, out.weights.data() + k * n_slots);
      for (std::size_t j = 0; j < block.columns.size(); ++j) {
        out_rows[offset[j] + 1] += ones.rows[j];
        out_rows[offset[j]] += static_cast<std::uint32_t>(end - begin) - ones.rows[j];
      }
    } else if (counting.row_groups == 0) {
      add_values<Stride>(block, {rows, end - begin}, slot_of, target.growth.data(),
                         out.weights.data() + k * n_slots);
    } else if (target.weighted()) {
      count_weights<Stride>(codes, rows, end - begin, slot_of, target.growth.data(), out_rows,
                            out.weights.data() + k * n_slots);
    } else {
      count_unit<Stride>(codes, rows, end - begin, slot_of, out_rows);
    }
  }
}

std::array<std::uint32_t, 16> slot_offsets(const Block& block, const Slots& slots) {
  std::array<std::uint32_t, 16> offset;
  offset.fill(slots.dummy);
  for (std::size_t i = 0; i < block.columns.size(); ++i) offset[i] = slots.offset[block.columns[i]];
  return offset;
}

// Calls f with the block's stride as a constant.
template <class F>
void with_stride(const Block& block, F&& f) {
  if (block.stride == 16) {
    f(std::integral_constant<int, 16>());
  } else if (block.stride == 8) {
    f(std::integral_constant<int, 8>());
  } else {
    f(std::integral_constant<int, 4>());
  }
}

}  // namespace

void count_block(const Table& table, const Counting& counting, const Slots& slots, std::uint32_t block_index,
                 const NodeRows& node, std::size_t from, std::size_t to, Histogram& out) {
  const Block& block = table.blocks[block_index];
  const auto offset = slot_offsets(block, slots);
  with_stride(block, [&](auto stride) {
    const auto count = [&](const auto& slot_of) {
      count_stride<stride>(block, slots.two_valued[block_index], counting, offset, slot_of, slots.n, node,
                           from, to, out);
    };
    if (slots.even[block_index]) {
      count(EvenSlots{offset[0]});
    } else {
      count(ListedSlots{offset.data()});
    }
  });
}

void recount_block(const Table& table, const Counting& counting, const Slots& slots,
                   std::uint32_t block_index, std::span<const std::uint32_t> rows,
                   std::span<const std::uint32_t> heavy_rows, const std::vector<std::int64_t>& terms,
                   Histogram& out) {
  const Block& block = table.blocks[block_index];
  const Statistics& statistics = counting.statistics;
  const auto offset = slot_offsets(block, slots);
  const ListedSlots slot_of{offset.data()};
  with_stride(block, [&](auto stride) {
    if (statistics.members)
      add_values<stride>(block, rows, slot_of, counting.target.multiplicity.data(), out.members.data());
    if (statistics.heavy_weight)
      add_values<stride>(block, heavy_rows, slot_of, counting.target.growth.data(), out.heavy.data());
    if (statistics.heavy_terms && slots.two_valued[block_index]) {
      spread_ones(sum_ones(block, heavy_rows.data(), heavy_rows.size(), terms.data()), block, offset,
                  out.terms.data());
    } else if (statistics.heavy_terms) {
      add_values<stride>(block, heavy_rows, slot_of, terms.data(), out.terms.data());
    }
  });
}

}  // namespace thriftree
