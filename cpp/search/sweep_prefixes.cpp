#include "search/sweep_prefixes.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "search/sweep_objective.hpp"
#include "search/sweep_rows.hpp"

namespace thriftree {

using namespace lanes;

namespace {

constexpr std::int64_t kSmall = 1000;      // values that 16 bits can sum a while
constexpr std::int64_t kSmallSum = 32000;  // what 16 bits can hold, with room for a sentinel

THRIFTREE_BY_CPU(void, small_chunk,
                 (const std::uint32_t* order, std::size_t n, const std::uint8_t* codes,
                  const Numbers<std::int16_t>* left, const Numbers<std::int16_t>* right,
                  Numbers<std::int16_t> answer[6]),
                 (order, n, codes, left, right, answer)) {
  constexpr std::int16_t none = 32767;
  Numbers<std::int16_t> sum_left, sum_right, least_left, least_right, most_left, most_right;
  fill<std::int16_t>(sum_left, 0), fill<std::int16_t>(sum_right, 0);
  fill(least_left, none), fill(least_right, none);
  fill<std::int16_t>(most_left, -none), fill<std::int16_t>(most_right, -none);
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint32_t entry = order[i];
    const std::size_t code = codes[entry & kRowMask];
    add(sum_left, left[code]);
    add(sum_right, right[code]);
    if (entry & kEndOfRank) {
      lower(least_left, sum_left), raise(most_left, sum_left);
      lower(least_right, sum_right), raise(most_right, sum_right);
    }
  }
  answer[0] = sum_left, answer[1] = least_left, answer[2] = most_left;
  answer[3] = sum_right, answer[4] = least_right, answer[5] = most_right;
}

template <typename T>
void keep(const Numbers<T>& least_left, const Numbers<T>& most_left, const Numbers<T>& least_right,
          const Numbers<T>& most_right, LanePrefixes& found) {
  for (int j = 0; j < kLanes; ++j) {
    const auto at = static_cast<std::size_t>(j);
    found.least_left[at] = get(least_left, j), found.most_left[at] = get(most_left, j);
    found.least_right[at] = get(least_right, j), found.most_right[at] = get(most_right, j);
  }
}

template <typename T>
THRIFTREE_INLINE void all_prefixes(const LaneInputs<T>& in, LanePrefixes& found) {
  Numbers<T> sum_left, sum_right, least_left, least_right, most_left, most_right;
  fill<T>(sum_left, 0), fill<T>(sum_right, 0), fill<T>(least_left, 0), fill<T>(least_right, 0);
  fill<T>(most_left, 0), fill<T>(most_right, 0);
  for (std::size_t i = 0; i < in.n; ++i) {
    const std::uint32_t entry = in.order[i], place = entry & kRowMask;
    const Numbers<T>& mask = in.masks[in.bins[place]];
    const T value = in.value(place);
    add_where(sum_left, value, mask);
    add_elsewhere(sum_right, value, mask);
    if (entry & kEndOfRank) {
      lower(least_left, sum_left), raise(most_left, sum_left);
      lower(least_right, sum_right), raise(most_right, sum_right);
    }
  }
  keep(least_left, most_left, least_right, most_right, found);
}

// One side's prefixes where both leaves have room.
template <typename T>
struct KeptSide {
  Numbers<T> sum, rows, weight, least, most;

