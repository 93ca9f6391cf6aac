#include "rows/stream_prefixes.hpp"

#include <algorithm>

namespace thriftree {

StreamPrefixes::StreamPrefixes(const RowStream& stream, Scratch& scratch)
    : stream_(stream),
      target_(stream.target()),
      statistics_(*stream.carried().statistics),
      scratch_(scratch) {
  prefix_.sums.assign(statistics_.width(), 0.0);
  scratch_.left.resize(static_cast<std::size_t>(kBatch) * statistics_.width());
  scratch_.left_total.resize(kBatch);
  scratch_.left_rows.resize(kBatch);
  scratch_.positions.resize(kBatch);
  scratch_.rows.resize(kBatch);
  scratch_.boundary.resize(kBatch);
  scratch_.weights.assign(statistics_.n_groups, 0);
  scratch_.counts.assign(statistics_.n_groups, 0);
  scratch_.groups.clear();
}

void StreamPrefixes::read(std::size_t begin, std::size_t end) {
  read_begin_ = begin;
  read_end_ = std::min(begin + static_cast<std::size_t>(kBatch), end);
  stream_.read_rows(begin, static_cast<int>(read_end_ - begin), scratch_.rows.data(),
                    scratch_.boundary.data());
}

int StreamPrefixes::next() {
  const std::size_t n = stream_.n_known(), width = statistics_.width();
  int m = 0;
  for (; m < kBatch && position_ < n; ++position_) {
    if (position_ == read_end_) read(position_, n);
    const std::size_t row = scratch_.rows[position_ - read_begin_];
    const bool last = position_ + 1 == n, ends_run = last || scratch_.boundary[position_ - read_begin_];
    if (ends_run && run_rows_ == 0) {
      add_alone(row, prefix_);
    } else {
      add_to_run(row);
      if (ends_run) pass_run(prefix_);
    }
    if (!ends_run || last) continue;
    const auto at = static_cast<std::size_t>(m++);
    std::copy(prefix_.sums.begin(), prefix_.sums.end(), scratch_.left.data() + at * width);
    scratch_.left_total[at] = prefix_.total;
    scratch_.left_rows[at] = prefix_.rows;
    scratch_.positions[at] = position_;
  }
  n_thresholds_ += static_cast<std::size_t>(m);
  at_hand_ = m;
  return m;
}

void StreamPrefixes::add_to_left(const Sums& more) {
  const std::size_t width = statistics_.width();
  for (std::size_t i = 0; i < static_cast<std::size_t>(at_hand_); ++i) {
    for (std::size_t k = 0; k < width; ++k) scratch_.left[i * width + k] += more.sums[k];
    scratch_.left_total[i] += more.total;
    scratch_.left_rows[i] += more.rows;
  }
}

StreamPrefixes::Sums StreamPrefixes::missing() {
  Sums sums;
  sums.sums.assign(statistics_.width(), 0.0);
  const std::size_t end = stream_.n_known() + stream_.n_missing();
  for (std::size_t begin = stream_.n_known(); begin < end; begin = read_end_) {
    read(begin, end);
    for (std::size_t i = 0; i < read_end_ - begin; ++i) add_to_run(scratch_.rows[i]);
  }
  pass_run(sums);
  read_begin_ = read_end_ = position_;
  return sums;
}

// A run of one row needs no sums of its own.
void StreamPrefixes::add_alone(std::size_t row, Sums& to) const {
  const std::size_t group = target_.labels.empty() ? 0 : target_.labels[row];
  const bool numbers = target_.n_classes == 0;
  const double weight =
      target_.weighted() ? static_cast<double>(target_.growth[row]) * target_.growth_unit : 1.0;
  to.sums[numbers ? 0 : group] += weight;
  to.total += weight;
  to.rows += statistics_.members ? target_.multiplicity[row] : 1;
  if (numbers) to.sums[1] += static_cast<double>(target_.moment[row]) * target_.moment_unit;
  if (statistics_.counts) to.sums[statistics_.counts_at() + group] += 1;
  if (!statistics_.heavy_terms || target_.growth[row] <= statistics_.heavy_above) return;
  if (statistics_.heavy_weight) to.sums[statistics_.heavy_weight_at()] += weight;
  to.sums[statistics_.heavy_terms_at()] += static_cast<double>((*stream_.carried().terms)[row]) * kTermUnit;
  if (static_cast<std::int64_t>(row) == stream_.carried().dominant)
    to.sums[statistics_.dominant_at()] += weight;
}

void StreamPrefixes::add_to_run(std::size_t row) {
  const std::uint32_t group = target_.labels.empty() ? 0 : target_.labels[row];
  if (scratch_.counts[group]++ == 0) scratch_.groups.push_back(group);
  run_rows_ += statistics_.members ? target_.multiplicity[row] : 1;
  if (target_.weighted()) scratch_.weights[group] += target_.growth[row];
  if (target_.n_classes == 0) run_moment_ += target_.moment[row];
  if (!statistics_.heavy_terms || target_.growth[row] <= statistics_.heavy_above) return;
  run_heavy_ += target_.growth[row];
  run_terms_ += (*stream_.carried().terms)[row];
  if (static_cast<std::int64_t>(row) == stream_.carried().dominant) run_dominant_ = target_.growth[row];
}

void StreamPrefixes::pass_run(Sums& to) {
  std::sort(scratch_.groups.begin(), scratch_.groups.end());  // totals are sums over classes in their order
  double total = 0;
  std::int64_t weight = 0, count = 0;
  for (const std::uint32_t group : scratch_.groups) {
    if (target_.n_classes > 0) {
      const double in_class = target_.weighted()
                                  ? static_cast<double>(scratch_.weights[group]) * target_.growth_unit
                                  : static_cast<double>(scratch_.counts[group]);
      to.sums[group] += in_class;
      total += in_class;
    }
    if (statistics_.counts)
      to.sums[statistics_.counts_at() + group] += static_cast<double>(scratch_.counts[group]);
    weight += scratch_.weights[group];
    count += scratch_.counts[group];
    scratch_.weights[group] = scratch_.counts[group] = 0;
  }
  if (target_.n_classes == 0) {
    total =
        target_.weighted() ? static_cast<double>(weight) * target_.growth_unit : static_cast<double>(count);
    to.sums[0] += total;
    to.sums[1] += static_cast<double>(run_moment_) * target_.moment_unit;
  }
  to.total += total;
  to.rows += run_rows_;
  if (statistics_.heavy_weight)
    to.sums[statistics_.heavy_weight_at()] += static_cast<double>(run_heavy_) * target_.growth_unit;
  if (statistics_.heavy_terms) {
    to.sums[statistics_.heavy_terms_at()] += static_cast<double>(run_terms_) * kTermUnit;
    to.sums[statistics_.dominant_at()] += static_cast<double>(run_dominant_) * target_.growth_unit;
  }
  scratch_.groups.clear();
  run_rows_ = run_heavy_ = run_terms_ = run_dominant_ = 0;
  run_moment_ = 0;
}

}  // namespace thriftree
