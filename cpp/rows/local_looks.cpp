// Looks at a node that leave its rows where they are.
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

}  // namespace thriftree
