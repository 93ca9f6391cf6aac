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

Column Column::book() const {
  Column book;
  book.kind = kind;
  book.n_codes = n_codes;
  book.has_missing = has_missing;
  book.ranked_category = ranked_category;
  book.values = values;
  book.edges = edges;
  return book;
}

bool Column::same_book(const Column& other) const {
  return kind == other.kind && n_codes == other.n_codes && has_missing == other.has_missing &&
         ranked_category == other.ranked_category && values == other.values && edges == other.edges;
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
