#include "table/table.hpp"

namespace thriftree {

double midpoint(double low, double high) {
  const double middle = low / 2 + high / 2;
  return middle >= low && middle < high ? middle : low;
}

double Column::cut(std::uint32_t a, std::uint32_t b) const {
  const bool exact = edges.empty() && !values.empty();
  const double low = exact ? values[a] : edges[a];
  const double high = exact ? values[b] : edges[b - 1];
  return midpoint(low, high);
}

std::size_t Table::bytes() const {
  std::size_t total = 0;
  for (const auto& b : blocks) total += b.codes.size();
  for (const auto& w : wide) total += w.size() * sizeof(std::uint32_t);
  for (const auto& s : sorted) total += s.size() * sizeof(std::uint32_t);
  for (const auto& c : columns) total += (c.values.size() + c.edges.size()) * sizeof(double);
  return total;
}

}  // namespace thriftree