  THRIFTREE_INLINE void start() {
    fill<T>(sum, 0), fill<T>(rows, 0), fill<T>(weight, 0);
    fill<T>(least, std::numeric_limits<T>::max() / 2), fill<T>(most, std::numeric_limits<T>::min() / 2);
  }
  THRIFTREE_INLINE void look(const LeafRoom<T>& room) {
    Numbers<T> allowed;
    room.allowed(rows, weight, allowed);
    for (int p = 0; p < Numbers<T>::kParts; ++p) {
      const auto low = allowed.part[p] ? sum.part[p] : least.part[p];
      const auto high = allowed.part[p] ? sum.part[p] : most.part[p];
      least.part[p] = low < least.part[p] ? low : least.part[p];
      most.part[p] = high > most.part[p] ? high : most.part[p];
    }
  }
};

template <typename T>
THRIFTREE_INLINE void roomy_prefixes(const LaneInputs<T>& in, const LeafRoom<T>& left_room,
                                     const LeafRoom<T>& right_room, LanePrefixes& found) {
  KeptSide<T> left, right;
  left.start(), right.start();
  for (std::size_t i = 0; i < in.n; ++i) {
    const std::uint32_t entry = in.order[i], place = entry & kRowMask;
    const Numbers<T>& mask = in.masks[in.bins[place]];
    const T value = in.value(place), weight = in.weight(place);
    add_where(left.sum, value, mask), add_elsewhere(right.sum, value, mask);
    add_where<T>(left.rows, 1, mask), add_elsewhere<T>(right.rows, 1, mask);
    add_where(left.weight, weight, mask), add_elsewhere(right.weight, weight, mask);
    if (entry & kEndOfRank) left.look(left_room), right.look(right_room);
  }
  keep(left.least, left.most, right.least, right.most, found);
  // Beyond every sum in 32 bits is not beyond every cost: what is not allowed is so in 64 bits, too.
  constexpr std::int64_t high = std::numeric_limits<T>::max() / 2, low = std::numeric_limits<T>::min() / 2;
  for (std::size_t j = 0; j < kLanes; ++j) {
    if (found.least_left[j] == high) found.least_left[j] = kNoSweep;
    if (found.least_right[j] == high) found.least_right[j] = kNoSweep;
    if (found.most_left[j] == low) found.most_left[j] = -kNoSweep;
    if (found.most_right[j] == low) found.most_right[j] = -kNoSweep;
  }
}

THRIFTREE_BY_CPU(void, all_32, (const LaneInputs<std::int32_t>& in, LanePrefixes& found), (in, found)) {
  all_prefixes(in, found);
}
THRIFTREE_BY_CPU(void, all_64, (const LaneInputs<std::int64_t>& in, LanePrefixes& found), (in, found)) {
  all_prefixes(in, found);
}
THRIFTREE_BY_CPU(void, roomy_32,
                 (const LaneInputs<std::int32_t>& in, const LeafRoom<std::int32_t>& left,
                  const LeafRoom<std::int32_t>& right, LanePrefixes& found),
                 (in, left, right, found)) {
  roomy_prefixes(in, left, right, found);
}
THRIFTREE_BY_CPU(void, roomy_64,
                 (const LaneInputs<std::int64_t>& in, const LeafRoom<std::int64_t>& left,
                  const LeafRoom<std::int64_t>& right, LanePrefixes& found),
                 (in, left, right, found)) {
  roomy_prefixes(in, left, right, found);
}

}  // namespace

bool make_small_sums(const std::vector<std::int64_t>& by_label, SmallSums& made) {
  std::int64_t unit = 0, largest = 1;
  for (const std::int64_t value : by_label) unit = std::gcd(unit, value);
  if (unit == 0) unit = 1;
  for (const std::int64_t value : by_label) largest = std::max(largest, std::abs(value / unit));
  if (largest > kSmall) return false;
  made.unit = unit;
  made.chunk = static_cast<std::size_t>(kSmallSum / largest);
  made.left.resize(by_label.size() * kBins);
  made.right.resize(by_label.size() * kBins);
  for (std::size_t i = 0; i < made.left.size(); ++i) {
    const auto value = static_cast<std::int16_t>(by_label[i / kBins] / unit);
    for (int j = 0; j < kLanes; ++j) {
      const bool on_left = static_cast<std::size_t>(j) >= i % kBins;
      set<std::int16_t>(made.left[i], j, on_left ? value : std::int16_t{0});
      set<std::int16_t>(made.right[i], j, on_left ? std::int16_t{0} : value);
    }
  }
  return true;
}

void small_prefixes(const std::uint32_t* order, std::size_t n, const std::uint8_t* codes,
                    const SmallSums& sums, LanePrefixes& found) {
  found = {};
  LaneCosts base_left{}, base_right{};
  Numbers<std::int16_t> part[6];  // sum, least and largest prefix, left and right
  for (std::size_t begin = 0; begin < n; begin += sums.chunk) {
    small_chunk(order + begin, std::min(sums.chunk, n - begin), codes, sums.left.data(), sums.right.data(),
                part);
    const bool has_end = get(part[1], 0) != 32767;  // of a rank; the same in all lanes
    for (std::size_t j = 0; j < kLanes; ++j) {
      const auto at = [&](int i) { return sums.unit * get(part[i], static_cast<int>(j)); };
      if (has_end) {
        found.least_left[j] = std::min(found.least_left[j], base_left[j] + at(1));
        found.most_left[j] = std::max(found.most_left[j], base_left[j] + at(2));
        found.least_right[j] = std::min(found.least_right[j], base_right[j] + at(4));
        found.most_right[j] = std::max(found.most_right[j], base_right[j] + at(5));
      }
      base_left[j] += at(0), base_right[j] += at(3);
    }
  }
}

void wide_prefixes(const LaneInputs<std::int32_t>& in, LanePrefixes& found) { all_32(in, found); }
void wide_prefixes(const LaneInputs<std::int64_t>& in, LanePrefixes& found) { all_64(in, found); }
void kept_prefixes(const LaneInputs<std::int32_t>& in, const LeafRoom<std::int32_t>& left,
                   const LeafRoom<std::int32_t>& right, LanePrefixes& found) {
  roomy_32(in, left, right, found);
}
void kept_prefixes(const LaneInputs<std::int64_t>& in, const LeafRoom<std::int64_t>& left,
                   const LeafRoom<std::int64_t>& right, LanePrefixes& found) {
  roomy_64(in, left, right, found);
}

}  // namespace thriftree
