#include "table/whole_labels.hpp"

#include <algorithm>

namespace thriftree {

std::optional<WholeLabels> whole_labels(std::span<const std::int64_t> numbers) {
  constexpr std::uint64_t kSmallRange = 1024;
  const auto [least, most] = std::minmax_element(numbers.begin(), numbers.end());
  // As unsigned numbers, whose difference does not overflow.
  const auto low = static_cast<std::uint64_t>(*least);
  const std::uint64_t range = static_cast<std::uint64_t>(*most) - low;
  if (range > std::max<std::uint64_t>(numbers.size(), kSmallRange)) return {};
  std::vector<std::int32_t> place(static_cast<std::size_t>(range) + 1, -1);
  for (const std::int64_t number : numbers)
    place[static_cast<std::size_t>(static_cast<std::uint64_t>(number) - low)] = 0;
  WholeLabels found;
  for (std::size_t i = 0; i < place.size(); ++i) {
    if (place[i] < 0) continue;
    place[i] = static_cast<std::int32_t>(found.classes.size());
    found.classes.push_back(static_cast<std::int64_t>(low + i));
  }
  found.labels.resize(numbers.size());
  for (std::size_t row = 0; row < numbers.size(); ++row)
    found.labels[row] = place[static_cast<std::size_t>(static_cast<std::uint64_t>(numbers[row]) - low)];
  return found;
}

}  // namespace thriftree
