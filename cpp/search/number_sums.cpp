#include "search/number_sums.hpp"

#include "search/number_lanes.hpp"

namespace thriftree {

namespace {

using namespace number_lanes;

// As many columns as registers hold: the rows that answer g are added up there.
template <std::size_t n_vectors>
THRIFTREE_INLINE void add_tile(const std::int64_t* rows, std::size_t width, std::uint64_t ones,
                               std::int64_t* sums) {
  FourWhole sum[n_vectors];
  for (std::size_t i = 0; i < n_vectors; ++i) sum[i] = load(sums + 4 * i);
  for (; ones != 0; ones &= ones - 1) {
    const std::int64_t* row = rows + static_cast<std::size_t>(__builtin_ctzll(ones)) * width;
    for (std::size_t i = 0; i < n_vectors; ++i) sum[i] += load(row + 4 * i);
  }
  for (std::size_t i = 0; i < n_vectors; ++i) store(sums + 4 * i, sum[i]);
}

THRIFTREE_BY_CPU(void, add_pairs_here,
                 (const NumberBlock& block, std::size_t first, std::size_t end, std::int64_t* sums),
                 (block, first, end, sums)) {
  const std::size_t width = block.width;
  for (std::size_t k = 0; k < block.n_amounts; ++k) {
    const std::int64_t* rows = block.amount + k * kNumberRows * width;
    for (std::size_t g = first; g < end; ++g) {
      const std::uint64_t ones = block.ones[g];
      std::int64_t* out = sums + (k * end + g) * width;
      std::size_t h = g / kNumberLanes * kNumberLanes;
      for (; h + 32 <= width; h += 32) add_tile<8>(rows + h, width, ones, out + h);
      if (h + 16 <= width) {
        add_tile<4>(rows + h, width, ones, out + h);
        h += 16;
      }
      if (h < width) add_tile<2>(rows + h, width, ones, out + h);
    }
  }
}

THRIFTREE_BY_CPU(void, fill_block_here,
                 (const NumberBlock& block, const std::uint8_t* answers, const std::int64_t* const* amounts,
                  const std::uint32_t* rows, std::size_t n_rows, std::size_t first),
                 (block, answers, amounts, rows, n_rows, first)) {
  for (std::size_t k = 0; k < block.n_amounts; ++k) {
    for (std::size_t i = 0; i < n_rows; ++i) {
      const std::uint8_t* answer = answers + rows[i] * block.width;
      const std::int64_t amount = amounts[k][rows[i]];
      std::int64_t* out = block.amount + (k * kNumberRows + i) * block.width;
      for (std::size_t c = first; c < block.width; ++c)
        out[c] = amount & -static_cast<std::int64_t>(answer[c]);
    }
  }
}

}  // namespace

void add_pairs(const NumberBlock& block, std::size_t first, std::size_t end, std::int64_t* sums) {
  add_pairs_here(block, first, end, sums);
}

void fill_block(const NumberBlock& block, const std::uint8_t* answers,
                const std::int64_t* const amounts[kNumberWords], const std::uint32_t* rows,
                std::size_t n_rows, std::size_t first) {
  fill_block_here(block, answers, amounts, rows, n_rows, first);
}

}  // namespace thriftree
