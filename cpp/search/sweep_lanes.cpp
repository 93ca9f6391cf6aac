#include "search/sweep_lanes.hpp"

#include <algorithm>
#include <numeric>

#include "run/cpu.hpp"

namespace thriftree {

namespace {

constexpr std::size_t kBins = kLanes + 1;
constexpr std::int32_t kFewClasses = 4;  // with so many, labels and bins share a byte, and pairs have tables
constexpr std::int64_t kSmall = 1000;    // values that 16 bits can sum a while
constexpr std::int64_t kSmallSum = 32000;       // what 16 bits can hold, with room for a sentinel
constexpr std::int64_t kInt32Sum = 2000000000;  // the same for 32 bits

// A lane a threshold. GCC and Clang keep these in registers of whatever width the CPU has.
template <typename T>
struct alignas(64) Lanes {  // said once more: the attribute is not heeded for a dependent type
  typedef T Part __attribute__((vector_size(64)));
  static constexpr int kParts = static_cast<int>(kLanes * sizeof(T) / 64);
  Part part[kParts];
};

template <typename T>
THRIFTREE_INLINE void fill(Lanes<T>& lanes, T value) {
  for (auto& part : lanes.part) part = value - typename Lanes<T>::Part{};
}
template <typename T>
THRIFTREE_INLINE void add(Lanes<T>& sum, const Lanes<T>& x) {
  for (int p = 0; p < Lanes<T>::kParts; ++p) sum.part[p] += x.part[p];
}
template <typename T>
THRIFTREE_INLINE void lower(Lanes<T>& least, const Lanes<T>& x) {
  for (int p = 0; p < Lanes<T>::kParts; ++p)
    least.part[p] = x.part[p] < least.part[p] ? x.part[p] : least.part[p];
}
template <typename T>
THRIFTREE_INLINE void raise(Lanes<T>& most, const Lanes<T>& x) {
  for (int p = 0; p < Lanes<T>::kParts; ++p)
    most.part[p] = x.part[p] > most.part[p] ? x.part[p] : most.part[p];
}

template <typename T>
T lane(const Lanes<T>& lanes, int j) {
  constexpr int width = static_cast<int>(64 / sizeof(T));
  return lanes.part[j / width][j % width];
}
template <typename T>
void set_lane(Lanes<T>& lanes, int j, T value) {
  constexpr int width = static_cast<int>(64 / sizeof(T));
  lanes.part[j / width][j % width] = value;
}

// All bits set in the lanes on whose left side a row of this bin is.
template <typename T>
std::vector<Lanes<T>> left_masks() {
  std::vector<Lanes<T>> masks(kBins);
  for (std::size_t bin = 0; bin < kBins; ++bin) {
    for (int j = 0; j < kLanes; ++j)
      set_lane(masks[bin], j, static_cast<T>(static_cast<std::size_t>(j) >= bin ? -1 : 0));
  }
  return masks;
}

// Least and largest prefix sums of both sides: of the rows in the order, at each end of a rank, and of none.
struct Prefixes {
  LaneCosts least_left, most_left, least_right, most_right;
};

// What a row adds, where few values occur: one vector per label and bin.
struct SmallSums {
  std::vector<Lanes<std::int16_t>> left, right;  // [label × kBins + bin]
  std::int64_t unit = 1;                         // values are multiples of it
  std::size_t chunk = 1;                         // so many rows can be summed in 16 bits
};

THRIFTREE_CPU_CLONES void small_prefixes(const std::uint32_t* order, std::size_t n, const std::uint8_t* codes,
                                         const Lanes<std::int16_t>* left, const Lanes<std::int16_t>* right,
                                         std::size_t chunk, std::int64_t unit, Prefixes& found) {
  constexpr std::int16_t none = 32767;
  std::int64_t base_left[kLanes] = {}, base_right[kLanes] = {};
  for (std::size_t begin = 0; begin < n; begin += chunk) {
    const std::size_t end = std::min(n, begin + chunk);
    Lanes<std::int16_t> sum_left, sum_right, least_left, least_right, most_left, most_right;
    fill<std::int16_t>(sum_left, 0), fill<std::int16_t>(sum_right, 0);
    fill(least_left, none), fill(least_right, none);
    fill<std::int16_t>(most_left, -none), fill<std::int16_t>(most_right, -none);
    for (std::size_t i = begin; i < end; ++i) {
      const std::uint32_t entry = order[i];
      const std::size_t code = codes[entry & kRowMask];
      add(sum_left, left[code]);
      add(sum_right, right[code]);
      if (entry & kEndOfRank) {
        lower(least_left, sum_left), raise(most_left, sum_left);
        lower(least_right, sum_right), raise(most_right, sum_right);
      }
    }
    for (int j = 0; j < kLanes; ++j) {
      const auto at = static_cast<std::size_t>(j);
      if (lane(least_left, j) != none) {
        found.least_left[at] = std::min(found.least_left[at], base_left[j] + unit * lane(least_left, j));
        found.most_left[at] = std::max(found.most_left[at], base_left[j] + unit * lane(most_left, j));
        found.least_right[at] = std::min(found.least_right[at], base_right[j] + unit * lane(least_right, j));
        found.most_right[at] = std::max(found.most_right[at], base_right[j] + unit * lane(most_right, j));
      }
      base_left[j] += unit * lane(sum_left, j);
      base_right[j] += unit * lane(sum_right, j);
    }
  }
}

// The rows' values in full, for weights and large costs. value = by_label[label] × weight.
template <typename T>
struct WideInputs {
  const std::uint32_t* order;
  std::size_t n;
  const std::uint8_t* bins;
  const std::int32_t* labels;
  const std::int64_t* weights;  // null: each weighs 1
  const std::int64_t* by_label;
  const Lanes<T>* masks;
};

template <typename T>
THRIFTREE_INLINE void wide_prefixes(const WideInputs<T>& in, Prefixes& found) {
  Lanes<T> sum_left, sum_right, least_left, least_right, most_left, most_right;
  fill<T>(sum_left, 0), fill<T>(sum_right, 0), fill<T>(least_left, 0), fill<T>(least_right, 0);
  fill<T>(most_left, 0), fill<T>(most_right, 0);
  for (std::size_t i = 0; i < in.n; ++i) {
    const std::uint32_t entry = in.order[i], place = entry & kRowMask;
    std::int64_t exact = in.by_label[in.labels[place]];
    if (in.weights) exact *= in.weights[place];
    const T value = static_cast<T>(exact);
    const Lanes<T>& mask = in.masks[in.bins[place]];
    for (int p = 0; p < Lanes<T>::kParts; ++p) {
      const typename Lanes<T>::Part all = value - typename Lanes<T>::Part{};
      sum_left.part[p] += all & mask.part[p];
      sum_right.part[p] += all & ~mask.part[p];
    }
    if (entry & kEndOfRank) {
      lower(least_left, sum_left), raise(most_left, sum_left);
      lower(least_right, sum_right), raise(most_right, sum_right);
    }
  }
  for (int j = 0; j < kLanes; ++j) {
    const auto at = static_cast<std::size_t>(j);
    found.least_left[at] = lane(least_left, j), found.most_left[at] = lane(most_left, j);
    found.least_right[at] = lane(least_right, j), found.most_right[at] = lane(most_right, j);
  }
}

THRIFTREE_CPU_CLONES void wide_prefixes_32(const WideInputs<std::int32_t>& in, Prefixes& found) {
  wide_prefixes(in, found);
}
THRIFTREE_CPU_CLONES void wide_prefixes_64(const WideInputs<std::int64_t>& in, Prefixes& found) {
  wide_prefixes(in, found);
}

// How many rows, and what weight, a prefix may have so that both leaves are large enough; per lane.
struct LeafBounds {
  Lanes<std::int64_t> rows_least, rows_most, weight_least, weight_most;
};

// As wide_prefixes, of prefixes between these bounds only; kNoSweep and -kNoSweep where there is none.
THRIFTREE_CPU_CLONES void kept_prefixes(const WideInputs<std::int64_t>& in, const LeafBounds& bounds,
                                        bool left, LaneCosts& least_found, LaneCosts& most_found) {
  using Part = Lanes<std::int64_t>::Part;
  Lanes<std::int64_t> sum, rows, weight, least, most;
  fill<std::int64_t>(sum, 0), fill<std::int64_t>(rows, 0), fill<std::int64_t>(weight, 0);
  fill<std::int64_t>(least, kNoSweep), fill<std::int64_t>(most, -kNoSweep);
  for (std::size_t i = 0; i < in.n; ++i) {
    const std::uint32_t entry = in.order[i], place = entry & kRowMask;
    const std::int64_t row_weight = in.weights ? in.weights[place] : 1;
    const std::int64_t value = in.by_label[in.labels[place]] * row_weight;
    for (int p = 0; p < Lanes<std::int64_t>::kParts; ++p) {
      const Part side = left ? in.masks[in.bins[place]].part[p] : ~in.masks[in.bins[place]].part[p];
      sum.part[p] += (value - Part{}) & side;
      rows.part[p] -= side;
      weight.part[p] += (row_weight - Part{}) & side;
    }
    if (!(entry & kEndOfRank)) continue;
    for (int p = 0; p < Lanes<std::int64_t>::kParts; ++p) {
      const Part allowed =
          (rows.part[p] >= bounds.rows_least.part[p]) & (rows.part[p] <= bounds.rows_most.part[p]) &
          (weight.part[p] >= bounds.weight_least.part[p]) & (weight.part[p] <= bounds.weight_most.part[p]);
      const Part low = (allowed & sum.part[p]) | (~allowed & (kNoSweep - Part{}));
      const Part high = (allowed & sum.part[p]) | (~allowed & (-kNoSweep - Part{}));
      least.part[p] = low < least.part[p] ? low : least.part[p];
      most.part[p] = high > most.part[p] ? high : most.part[p];
    }
  }
  for (int j = 0; j < kLanes; ++j) {
    least_found[static_cast<std::size_t>(j)] = lane(least, j);
    most_found[static_cast<std::size_t>(j)] = lane(most, j);
  }
}

}  // namespace

class LaneArithmetic {
 public:
  enum class Width { kSmall, k32, k64 };

