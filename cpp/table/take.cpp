#include "table/take.hpp"

#include <algorithm>
#include <cstring>
#include <string>

#include "table/ranked.hpp"

namespace thriftree {

namespace {

constexpr std::uint32_t kNotTaken = kNoCode;

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
  if (table.exact) {
    control.reserve(rows.size() * sizeof(std::uint32_t), "a part of the table");
    std::vector<std::uint32_t> exact_rows(rows.begin(), rows.end());
    if (table.exact_rows) {
      for (std::uint32_t& row : exact_rows) row = (*table.exact_rows)[row];
    }
    result.exact = table.exact;
    result.exact_rows = std::make_shared<const std::vector<std::uint32_t>>(std::move(exact_rows));
    result.ranked_form = std::make_shared<RankedForm>();
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
  const std::string place = "column " + std::to_string(column);
  std::vector<std::uint32_t> codes(new_code.begin(), new_code.end());
  std::vector<std::uint32_t> used;
  for (const std::uint32_t code : codes) {
    if (code != kNoCode) used.push_back(code);
  }
  std::sort(used.begin(), used.end());
  for (std::size_t i = 0; i < used.size(); ++i) {
    if (used[i] != i)
      throw BadInput("an order of " + place + " must number its categories from 0, each once");
  }
  if (codes.size() != c.n_known()) throw BadInput("an order of " + place + " must name every category");
  codes.push_back(static_cast<std::uint32_t>(used.size()));  // missing
  const auto renamed = [&](std::uint32_t code) {
    if (codes[code] == kNoCode) throw BadInput("an order of " + place + " leaves out a category that occurs");
    return codes[code];
  };
  if (c.narrow) {
    Block& block = table.blocks[c.block];
    for (std::size_t row = 0; row < table.n_rows; ++row) {
      std::uint8_t& code = block.codes[row * block.stride + c.offset];
      code = static_cast<std::uint8_t>(renamed(code));
    }
  } else {
    for (std::uint32_t& code : table.wide[c.wide]) code = renamed(code);
  }
  if (table.exact) table.ranked_form = std::make_shared<RankedForm>();  // the other's is of the old order
  c.kind = ColumnKind::ordered;
  c.ranked_category = true;
  c.n_codes = static_cast<std::uint32_t>(used.size() + (c.has_missing ? 1 : 0));
}

}  // namespace thriftree
