// Moving presorted entries to two branches: the inner loop of a division.
#pragma once

#include <cstddef>
#include <cstdint>

namespace thriftree {

// An entry packs a row (from bit `row_shift` on) and, in bit 0, whether its code differs from the entry
// before it. Moves the entries of rows whose bit in `right` is set behind the others; both parts keep their
// order. A removed entry hands its bit 0 to the next entry that stays, so bit 0 is true of each part.
// `scratch` has room for n + 16 entries; n_left is the number of entries that stay on the left.
void divide_entries(std::uint32_t* entries, std::size_t n, std::size_t n_left, int row_shift,
                    const std::uint64_t* right, std::uint32_t* scratch);
void divide_entries(std::uint64_t* entries, std::size_t n, std::size_t n_left, int row_shift,
                    const std::uint64_t* right, std::uint64_t* scratch);

}  // namespace thriftree