  LaneArithmetic(const SweepTable& table, const SweepOptions& options)
      : keeps_leaves(options.min_leaf > 1 || options.min_leaf_weight > 0),
        min_leaf(options.min_leaf),
        min_leaf_weight(options.min_leaf_weight) {
    const auto k = static_cast<std::size_t>(table.n_classes);
    std::int64_t largest = 0;
    for (std::size_t p = 0; p < k; ++p) {
      for (std::size_t q = p + 1; q < k; ++q) {
        pairs.push_back({p, q, {}, {}});
        for (std::size_t y = 0; y < k; ++y) {
          const std::int64_t value = table.costs[y * k + p] - table.costs[y * k + q];
          pairs.back().by_label.push_back(value);
          largest = std::max({largest, value, -value});
        }
      }
    }
    width = table.total < kInt32Sum ? Width::k32 : Width::k64;
    if (table.weights.empty() && table.n_classes <= kFewClasses) make_small_tables();
    if (width == Width::k32) masks32 = left_masks<std::int32_t>();
    if (width == Width::k64 || keeps_leaves) masks64 = left_masks<std::int64_t>();
  }

  struct Pair {
    std::size_t p, q;                    // labels of the two leaves, either way round
    std::vector<std::int64_t> by_label;  // what a row costs more under p than under q
    SmallSums small;
  };

