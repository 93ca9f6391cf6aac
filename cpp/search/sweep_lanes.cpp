#include "search/sweep_lanes.hpp"

#include <algorithm>
#include <numeric>
#include <type_traits>

namespace thriftree {

namespace {

constexpr std::size_t kFewClasses = 4;          // with so many, labels and bins share a byte
constexpr std::int64_t kInt16Sum = 16000;       // 16 bits hold two of them
constexpr std::int64_t kInt32Sum = 1000000000;  // the same for 32 bits

}  // namespace

void LaneBatch::assign(const SweepTable& table, const SweepRows& rows, std::span<const std::uint32_t> order,
                       std::span<const std::uint32_t> positions) {
  const auto k = static_cast<std::size_t>(table.n_classes);
  n_lanes = static_cast<int>(positions.size());
  bins.resize(rows.size());
  if (k <= kFewClasses) codes.resize(rows.size());
  left_cost.assign(kLanes * k, 0);
  std::vector<std::int64_t> by_class(k, 0);
  std::int64_t weight = 0;
  std::size_t i = 0;
  for (std::size_t bin = 0; bin <= positions.size(); ++bin) {
    const std::size_t end = bin < positions.size() ? positions[bin] + std::size_t{1} : rows.size();
    for (; i < end; ++i) {
      const std::uint32_t place = order[i] & kRowMask;
      const auto label = static_cast<std::size_t>(rows.labels[place]);
      bins[place] = static_cast<std::uint8_t>(bin);
      if (k <= kFewClasses) codes[place] = static_cast<std::uint8_t>(label * kBins + bin);
      by_class[label] += rows.weight_of(place);
      weight += rows.weight_of(place);
    }
    if (bin == positions.size()) break;
    left_rows[bin] = end;
    left_weight[bin] = weight;
    for (std::size_t y = 0; y < k; ++y) {
      if (by_class[y] == 0) continue;
      for (std::size_t p = 0; p < k; ++p) left_cost[bin * k + p] += by_class[y] * table.costs[y * k + p];
    }
  }
}

LaneArithmetic::LaneArithmetic(const SweepTable& table, const SweepOptions& options)
    : n_classes_(static_cast<std::size_t>(table.n_classes)),
      min_leaf_(options.min_leaf),
      min_leaf_weight_(options.min_leaf_weight),
      keeps_leaves_(options.min_leaf > 1 || options.min_leaf_weight > 0) {
  const std::size_t k = n_classes_;
  find_majority(table);
  for (std::size_t p = 0; p < k && !is_majority_; ++p) {
    for (std::size_t q = p + 1; q < k; ++q) {
      pairs_.push_back({p, q, {}, {}});
      for (std::size_t y = 0; y < k; ++y)
        pairs_.back().by_label.push_back(table.costs[y * k + p] - table.costs[y * k + q]);
    }
  }
  is_small_ = !is_majority_ && table.weights.empty() && k <= kFewClasses;
  for (Pair& pair : pairs_) is_small_ = is_small_ && make_small_sums(pair.by_label, pair.small);
  // Sums of values, of weights and of rows share a width.
  const std::int64_t most =
      std::max({table.total / unit_, table.total_weight, static_cast<std::int64_t>(table.n_rows)});
  width_ = is_majority_ && most < kInt16Sum ? Width::k16 : most < kInt32Sum ? Width::k32 : Width::k64;
  if (width_ == Width::k16) masks16_ = lanes::left_masks<std::int16_t>();
  if (width_ == Width::k32) masks32_ = lanes::left_masks<std::int32_t>();
  if (width_ == Width::k64) masks64_ = lanes::left_masks<std::int64_t>();
}

// Costs are 0 on the diagonal and the same elsewhere in a row: then a leaf saves what its label's rows would
// cost.
void LaneArithmetic::find_majority(const SweepTable& table) {
  if (n_classes_ < 3) return;
  for (std::int32_t y = 0; y < table.n_classes; ++y) {
    for (std::int32_t p = 0; p < table.n_classes; ++p) {
      if (table.cost(y, p) != (p == y ? 0 : table.worst(y))) return;
    }
  }
  is_majority_ = true;
  std::int64_t unit = 0;
  for (std::int32_t y = 0; y < table.n_classes; ++y) unit = std::gcd(unit, table.worst(y));
  unit_ = std::max<std::int64_t>(unit, 1);
  for (std::int32_t y = 0; y < table.n_classes; ++y) mistake_.push_back(table.worst(y) / unit_);
}

template <typename T>
const std::vector<lanes::Numbers<T>>& LaneArithmetic::masks() const {
  if constexpr (std::is_same_v<T, std::int16_t>)
    return masks16_;
  else if constexpr (std::is_same_v<T, std::int32_t>)
    return masks32_;
  else
    return masks64_;
}

std::size_t LaneArithmetic::bytes_of_scratch(std::size_t n_rows) const {
  if (!is_majority_) return 0;
  const std::size_t bytes = width_ == Width::k16 ? 2 : width_ == Width::k32 ? 4 : 8;
  return 2 * kLanes * bytes * (n_rows + n_classes_);
}

template <typename T>
lanes::LaneInputs<T> LaneArithmetic::inputs(const SweepRows& rows, const LaneBatch& batch,
                                            std::span<const std::uint32_t> order,
                                            const std::vector<std::int64_t>& by_label) const {
  return {order.data(),
          order.size(),
          batch.bins.data(),
          rows.labels.data(),
          rows.weights.empty() ? nullptr : rows.weights.data(),
          by_label.data(),
          masks<T>().data()};
}

template <typename T>
void LaneArithmetic::make_rooms(const SweepRows& rows, const LaneBatch& batch,
                                lanes::LeafRoom<T> rooms[2]) const {
  const auto n = static_cast<std::int64_t>(rows.size());
  // A least size above all that there is holds in as few bits as that.
  const std::int64_t min_leaf = std::min(min_leaf_, n + 1),
                     min_weight = std::min(min_leaf_weight_, rows.weight + 1);
  for (int j = 0; j < kLanes; ++j) {
    const auto at = static_cast<std::size_t>(std::min(j, batch.n_lanes - 1));
    const auto n_left = static_cast<std::int64_t>(batch.left_rows[at]);
    const std::int64_t n_side[2] = {n_left, n - n_left},
                       weight[2] = {batch.left_weight[at], rows.weight - batch.left_weight[at]};
    for (const std::size_t side : {0, 1}) {
      lanes::set(rooms[side].rows_least, j, static_cast<T>(min_leaf));
      lanes::set(rooms[side].rows_most, j, static_cast<T>(n_side[side] - min_leaf));
      lanes::set(rooms[side].weight_least, j, static_cast<T>(min_weight));
      lanes::set(rooms[side].weight_most, j, static_cast<T>(weight[side] - min_weight));
    }
  }
}

template <typename T>
void LaneArithmetic::split_pairs(const SweepRows& rows, const LaneBatch& batch,
                                 std::span<const std::uint32_t> order, LaneAnswer& answer) const {
  lanes::LeafRoom<T> rooms[2];
  if (keeps_leaves_) make_rooms(rows, batch, rooms);
  LanePrefixes found;
  for (const Pair& pair : pairs_) {
    const auto take = [&](LaneCosts& left, LaneCosts& right) {
      for (std::size_t j = 0; j < static_cast<std::size_t>(batch.n_lanes); ++j) {
        const std::int64_t* costs = batch.left_cost.data() + j * n_classes_;
        const std::int64_t left_p = costs[pair.p], left_q = costs[pair.q];
        const std::int64_t right_p = rows.label_cost[pair.p] - left_p,
                           right_q = rows.label_cost[pair.q] - left_q;
        left[j] = std::min({left[j], left_q + found.least_left[j], left_p - found.most_left[j]});
        right[j] = std::min({right[j], right_q + found.least_right[j], right_p - found.most_right[j]});
      }
    };
    if (is_small_)
      small_prefixes(order.data(), order.size(), batch.codes.data(), pair.small, found);
    else
      wide_prefixes(inputs<T>(rows, batch, order, pair.by_label), found);
    take(answer.left, answer.right);
    if (!keeps_leaves_) continue;
    kept_prefixes(inputs<T>(rows, batch, order, pair.by_label), rooms[0], rooms[1], found);
    take(answer.kept_left, answer.kept_right);
  }
}

template <typename T>
void LaneArithmetic::split_by_majority(const SweepRows& rows, const LaneBatch& batch,
                                       std::span<const std::uint32_t> order,
                                       std::vector<lanes::Numbers<T>>& scratch, LaneAnswer& answer) const {
  lanes::LeafRoom<T> rooms[2];
  if (keeps_leaves_) make_rooms(rows, batch, rooms);
  LaneSavings found;
  majority_savings(inputs<T>(rows, batch, order, mistake_), n_classes_, keeps_leaves_ ? rooms : nullptr,
                   scratch, found);
  // Each row costs under every label but its own, so all labels' costs sum to that of no label × (classes -
  // 1).
  const auto others = static_cast<std::int64_t>(n_classes_) - 1;
  const std::int64_t whole =
      std::accumulate(rows.label_cost.begin(), rows.label_cost.end(), std::int64_t{0}) / others;
  for (std::size_t j = 0; j < static_cast<std::size_t>(batch.n_lanes); ++j) {
    const auto costs = batch.left_cost.begin() + static_cast<std::ptrdiff_t>(j * n_classes_);
    const std::int64_t left =
        std::accumulate(costs, costs + static_cast<std::ptrdiff_t>(n_classes_), std::int64_t{0}) / others;
    answer.left[j] = left - unit_ * found.left[j];
    answer.right[j] = whole - left - unit_ * found.right[j];
    if (found.kept_left[j] >= 0) answer.kept_left[j] = left - unit_ * found.kept_left[j];
    if (found.kept_right[j] >= 0) answer.kept_right[j] = whole - left - unit_ * found.kept_right[j];
  }
}

void LaneArithmetic::split(const SweepRows& rows, const LaneBatch& batch,
                           std::span<const std::uint32_t> order, LaneScratch& scratch,
                           LaneAnswer& answer) const {
  answer.left.fill(kNoSweep), answer.right.fill(kNoSweep);
  answer.kept_left.fill(kNoSweep), answer.kept_right.fill(kNoSweep);
  if (is_majority_) {
    switch (width_) {
      case Width::k16:
        return split_by_majority(rows, batch, order, scratch.in16, answer);
      case Width::k32:
        return split_by_majority(rows, batch, order, scratch.in32, answer);
      case Width::k64:
        return split_by_majority(rows, batch, order, scratch.in64, answer);
    }
  }
  if (width_ == Width::k64)
    split_pairs<std::int64_t>(rows, batch, order, answer);
  else
    split_pairs<std::int32_t>(rows, batch, order, answer);
}

}  // namespace thriftree
