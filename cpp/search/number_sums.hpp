// Sums over rows of amount x answer x answer, for many pairs of tests at once.
#pragma once

#include <cstddef>
#include <cstdint>

namespace thriftree {

constexpr std::size_t kNumberLanes = 8;  // columns of a tile; widths are multiples of it
constexpr std::size_t kNumberRows = 64;  // of a block
constexpr std::size_t kNumberWords = 3;  // amounts of a row, at most

// Up to 64 rows, spread out: of each and of every column the row's amounts where it answers 1, else 0.
struct NumberBlock {
  std::size_t width = 0, n_amounts = 0;
  std::int64_t* amount = nullptr;       // [(amount * 64 + row) * width + column]
  const std::uint64_t* ones = nullptr;  // [column]: the rows that answer 1
};

// For columns g from `first` on and below `end`, and h from the tile of g on, adds the sum over rows of
// amount x g x h to sums[(amount * end + g) * width + h].
void add_pairs(const NumberBlock& block, std::size_t first, std::size_t end, std::int64_t* sums);

// Fills in the amounts of some rows, from column `first` on: `answers` are bytes of 0 or 1, [row * width +
// column], and amounts[k] those of every row.
void fill_block(const NumberBlock& block, const std::uint8_t* answers,
                const std::int64_t* const amounts[kNumberWords], const std::uint32_t* rows,
                std::size_t n_rows, std::size_t first);

}  // namespace thriftree
