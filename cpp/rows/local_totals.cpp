// What is known of a node of this process: the sums of its rows.
#include <algorithm>
#include <cmath>

#include "rows/fetch_ahead.hpp"
#include "rows/local_store.hpp"

namespace thriftree {

LocalStore::WholeSums LocalStore::whole_sums(const Node& n, const std::uint32_t* rows) const {
  WholeSums sums;
  if (!target_.sample.empty()) {
    for (std::size_t i = 0; i < n.size(); ++i) sums.sample += target_.sample[rows[i]];
  }
  const bool numbers = target_.n_classes == 0;
  const std::vector<std::uint32_t> all{0, static_cast<std::uint32_t>(n.size())};
  const auto& begin = numbers ? all : n.class_begin;
  for (std::size_t k = 0; k + 1 < begin.size() && target_.weighted(); ++k) {
    std::int64_t weight = 0;
    for (std::size_t i = begin[k]; i < begin[k + 1]; ++i) {
      fetch_ahead(target_.growth.data(), rows, i, n.size());
      weight += target_.growth[rows[i]];
    }
    sums.weights.push_back(weight);
  }
  if (!numbers) return sums;
  sums.lowest = sums.highest = n.size() > 0 ? target_.values[rows[0]] : 0;
  for (std::size_t i = 0; i < n.size(); ++i) {
    fetch_ahead(counting_.numbers.data(), rows, i, n.size());
    const NumberOfRow& row = counting_.numbers[rows[i]];
    sums.moment += row.moment;
    sums.squares += row.square;
    sums.lowest = std::min(sums.lowest, row.value);
    sums.highest = std::max(sums.highest, row.value);
  }
  sums.one_number = sums.lowest == sums.highest;
  return sums;
}

// Whole numbers can be subtracted. How far its numbers reach is not known so: no further than its parent's.
void LocalStore::leave_to_largest(const Node& parent, Node& largest) const {
  largest.whole = parent.whole;
  for (const int child : parent.children) {
    const Node& sibling = node(child);
    if (&sibling == &largest) continue;
    for (std::size_t k = 0; k < largest.whole.weights.size(); ++k)
      largest.whole.weights[k] -= sibling.whole.weights[k];
    largest.whole.sample -= sibling.whole.sample;
    largest.whole.moment -= sibling.whole.moment;
    largest.whole.squares -= sibling.whole.squares;
  }
  if (target_.n_classes > 0) return;
  const std::uint32_t* const rows = rows_.data() + largest.begin;
  const double first = largest.size() > 0 ? target_.values[rows[0]] : 0;
  largest.whole.one_number = std::all_of(rows, rows + largest.size(),
                                         [&](std::uint32_t row) { return target_.values[row] == first; });
}

NodeTotals LocalStore::totals(Node& n, const std::uint32_t* rows, bool with_rows_behind) {
  NodeTotals result;
  result.rows = result.objects = static_cast<std::int64_t>(n.size());
  const std::int64_t sample = n.whole.sample;
  std::int64_t whole = 0;
  std::size_t present = 0;
  result.pairs = 0;
  for (std::size_t k = 0; k < n_groups_; ++k) {
    const std::uint32_t before = n.class_begin[k], count = n.class_begin[k + 1] - before;
    present += count > 0;
    result.pairs += static_cast<double>(before) * count;
  }
  result.pure = (!target_.labels.empty() && present <= 1) || n.whole.one_number;
  double square = 0;
  if (target_.n_classes > 0) {
    for (std::size_t k = 0; k < n_groups_; ++k) {
      const std::int64_t weight =
          target_.weighted() ? n.whole.weights[k] : n.class_begin[k + 1] - n.class_begin[k];
      result.sums.push_back(static_cast<double>(weight) * target_.growth_unit);
      result.total += result.sums.back();
      whole += weight;
    }
  } else {
    whole = target_.weighted() ? n.whole.weights[0] : result.objects;
    result.lowest = n.whole.lowest - target_.center - rounding_;
    result.highest = n.whole.highest - target_.center + rounding_;
    result.total = static_cast<double>(whole) * target_.growth_unit;
    result.sums = {result.total, static_cast<double>(n.whole.moment) * target_.moment_unit};
    square = static_cast<double>(n.whole.squares) * target_.square_unit;
  }
  if (statistics_.counts) {
    for (std::size_t k = 0; k < n_groups_; ++k)
      result.sums.push_back(static_cast<double>(n.class_begin[k + 1] - n.class_begin[k]));
  }
  if (statistics_.heavy_terms) prepare_terms(n, rows, whole, result);
  if (target_.n_classes == 0) result.sums.push_back(square);
  if (statistics_.members) {
    result.rows = 0;
    for (std::size_t i = 0; i < n.size(); ++i) result.rows += target_.multiplicity[rows[i]];
  }
  result.weight = sample_weight_of(target_, !target_.sample.empty(), result.objects, result.total, sample);
  if (objects_ && with_rows_behind)
    result.behind = totals_of_rows({rows, n.size()}, *objects_, *target_of_rows_);
  return result;
}

// The terms of the node's heavy objects, and their sums. `total` is the node's weight in fixed point.
void LocalStore::prepare_terms(Node& n, const std::uint32_t* rows, std::int64_t total, NodeTotals& result) {
  std::int64_t heavy = 0, sum = 0;
  double dominant = 0;
  for (std::size_t i = 0; i < n.size(); ++i) {
    const std::uint32_t row = rows[i];
    const std::int64_t w = target_.growth[row];
    terms_[row] = 0;
    if (w <= statistics_.heavy_above) continue;
    heavy += w;
    if (statistics_.heavy_weight) n.heavy_rows.push_back(row);
    if (w > total - w) {
      n.dominant = row;
      dominant = static_cast<double>(w) * target_.growth_unit;
      continue;
    }
    terms_[row] = std::llround(static_cast<double>(w) / static_cast<double>(total - w) / kTermUnit);
    sum += terms_[row];
  }
  if (statistics_.heavy_weight) result.sums.push_back(static_cast<double>(heavy) * target_.growth_unit);
  result.sums.push_back(static_cast<double>(sum) * kTermUnit);
  result.sums.push_back(dominant);
}

}  // namespace thriftree