  bool keeps_leaves;  // whether leaves have a least size beyond one row
  std::int64_t min_leaf, min_leaf_weight;
  Width width;
  std::vector<Pair> pairs;
  std::vector<Lanes<std::int32_t>> masks32;
  std::vector<Lanes<std::int64_t>> masks64;

 private:
  void make_small_tables() {
    for (Pair& pair : pairs) {
      std::int64_t unit = 0, largest = 0;
      for (const std::int64_t value : pair.by_label) unit = std::gcd(unit, value);
      if (unit == 0) unit = 1;
      for (const std::int64_t value : pair.by_label) largest = std::max(largest, std::abs(value / unit));
      if (largest > kSmall) return;
      pair.small.unit = unit;
      pair.small.chunk = static_cast<std::size_t>(kSmallSum / std::max<std::int64_t>(largest, 1));
      pair.small.left.resize(pair.by_label.size() * kBins);
      pair.small.right.resize(pair.by_label.size() * kBins);
      for (std::size_t y = 0; y < pair.by_label.size(); ++y) {
        const auto value = static_cast<std::int16_t>(pair.by_label[y] / unit);
        for (std::size_t bin = 0; bin < kBins; ++bin) {
          for (int j = 0; j < kLanes; ++j) {
            const bool on_left = static_cast<std::size_t>(j) >= bin;
            set_lane<std::int16_t>(pair.small.left[y * kBins + bin], j, on_left ? value : std::int16_t{0});
            set_lane<std::int16_t>(pair.small.right[y * kBins + bin], j, on_left ? std::int16_t{0} : value);
          }
        }
      }
    }
    width = Width::kSmall;
  }
};

void LaneArithmeticDeleter::operator()(LaneArithmetic* arithmetic) const { delete arithmetic; }

LaneArithmeticPtr make_lane_arithmetic(const SweepTable& table, const SweepOptions& options) {
  return LaneArithmeticPtr(new LaneArithmetic(table, options));
}

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
      for (std::size_t p = 0; p < k; ++p) left_cost[bin * k + p] += by_class[y] * table.costs[y * k + p];
    }
  }
}

