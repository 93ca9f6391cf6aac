// What is known of a node of this process: the sums of its rows.
#include <algorithm>
#include <cmath>

#include "rows/divide_rows.hpp"
#include "rows/local_store.hpp"

namespace thriftree {

// `rows` are the node's, sorted by class.
NodeTotals LocalStore::totals(Node& n, const std::uint32_t* rows, bool with_rows_behind) {
  NodeTotals result;
  result.rows = result.objects = static_cast<std::int64_t>(n.size());
  std::int64_t sample = 0, whole = 0;
  if (!target_.sample.empty()) {
    for (std::size_t i = 0; i < n.size(); ++i) sample += target_.sample[rows[i]];
  }
  std::size_t present = 0;
  result.pairs = 0;
  for (std::size_t k = 0; k < n_groups_; ++k) {
    const std::uint32_t before = n.class_begin[k], count = n.class_begin[k + 1] - before;
    present += count > 0;
    result.pairs += static_cast<double>(before) * count;
  }
  result.pure = !target_.labels.empty() && present <= 1;
  double square = 0;
  if (target_.n_classes > 0) {
    for (std::size_t k = 0; k < n_groups_; ++k) {
      std::int64_t weight = n.class_begin[k + 1] - n.class_begin[k];
      if (target_.weighted()) {
        weight = 0;
        for (std::size_t i = n.class_begin[k]; i < n.class_begin[k + 1]; ++i)
          weight += target_.growth[rows[i]];
      }
      result.sums.push_back(static_cast<double>(weight) * target_.growth_unit);
      result.total += result.sums.back();
      whole += weight;
    }
  } else {
    int128 moment = 0, squares = 0;
    double lowest = n.size() > 0 ? target_.values[rows[0]] : 0, highest = lowest;
    for (std::size_t i = 0; i < n.size(); ++i) {
      if (i + kRowsAhead < n.size()) __builtin_prefetch(&counting_.numbers[rows[i + kRowsAhead]]);
      const NumberOfRow& row = counting_.numbers[rows[i]];
      whole += target_.weighted() ? target_.growth[rows[i]] : 1;
      moment += row.moment;
      squares += row.square;
      lowest = std::min(lowest, row.value);
      highest = std::max(highest, row.value);
    }
    result.pure = result.pure || lowest == highest;
    result.lowest = lowest - target_.center - rounding_;
    result.highest = highest - target_.center + rounding_;
    result.total = static_cast<double>(whole) * target_.growth_unit;
    result.sums = {result.total, static_cast<double>(moment) * target_.moment_unit};
    square = static_cast<double>(squares) * target_.square_unit;
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
