#include "table/ranked.hpp"

#include <algorithm>
#include <span>

#include "table/blocks.hpp"
#include "table/exact_values.hpp"
#include "table/take.hpp"

namespace thriftree {

namespace {

Table make_ranked(const Table& table, Control& control, Team& team) {
  const Table& all = table.exact->ranks(control, team);
  Table part;
  if (table.exact_rows) part = take_rows(all, *table.exact_rows, control);
  const Table& ranks = table.exact_rows ? part : all;
  Table result;
  result.n_rows = table.n_rows;
  result.columns = table.columns;
  result.wide = table.wide;
  result.sorted = table.sorted;
  std::vector<std::uint32_t> narrow;
  for (std::uint32_t c = 0; c < table.columns.size(); ++c) {
    Column& column = result.columns[c];
    if (!column.spans) {
      if (column.narrow) narrow.push_back(c);
      continue;
    }
    const Column& found = ranks.columns[table.exact->place(c)];
    column = found;
    column.wide = static_cast<std::uint32_t>(result.wide.size());
    control.reserve(2 * table.n_rows * sizeof(std::uint32_t), "coding the distinct values of every column");
    result.wide.push_back(ranks.wide[found.wide]);
    result.sorted.push_back(ranks.sorted[found.wide]);
  }
  place_in_blocks(result, narrow, control);
  for (const std::uint32_t c : narrow) {
    const Column &to = result.columns[c], &from = table.columns[c];
    Block& block = result.blocks[to.block];
    const Block& old = table.blocks[from.block];
    for (std::size_t row = 0; row < table.n_rows; ++row)
      block.codes[row * block.stride + to.offset] = old.codes[row * old.stride + from.offset];
  }
  return result;
}

}  // namespace

const Table& ranked(const Table& table, Control& control, Team& team) {
  if (!table.exact) return table;
  RankedForm& form = *table.ranked_form;
  const std::lock_guard lock(form.making);
  if (!form.table) form.table = std::make_unique<const Table>(make_ranked(table, control, team));
  return *form.table;
}

}  // namespace thriftree
