#include "table/blocks.hpp"

#include <algorithm>

namespace thriftree {

void place_in_blocks(Table& table, std::span<const std::uint32_t> narrow, Control& control) {
  constexpr std::size_t block_columns = 16;
  for (std::size_t first = 0; first < narrow.size(); first += block_columns) {
    const std::size_t n = std::min(block_columns, narrow.size() - first);
    Block block;
    block.stride = n > 8 ? 16 : n > 4 ? 8 : 4;
    for (std::size_t i = 0; i < n; ++i) {
      const std::uint32_t c = narrow[first + i];
      block.columns.push_back(c);
      table.columns[c].block = static_cast<std::uint32_t>(table.blocks.size());
      table.columns[c].offset = static_cast<std::uint32_t>(i);
    }
    control.reserve(table.n_rows * block.stride, "coding the columns");
    block.codes.resize(table.n_rows * block.stride);
    table.blocks.push_back(std::move(block));
  }
}

}  // namespace thriftree
