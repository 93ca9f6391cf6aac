#include "table/take.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <string>

namespace thriftree {

namespace {

constexpr std::uint32_t kNotTaken = std::numeric_limits<std::uint32_t>::max();

// The sorted order of a wide column, of the taken rows only. Their numbers rise with the rows, so equal codes
// stay in order.
std::vector<std::uint32_t> sorted_part(const std::vector<std::uint32_t>& sorted,
                                       const std::vector<std::uint32_t>& codes,
                                       const std::vector<std::uint32_t>& new_row, std::size_t n_taken) {
  std::vector<std::uint32_t> result;
  result.reserve(sorted.empty() ? 0 : n_taken);
  std::uint32_t before = kNotTaken;  // the code of the row before
  for (const std::uint32_t entry : sorted) {
    const std::uint32_t row = entry >> 1;
    if (new_row[row] == kNotTaken) continue;
    result.push_back(new_row[row] * 2 + (codes[row] != before ? 1 : 0));
    before = codes[row];
  }
  return result;
}

}  // namespace

Table take_rows(const Table& table, std::span<const std::uint32_t> rows, Control& control) {
  if (rows.empty()) throw BadInput("a table needs at least one row");
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i] >= table.n_rows || (i > 0 && rows[i] <= rows[i - 1]))
      throw BadInput("rows must be row numbers of the table, ascending");
  }
  Table result;
  result.n_rows = rows.size();
  result.columns = table.columns;
  control.reserve(table.bytes() / std::max<std::size_t>(table.n_rows, 1) * result.n_rows,
                  "a part of the table");
  for (const Block& block : table.blocks) {
    control.poll_or_throw();
    Block part{block.stride, block.columns, {}};
    part.codes.resize(rows.size() * block.stride);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      std::memcpy(part.codes.data() + i * block.stride,
                  block.codes.data() + static_cast<std::size_t>(rows[i]) * block.stride, block.stride);
    }
    result.blocks.push_back(std::move(part));
  }
  std::vector<std::uint32_t> new_row;
  if (!table.wide.empty()) {
    new_row.assign(table.n_rows, kNotTaken);
    for (std::size_t i = 0; i < rows.size(); ++i) new_row[rows[i]] = static_cast<std::uint32_t>(i);
  }
  for (std::size_t j = 0; j < table.wide.size(); ++j) {
    control.poll_or_throw();
    std::vector<std::uint32_t> codes(rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) codes[i] = table.wide[j][rows[i]];
    result.wide.push_back(std::move(codes));
    result.sorted.push_back(sorted_part(table.sorted[j], table.wide[j], new_row, rows.size()));
  }
  return result;
}

void rank_categories(Table& table, std::size_t column, std::span<const std::uint32_t> new_code) {
  if (column >= table.columns.size() || table.columns[column].kind != ColumnKind::category)
    throw BadInput("only category columns can be ranked");
  Column& c = table.columns[column];
  std::vector<bool> used(c.n_known(), false);
  for (const std::uint32_t code : new_code) {
    if (code >= used.size() || used[code]) break;
    used[code] = true;
  }
  if (new_code.size() != c.n_known() || std::find(used.begin(), used.end(), false) != used.end())
    throw BadInput("an order of column " + std::to_string(column) + " must give each category one new code");
  c.kind = ColumnKind::ordered;
  c.ranked_category = true;
  if (!c.narrow) {
    for (std::uint32_t& code : table.wide[c.wide]) {
      if (code < new_code.size()) code = new_code[code];
    }
    return;
  }
  Block& block = table.blocks[c.block];
  for (std::size_t row = 0; row < table.n_rows; ++row) {
    std::uint8_t& code = block.codes[row * block.stride + c.offset];
    if (code < new_code.size()) code = static_cast<std::uint8_t>(new_code[code]);
  }
}

}  // namespace thriftree
