// Samples of a table: some of its rows under the same codes.
#pragma once

#include <cstdint>
#include <limits>
#include <span>

#include "run/control.hpp"
#include "table/table.hpp"

namespace thriftree {

// The table of these rows, which must ascend. Codes keep their meaning, so a tree of the sample speaks of the
// whole table's values and categories.
Table take_rows(const Table& table, std::span<const std::uint32_t> rows, Control& control);

// Puts a category column in another order: code c becomes new_code[c], and missing comes after them. A
// category that does not occur may have none (kNoCode): it is no longer known. The column is tested by cuts
// from now on.
inline constexpr std::uint32_t kNoCode = std::numeric_limits<std::uint32_t>::max();
void rank_categories(Table& table, std::size_t column, std::span<const std::uint32_t> new_code);

}  // namespace thriftree
