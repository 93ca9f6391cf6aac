// The values behind codes of a part's rows, where whoever has all parts looks for a threshold inside a code.
#include <algorithm>
#include <array>

#include "rows/part_counter.hpp"
#include "run/control.hpp"

namespace thriftree {

std::vector<PartCounter::OpenedPart> PartCounter::open_codes(std::span<const OpenRequest> requests) const {
  if (!exact_) throw BadInput("this part has no values behind its codes");
  std::vector<OpenedPart> opened(requests.size());
  for (std::size_t from = 0, to = 0; from < requests.size(); from = to) {
    while (to < requests.size() && requests[to].node == requests[from].node &&
           requests[to].column == requests[from].column)
      ++to;
    open_column(requests.subspan(from, to - from), std::span(opened).subspan(from, to - from));
  }
  return opened;
}

void PartCounter::open_column(std::span<const OpenRequest> requests, std::span<OpenedPart> out) const {
  const Column& column = table_.columns[requests[0].column];
  const ColumnSource& source = exact_->source(requests[0].column);
  std::array<std::vector<std::size_t>, kByteCodes> of_code;  // requests
  for (std::size_t r = 0; r < requests.size(); ++r) of_code[requests[r].code].push_back(r);
  std::array<std::uint8_t, kByteCodes> asked{};
  for (std::size_t code = 0; code < kByteCodes; ++code) asked[code] = !of_code[code].empty();
  const Block& block = table_.blocks[column.block];
  const std::uint8_t* const codes = block.codes.data() + column.offset;
  const auto rows = rows_of(node(requests[0].node));
  std::vector<std::uint32_t> found(rows.size() + 1);
  std::size_t n = 0;
  for (const std::uint32_t row : rows) {
    found[n] = row;
    n += asked[codes[std::size_t{row} * block.stride]];
  }
  std::vector<double> values(n);
  read_numbers_at(source, found.data(), n, values.data());
  std::vector<std::vector<Entry>> entries(requests.size());
  for (std::size_t i = 0; i < n; ++i) {
    const double value = values[i] + 0.0;  // one zero
    for (const std::size_t r : of_code[codes[std::size_t{found[i]} * block.stride]]) {
      if (value > requests[r].above && value <= requests[r].up_to) entries[r].push_back({value, found[i]});
    }
  }
  for (std::size_t r = 0; r < requests.size(); ++r) out[r] = summed_up(requests[r], entries[r]);
}

PartCounter::OpenedPart PartCounter::summed_up(const OpenRequest& request,
                                               std::vector<Entry>& entries) const {
  const bool by_value = request.by == OpenRequest::By::value;
  if (by_value)
    std::sort(entries.begin(), entries.end(),
              [](const Entry& a, const Entry& b) { return a.value < b.value; });
  OpenedPart opened;
  const std::size_t width = of_code_.size();
  std::vector<std::size_t> place(request.edges.size() + 1, SIZE_MAX);  // by finer code
  const auto start = [&](double key, double value) {
    opened.key.push_back(key);
    opened.code.low.push_back(value);
    opened.code.high.push_back(value);
    opened.code.sums.resize(opened.code.sums.size() + width, 0);
    return opened.key.size() - 1;
  };
  for (const Entry& entry : entries) {
    std::size_t at = opened.key.size() - 1;
    if (by_value) {
      if (opened.key.empty() || opened.key.back() != entry.value) at = start(entry.value, entry.value);
    } else {
      const auto edge = std::lower_bound(request.edges.begin(), request.edges.end(), entry.value);
      const auto finer = static_cast<std::size_t>(edge - request.edges.begin());
      if (place[finer] == SIZE_MAX) place[finer] = start(static_cast<double>(finer), entry.value);
      at = place[finer];
    }
    opened.code.low[at] = std::min(opened.code.low[at], entry.value);
    opened.code.high[at] = std::max(opened.code.high[at], entry.value);
    add_row(of_code_, entry.row, opened.code.sums.data() + at * width);
  }
  return opened;
}

}  // namespace thriftree
