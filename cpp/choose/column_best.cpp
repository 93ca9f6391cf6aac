// From the best candidate of a column to the partition of its codes.
#include <algorithm>

#include "choose/candidates.hpp"

namespace thriftree {

Partition ColumnBest::partition(std::uint32_t column, const Column& description) const {
  Partition result;
  result.column = column;
  if (kind == kThreshold) {
    result.ordered = true;
    if (missing_alone) {
      result.to = {0};
    } else {
      result.last = {lower};
      result.next = {upper};
      result.to = {0, 1};
      result.cut = cut;
    }
    result.missing = missing;
    return result;
  }
  std::vector<std::uint32_t> known = codes;
  std::vector<std::int32_t> branch = to;
  if (description.has_missing && known.back() == description.n_codes - 1) {
    result.missing = branch.back();
    known.pop_back();
    branch.pop_back();
  }
  result.n_branches = *std::max_element(to.begin(), to.end()) + 1;
  if (kind == kOneVsRest) {
    result.other = 1;
    if (result.missing < 0) result.missing = 1;
  }
  result.last = std::move(known);
  result.to = std::move(branch);
  if (description.kind == ColumnKind::ordered) result.make_ordered();
  return result;
}

}  // namespace thriftree
