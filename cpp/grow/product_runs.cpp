// Sums of combinations of codes: what several columns together would tell.
#include <algorithm>
#include <numeric>
#include <unordered_map>

#include "grow/local_store.hpp"

namespace thriftree {

bool LocalStore::product_runs(int id, std::span<const std::uint32_t> columns, ColumnRuns& out) {
  const Node& n = node(id);
  // Each column refines the numbering of the combinations seen so far.
  std::vector<std::uint32_t> combination(n.size(), 0);
  std::uint32_t n_combinations = 1;
  for (std::uint32_t column : columns) {
    std::unordered_map<std::uint64_t, std::uint32_t> numbers;
    for (std::size_t i = 0; i < n.size(); ++i) {
      const std::uint64_t code = table_.code(rows_[n.begin + i], column);
      const std::uint64_t key = std::uint64_t{combination[i]} << 32 | code;
      combination[i] = numbers.try_emplace(key, static_cast<std::uint32_t>(numbers.size())).first->second;
    }
    n_combinations = static_cast<std::uint32_t>(numbers.size());
    control_.poll();
  }
  std::vector<std::uint32_t> order(n.size());
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return combination[a] < combination[b]; });
  out.clear();
  OneSlot slot(counting_, terms_);
  for (std::size_t i = 0; i < order.size(); ++i) {
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
