// CHAID's part of the loop: at a node, the column whose groups differ most surely.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "choose/chaid_merging.hpp"
#include "choose/chooser.hpp"
#include "run/control.hpp"
#include "table/table.hpp"

namespace thriftree {

// What decided a split.
struct ChaidSplit {
  std::uint32_t column = 0;
  std::vector<std::uint32_t> codes;  // seen at the node, ascending; the missing code too
  bool missing_seen = false;         // the last code is that of missing values
  Grouping grouping;                 // its groups are positions in `codes`
};

// By the path to the node: (column, branch) from the root.
using ChaidSplits = std::map<std::vector<std::pair<std::uint32_t, std::int32_t>>, ChaidSplit>;

// Groups the categories of every column and takes the column of the smallest adjusted p-value, if that is at
// most alpha_split. Every choice is added to `splits`.
std::unique_ptr<Chooser> make_chaid_chooser(std::span<const Column> columns, const ChaidRules& rules,
                                            ChaidSplits& splits, Control& control);

}  // namespace thriftree
