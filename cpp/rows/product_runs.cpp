// Sums of combinations of codes: what several columns together would tell.
#include <algorithm>
#include <numeric>
#include <unordered_map>

#include "rows/local_store.hpp"

namespace thriftree {

namespace {

constexpr std::size_t kRowsPerPoll = 4096;

}  // namespace

bool LocalStore::product_runs(int id, std::span<const std::uint32_t> columns, ColumnRuns& out) {
  const Node& n = node(id);
  // Each column refines the numbering of the combinations seen so far.
  std::vector<std::uint32_t> combination(n.size(), 0);
  std::uint32_t n_combinations = 1;
  for (std::uint32_t column : columns) {
    std::unordered_map<std::uint64_t, std::uint32_t> numbers;
    for (std::size_t i = 0; i < n.size(); ++i) {
      if (i % kRowsPerPoll == 0) control_.poll_or_throw();
      const std::uint64_t code = table_.code(rows_[n.begin + i], column);
      const std::uint64_t key = std::uint64_t{combination[i]} << 32 | code;
      combination[i] = numbers.try_emplace(key, static_cast<std::uint32_t>(numbers.size())).first->second;
    }
    n_combinations = static_cast<std::uint32_t>(numbers.size());
    if (n_combinations == n.size()) break;  // every row differs already
  }
  std::vector<std::uint32_t> next(n_combinations + 1, 0), order(n.size());
  for (std::uint32_t c : combination) ++next[c + 1];
  std::partial_sum(next.begin(), next.end(), next.begin());
  for (std::uint32_t i = 0; i < order.size(); ++i) order[next[combination[i]]++] = i;
  out.clear();
  OneSlot slot(counting_, terms_);
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (i % kRowsPerPoll == 0) control_.poll_or_throw();
    slot.add(rows_[n.begin + order[i]]);
    const bool last = i + 1 == order.size() || combination[order[i + 1]] != combination[order[i]];
    if (last) slot.append_run(combination[order[i]], out);
  }
  if (n.dominant >= 0) {
    const auto at =
        std::find(rows_.begin() + static_cast<std::ptrdiff_t>(n.begin),
                  rows_.begin() + static_cast<std::ptrdiff_t>(n.end), static_cast<std::uint32_t>(n.dominant));
    const auto position = static_cast<std::size_t>(at - rows_.begin()) - n.begin;
    set_dominant(n, combination[position], out);
  }
  return n_combinations > 1;
}

}  // namespace thriftree
