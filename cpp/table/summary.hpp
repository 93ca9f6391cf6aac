// What a part of a table tells of its columns, so that all parts can agree on their codes.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "table/source.hpp"

namespace thriftree {

struct ColumnSummary {
  std::vector<double> values;  // distinct and ascending; empty where there are more than the limit
  bool too_many = false;
  bool missing = false;
  // Of the finite values; low > high where there is none.
  double low = std::numeric_limits<double>::infinity(), high = -std::numeric_limits<double>::infinity();
};

// Columns of numbers, of which at most `limit` distinct values each are kept. Throws BadInput that names the
// column and row of an infinite value or of an integer beyond 2^53.
std::vector<ColumnSummary> summarise(const std::vector<ColumnSource>& sources, std::size_t n_rows,
                                     std::size_t limit);

}  // namespace thriftree
