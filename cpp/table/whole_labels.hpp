// Whole numbers as class numbers.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace thriftree {

struct WholeLabels {
  std::vector<std::int32_t> labels;   // of each row: the place of its number among the classes
  std::vector<std::int64_t> classes;  // the numbers that occur, ascending
};

// By a table over their range, so in linear time; none where that has many more entries than there are rows.
// There is at least one number.
std::optional<WholeLabels> whole_labels(std::span<const std::int64_t> numbers);

}  // namespace thriftree