namespace {

template <typename T>
WideInputs<T> wide_inputs(const SweepRows& rows, const LaneBatch& batch, std::span<const std::uint32_t> order,
                          const std::vector<std::int64_t>& by_label, const std::vector<Lanes<T>>& masks) {
  return {order.data(),
          order.size(),
          batch.bins.data(),
          rows.labels.data(),
          rows.weights.empty() ? nullptr : rows.weights.data(),
          by_label.data(),
          masks.data()};
}

void prefixes_of(const LaneArithmetic& arithmetic, const LaneArithmetic::Pair& pair, const SweepRows& rows,
                 const LaneBatch& batch, std::span<const std::uint32_t> order, Prefixes& found) {
  switch (arithmetic.width) {
    case LaneArithmetic::Width::kSmall:
      found = {};
      small_prefixes(order.data(), order.size(), batch.codes.data(), pair.small.left.data(),
                     pair.small.right.data(), pair.small.chunk, pair.small.unit, found);
      return;
    case LaneArithmetic::Width::k32:
      wide_prefixes_32(wide_inputs(rows, batch, order, pair.by_label, arithmetic.masks32), found);
      return;
    case LaneArithmetic::Width::k64:
      wide_prefixes_64(wide_inputs(rows, batch, order, pair.by_label, arithmetic.masks64), found);
  }
}

void set_bounds(LeafBounds& bounds, int j, std::int64_t min_leaf, std::int64_t n, std::int64_t min_weight,
                std::int64_t weight) {
  set_lane(bounds.rows_least, j, min_leaf);
  set_lane(bounds.rows_most, j, n - min_leaf);
  set_lane(bounds.weight_least, j, min_weight);
  set_lane(bounds.weight_most, j, weight - min_weight);
}

}  // namespace

void split_lanes(const LaneArithmetic& arithmetic, const SweepTable& table, const SweepRows& rows,
                 const LaneBatch& batch, std::span<const std::uint32_t> order, LaneAnswer& answer) {
  const auto k = static_cast<std::size_t>(table.n_classes);
  const auto n_lanes = static_cast<std::size_t>(batch.n_lanes);
  LeafBounds on_left, on_right;
  answer.left.fill(kNoSweep), answer.right.fill(kNoSweep);
  if (arithmetic.keeps_leaves) {
    answer.kept_left.fill(kNoSweep), answer.kept_right.fill(kNoSweep);
    for (int j = 0; j < kLanes; ++j) {
      const auto at = std::min(static_cast<std::size_t>(j), n_lanes - 1);
      const auto n_left = static_cast<std::int64_t>(batch.left_rows[at]);
      set_bounds(on_left, j, arithmetic.min_leaf, n_left, arithmetic.min_leaf_weight, batch.left_weight[at]);
      set_bounds(on_right, j, arithmetic.min_leaf, static_cast<std::int64_t>(rows.size()) - n_left,
                 arithmetic.min_leaf_weight, rows.weight - batch.left_weight[at]);
    }
  }
  Prefixes found;
  for (const LaneArithmetic::Pair& pair : arithmetic.pairs) {
    prefixes_of(arithmetic, pair, rows, batch, order, found);
    for (std::size_t j = 0; j < n_lanes; ++j) {
      const std::int64_t left_p = batch.left_cost[j * k + pair.p], left_q = batch.left_cost[j * k + pair.q];
      const std::int64_t right_p = rows.label_cost[pair.p] - left_p,
                         right_q = rows.label_cost[pair.q] - left_q;
      answer.left[j] = std::min({answer.left[j], left_q + found.least_left[j], left_p - found.most_left[j]});
      answer.right[j] =
          std::min({answer.right[j], right_q + found.least_right[j], right_p - found.most_right[j]});
    }
    if (!arithmetic.keeps_leaves) continue;
    const auto in = wide_inputs(rows, batch, order, pair.by_label, arithmetic.masks64);
    kept_prefixes(in, on_left, true, found.least_left, found.most_left);
    kept_prefixes(in, on_right, false, found.least_right, found.most_right);
    for (std::size_t j = 0; j < n_lanes; ++j) {
      const std::int64_t left_p = batch.left_cost[j * k + pair.p], left_q = batch.left_cost[j * k + pair.q];
      const std::int64_t right_p = rows.label_cost[pair.p] - left_p,
                         right_q = rows.label_cost[pair.q] - left_q;
      answer.kept_left[j] =
          std::min({answer.kept_left[j], left_q + found.least_left[j], left_p - found.most_left[j]});
      answer.kept_right[j] =
          std::min({answer.kept_right[j], right_q + found.least_right[j], right_p - found.most_right[j]});
    }
  }
}

}  // namespace thriftree
