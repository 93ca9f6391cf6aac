// Looks at a node that leave its rows where they are.
#include <algorithm>
#include <string>

#include "rows/divide_rows.hpp"
#include "rows/local_store.hpp"

namespace thriftree {

std::vector<NodeTotals> LocalStore::peek(int id, const Partition& partition) {
  const Node& parent = node(id);
  std::vector<std::uint32_t> rows(rows_.begin() + static_cast<std::ptrdiff_t>(parent.begin),
                                  rows_.begin() + static_cast<std::ptrdiff_t>(parent.end));
  // Terms are by row, for the node that the row is in: which stays this one.
  std::vector<std::int64_t> terms;
  for (std::size_t i = 0; statistics_.heavy_terms && i < rows.size(); ++i) terms.push_back(terms_[rows[i]]);
  RowDivision division;
  division.rows = rows.data();
  division.class_begin = &parent.class_begin;
  divide_rows(table_, partition, nullptr, false, scratch_[0], division);
  std::vector<NodeTotals> branches;
  std::size_t begin = 0;
  for (auto& class_begin : division.branch_class_begin) {
    Node branch;
    branch.end = class_begin.back();
    branch.class_begin = std::move(class_begin);
    branch.whole = whole_sums(branch, rows.data() + begin);
    branches.push_back(totals(branch, rows.data() + begin, true));
    begin += branch.size();
  }
  for (std::size_t i = 0; i < terms.size(); ++i) terms_[rows_[parent.begin + i]] = terms[i];
  return branches;
}

std::vector<CodeValues> LocalStore::open_codes(std::span<const int> nodes, std::uint32_t column,
                                               std::uint32_t code) {
  const Column& known = table_.columns[column];
  if (code >= known.values.size()) {
    throw BadInput("code " + std::to_string(code) + " of column " + std::to_string(column) +
                   " stands for no value that is kept here: the column is binned, or of categories, or the "
                   "code is for missing values");
  }
  std::vector<CodeValues> opened(nodes.size());
  ColumnRuns all;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    runs(nodes[i], column, 0, all);
    const auto at = std::lower_bound(all.codes.begin(), all.codes.end(), code);
    if (at == all.codes.end() || *at != code) continue;
    const auto run = static_cast<std::size_t>(at - all.codes.begin());
    const std::size_t width = all.sums.size() / all.codes.size();
    const auto first = all.sums.begin() + static_cast<std::ptrdiff_t>(run * width);
    opened[i].values = {known.values[code]};
    opened[i].runs = {
        {0}, {all.rows[run]}, {first, first + static_cast<std::ptrdiff_t>(width)}, {all.totals[run]}};
  }
  return opened;
}

}  // namespace thriftree
