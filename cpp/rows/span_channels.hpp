// What is summed over spans of classes: one channel for each sum that a score sees of a branch, in whole
// numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "criterion/statistics.hpp"
#include "rows/row_stream.hpp"
#include "table/target.hpp"

namespace thriftree {

// Of numbers, the weight is the only channel here, and moments are summed apart.
class SpanChannels {
 public:
  // `rows`: of this process, which alone can be added one by one.
  SpanChannels(const TargetScale& scale, const Target* rows, const CarriedSums& carried)
      : growth_unit_(scale.growth_unit), rows_(rows), carried_(carried), numbers_(scale.n_classes == 0) {}

  std::size_t size() const { return numbers_ ? 1 : carried_.statistics->width(); }
  // The first channels are weights, and their sum is the weight of all.
  std::size_t n_weights() const { return numbers_ ? 1 : carried_.statistics->base; }
  bool only_weights() const { return size() == n_weights(); }
  // Of one in a channel.
  double unit(std::size_t channel) const {
    const Statistics& kept = *carried_.statistics;
    if (channel < n_weights()) return growth_unit_;
    if (kept.counts && channel < kept.counts_at() + kept.n_groups) return 1;
    return kept.heavy_terms && channel == kept.heavy_terms_at() ? kTermUnit : growth_unit_;
  }
  std::int64_t rows_behind(std::size_t row) const {
    return carried_.statistics->members ? rows_->multiplicity[row] : 1;
  }
  std::int64_t weight(std::size_t row) const { return rows_->weighted() ? rows_->growth[row] : 1; }
  std::int64_t moment(std::size_t row) const { return rows_->moment[row]; }
  // Rows are read in no order: what will be read soon is asked for before.
  void fetch(std::size_t row) const {
    if (rows_->weighted()) __builtin_prefetch(&rows_->growth[row]);
    if (numbers_) __builtin_prefetch(&rows_->moment[row]);
  }
  // Adds one row to the sums of all channels.
  void add(std::size_t row, std::size_t label, std::int64_t* sums) const {
    const std::int64_t weight = this->weight(row);
    sums[numbers_ ? 0 : label] += weight;
    if (only_weights()) return;
    const Statistics& kept = *carried_.statistics;
    if (kept.counts) ++sums[kept.counts_at() + label];
    if (!kept.heavy_terms || weight <= kept.heavy_above) return;
    if (kept.heavy_weight) sums[kept.heavy_weight_at()] += weight;
    sums[kept.heavy_terms_at()] += (*carried_.terms)[row];
    if (static_cast<std::int64_t>(row) == carried_.dominant) sums[kept.dominant_at()] += weight;
  }

 private:
  double growth_unit_;
  const Target* rows_;
  CarriedSums carried_;
  bool numbers_;
};

}  // namespace thriftree
