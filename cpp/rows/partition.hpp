// A partition: which branch each code of a column takes at a node. Every kind of test is one.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace thriftree {

// The values of a node's rows on both sides of a threshold: x <= low goes with the lower.
struct ValueCut {
  double low = 0, high = 0;
  bool operator==(const ValueCut&) const = default;
};

struct Partition {
  std::uint32_t column = 0;
  bool ordered = false;
  int n_branches = 2;
  // Ordered: interval i holds the codes up to last[i], and branch to[i]; next[i] is the first code seen
  // beyond it (so the cut lies between last[i] and next[i]); the last interval has to = to.back() and no
  // entry in last. last is ascending. Category: last[i] is a code seen at the node, in ascending order, and
  // to[i] its branch; next is empty.
  std::vector<std::uint32_t> last, next;
  std::vector<std::int32_t> to;
  // Of a column of spans (Column::spans), where the threshold is: last and next hold the codes of low and
  // high, which are the same where it lies inside a code.
  std::optional<ValueCut> cut;
  // Branch of the missing code and of what was not seen at the node; -1: not seen, so it follows the heaviest
  // child.
  std::int32_t missing = -1;
  std::int32_t other = -1;

  bool operator==(const Partition&) const = default;

  // Branch of a code that is not the missing code; `other` where a category was not seen.
  std::int32_t branch_of(std::uint32_t code) const {
    std::size_t low = 0, high = last.size();
    while (low < high) {
      const std::size_t middle = (low + high) / 2;
      if (last[middle] < code) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    if (ordered) return to[low];
    return low < last.size() && last[low] == code ? to[low] : other;
  }

  // From codes and branches, as a category column has them, to the intervals of an ordered one.
  void make_ordered() {
    const std::vector<std::uint32_t> codes = std::move(last);
    const std::vector<std::int32_t> branch = std::move(to);
    ordered = true;
    last.clear();
    next.clear();
    to.clear();
    for (std::size_t i = 0; i < codes.size(); ++i) {
      const bool at_end = i + 1 == codes.size();
      if (!at_end && branch[i + 1] == branch[i]) continue;
      to.push_back(branch[i]);
      if (at_end) break;
      last.push_back(codes[i]);
      next.push_back(codes[i + 1]);
    }
  }
};

// A chooser's answer for one node.
struct Choice {
  Partition partition;
  double score = 0;     // what it was chosen by
  double decrease = 0;  // impurity decrease per unit of the node's weight
  double price = 1;     // marginal price of the test at this node
};

}  // namespace thriftree
