// The two parts of a group of categories that differ most.
#pragma once

#include <optional>
#include <vector>

#include "choose/chaid_groups.hpp"

namespace thriftree {

// With the log p-value of the test between them; the smallest is the one that differs most.
struct GroupHalves {
  double log_p = 0;
  std::vector<std::uint32_t> left, right;
  auto operator<=>(const GroupHalves&) const = default;
};

// None if the two parts don't differ by the threshold (a log p-value), or there are fewer than three
// categories.
std::optional<GroupHalves> best_halves(const Categories& categories, const std::vector<std::uint32_t>& group,
                                       double threshold, ContingencyTests& tests,
                                       const std::function<void()>& poll);

}  // namespace thriftree
