#include "search/sweep_majority.hpp"

#include <algorithm>

#include "search/sweep_rows.hpp"

namespace thriftree {

using namespace lanes;

namespace {

// Sums per label and the heaviest of them, of the rows that were added to both sides.
template <typename T>
struct Heaviest {
  Numbers<T>* sums;  // [label × 2 + side]
  Numbers<T> left, right;

  THRIFTREE_INLINE void start(std::size_t n_classes) {
    for (std::size_t i = 0; i < 2 * n_classes; ++i) fill<T>(sums[i], 0);
    fill<T>(left, 0), fill<T>(right, 0);
  }
  // Sums only grow, so the heaviest is the heaviest so far or the one that has grown.
  THRIFTREE_INLINE void add_row(std::size_t label, T value, const Numbers<T>& mask) {
    Numbers<T>*sum_left = sums + 2 * label, *sum_right = sum_left + 1;
    add_where(*sum_left, value, mask), add_elsewhere(*sum_right, value, mask);
    raise(left, *sum_left), raise(right, *sum_right);
  }
};

// The largest sum of two heaviest labels, in all lanes and in those where both leaves have room.
template <typename T>
struct Savings {
  Numbers<T> best, kept, rows, weight;

  THRIFTREE_INLINE void start(const Numbers<T>& whole) {
    best = whole;
    fill<T>(kept, -1), fill<T>(rows, 0), fill<T>(weight, 0);
  }
  THRIFTREE_INLINE void look(const Numbers<T>& before, const Numbers<T>& after, const LeafRoom<T>* room) {
    Numbers<T> sum = before;
    add(sum, after);
    raise(best, sum);
    if (!room) return;
    Numbers<T> allowed;
    room->allowed(rows, weight, allowed);
    for (int p = 0; p < Numbers<T>::kParts; ++p) {
      const auto value = allowed.part[p] ? sum.part[p] : kept.part[p];
      kept.part[p] = value > kept.part[p] ? value : kept.part[p];
    }
  }
};

// Backwards for what the rows after each cut save, then forwards for those before it. `after` has two entries
// per row, and `sums` two per label.
template <typename T>
THRIFTREE_INLINE void savings_of(const LaneInputs<T>& in, std::size_t n_classes, const LeafRoom<T>* rooms,
                                 Numbers<T>* after, Numbers<T>* sums, Numbers<T> answer[4]) {
  Heaviest<T> heaviest;
  heaviest.sums = sums;
  heaviest.start(n_classes);
  for (std::size_t i = in.n; i-- > 0;) {
    const std::uint32_t entry = in.order[i], place = entry & kRowMask;
    if (entry & kEndOfRank) after[2 * i] = heaviest.left, after[2 * i + 1] = heaviest.right;
    heaviest.add_row(static_cast<std::size_t>(in.labels[place]), in.value(place), in.masks[in.bins[place]]);
  }
  Savings<T> left, right;
  left.start(heaviest.left), right.start(heaviest.right);
  heaviest.start(n_classes);
  for (std::size_t i = 0; i < in.n; ++i) {
    const std::uint32_t entry = in.order[i], place = entry & kRowMask;
    const Numbers<T>& mask = in.masks[in.bins[place]];
    heaviest.add_row(static_cast<std::size_t>(in.labels[place]), in.value(place), mask);
    if (rooms) {
      const T weight = in.weight(place);
      add_where<T>(left.rows, 1, mask), add_elsewhere<T>(right.rows, 1, mask);
      add_where(left.weight, weight, mask), add_elsewhere(right.weight, weight, mask);
    }
    if (entry & kEndOfRank) {
      left.look(heaviest.left, after[2 * i], rooms);
      right.look(heaviest.right, after[2 * i + 1], rooms ? rooms + 1 : nullptr);
    }
  }
  answer[0] = left.best, answer[1] = right.best, answer[2] = left.kept, answer[3] = right.kept;
}

THRIFTREE_BY_CPU(void, run,
                 (const LaneInputs<std::int16_t>& in, std::size_t n_classes,
                  const LeafRoom<std::int16_t>* rooms, Numbers<std::int16_t>* after,
                  Numbers<std::int16_t>* sums, Numbers<std::int16_t> answer[4]),
                 (in, n_classes, rooms, after, sums, answer)) {
  savings_of(in, n_classes, rooms, after, sums, answer);
}
THRIFTREE_BY_CPU(void, run,
                 (const LaneInputs<std::int32_t>& in, std::size_t n_classes,
                  const LeafRoom<std::int32_t>* rooms, Numbers<std::int32_t>* after,
                  Numbers<std::int32_t>* sums, Numbers<std::int32_t> answer[4]),
                 (in, n_classes, rooms, after, sums, answer)) {
  savings_of(in, n_classes, rooms, after, sums, answer);
}
THRIFTREE_BY_CPU(void, run,
                 (const LaneInputs<std::int64_t>& in, std::size_t n_classes,
                  const LeafRoom<std::int64_t>* rooms, Numbers<std::int64_t>* after,
                  Numbers<std::int64_t>* sums, Numbers<std::int64_t> answer[4]),
                 (in, n_classes, rooms, after, sums, answer)) {
  savings_of(in, n_classes, rooms, after, sums, answer);
}

}  // namespace

template <typename T>
void majority_savings(const LaneInputs<T>& in, std::size_t n_classes, const LeafRoom<T>* rooms,
                      std::vector<Numbers<T>>& scratch, LaneSavings& found) {
  scratch.resize(std::max(scratch.size(), 2 * (in.n + n_classes)));
  Numbers<T> answer[4];
  run(in, n_classes, rooms, scratch.data(), scratch.data() + 2 * in.n, answer);
  for (int j = 0; j < kLanes; ++j) {
    const auto at = static_cast<std::size_t>(j);
    found.left[at] = get(answer[0], j), found.right[at] = get(answer[1], j);
    found.kept_left[at] = get(answer[2], j), found.kept_right[at] = get(answer[3], j);
  }
}

template void majority_savings(const LaneInputs<std::int16_t>&, std::size_t, const LeafRoom<std::int16_t>*,
                               std::vector<Numbers<std::int16_t>>&, LaneSavings&);
template void majority_savings(const LaneInputs<std::int32_t>&, std::size_t, const LeafRoom<std::int32_t>*,
                               std::vector<Numbers<std::int32_t>>&, LaneSavings&);
template void majority_savings(const LaneInputs<std::int64_t>&, std::size_t, const LeafRoom<std::int64_t>*,
                               std::vector<Numbers<std::int64_t>>&, LaneSavings&);

}  // namespace thriftree
