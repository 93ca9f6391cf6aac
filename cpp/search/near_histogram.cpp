#include "search/near_histogram.hpp"

#include <algorithm>

#include "run/control.hpp"

namespace thriftree {

namespace {

constexpr std::int64_t kMostPlaces = 1 << 17;  // of an array
constexpr std::size_t kBytesOfSlot = 64;       // in the table of hashes and in the histogram made of it
constexpr std::size_t kPairsOfPoll = 1 << 18;

}  // namespace

std::int64_t NearHistogram::least_cost() const {
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  for (const NearKey& key : keys) least = std::min(least, key.cost);
  return least;
}

void count_pairs(const NearPairs& pairs, NearKey key, const NearUnits& units, Natural& sum) {
  const NearHistogram &a = *pairs.first, &b = *pairs.second;
  std::fill(sum.begin(), sum.end(), 0);
  // As keys of the first rise, those of the second that complete them fall.
  std::size_t j = b.keys.size();
  for (std::size_t i = 0; i < a.keys.size() && j > 0; ++i) {
    const NearKey other = key - pairs.pay - a.keys[i];
    while (j > 0 && units.before(other, b.keys[j - 1])) --j;
    if (j > 0 && b.keys[j - 1] == other)
      add_product(sum.data(), sum.size(), a.count(i), a.limbs, b.count(j - 1), b.limbs);
  }
  if (pairs.without_leaves && pairs.leaves == key) {
    const Limb one = 1;
    subtract(sum, &one, 1);
  }
}

std::size_t limbs_of(const std::vector<NearPairs>& pairs) {
  int bits = 1;
  for (const NearPairs& p : pairs) bits = std::max(bits, p.first->total_bits + p.second->total_bits);
  return limbs_for(bits + static_cast<int>(std::bit_width(pairs.size() + 1)));
}

HistogramSum::HistogramSum(const NearUnits& units, NearBudget budget, std::int64_t least_cost,
                           int most_leaves, std::size_t limbs, HistogramRoom room)
    : units_(units), budget_(budget), room_(std::move(room)), least_cost_(least_cost), limbs_(limbs) {
  const std::int64_t levels = units.tracked ? std::int64_t{most_leaves} + 1 : 1;
  const std::int64_t costs = std::max<std::int64_t>(0, budget.value / units.unit - least_cost + 1);
  if (costs <= kMostPlaces / levels) {
    width_ = std::max<std::int64_t>(1, costs);
    counts_.resize(static_cast<std::size_t>(width_ * levels) * limbs);
  }
}

Limb* HistogramSum::place(NearKey key) {
  if (width_ > 0)
    return counts_.data() + static_cast<std::size_t>(key.leaves * width_ + key.cost - least_cost_) * limbs_;
  const auto [at, is_new] = slot_.try_emplace(key, slot_.size());
  if (is_new) {
    if (slot_.size() * (kBytesOfSlot + 2 * limbs_ * sizeof(Limb)) > room_.most_bytes)
      throw MemoryLimitReached(
          "the trees have so many different objectives that their counts are beyond memory_limit_mb: raise "
          "it, lower the slack, or round the sample weights");
    counts_.resize(slot_.size() * limbs_);
  }
  return counts_.data() + at->second * limbs_;
}

void HistogramSum::add(NearKey key, Limb trees) {
  if (budget_.fits(units_, key)) add_limbs(place(key), limbs_, &trees, 1);
}

void HistogramSum::add(const NearPairs& pairs) {
  const NearHistogram &a = *pairs.first, &b = *pairs.second;
  std::size_t done = 0;
  for (std::size_t i = 0; i < a.keys.size(); ++i) {
    const NearKey begun = a.keys[i] + pairs.pay;
    const SearchValue rest = budget_.value - units_.value(begun);
    for (std::size_t j = 0; j < b.keys.size() && units_.value(b.keys[j]) <= rest; ++j) {
      const NearKey key = begun + b.keys[j];
      if (++done % kPairsOfPoll == 0) room_.poll();
      if (key.leaves > budget_.leaves) continue;
      add_product(place(key), limbs_, a.count(i), a.limbs, b.count(j), b.limbs);
    }
  }
  if (pairs.without_leaves && budget_.fits(units_, pairs.leaves)) {
    Limb* at = place(pairs.leaves);
    for (std::size_t i = 0; i < limbs_ && at[i]-- == 0; ++i) {  // minus 1, with its borrow
    }
  }
}

NearHistogram HistogramSum::made() const {
  struct Place {
    NearKey key;
    const Limb* count;
  };
  std::vector<Place> places;
  const auto note = [&](NearKey key, const Limb* count) {
    if (bits_of(count, limbs_) > 0) places.push_back({key, count});
  };
  if (width_ > 0) {
    const std::int64_t n = static_cast<std::int64_t>(counts_.size() / limbs_);
    for (std::int64_t i = 0; i < n; ++i)
      note({least_cost_ + i % width_, static_cast<std::int32_t>(i / width_)},
           counts_.data() + static_cast<std::size_t>(i) * limbs_);
  } else {
    for (const auto& [key, slot] : slot_) note(key, counts_.data() + slot * limbs_);
  }
  std::sort(places.begin(), places.end(),
            [&](const Place& x, const Place& y) { return units_.before(x.key, y.key); });
  NearHistogram made;
  Natural total(limbs_ + 1);
  for (const Place& place : places) add_limbs(total.data(), total.size(), place.count, limbs_);
  made.total_bits = bits_of(total);
  made.limbs = limbs_for(made.total_bits);
  made.keys.reserve(places.size());
  made.counts.reserve(places.size() * made.limbs);
  for (const Place& place : places) {
    made.keys.push_back(place.key);
    for (std::size_t i = 0; i < made.limbs; ++i) made.counts.push_back(i < limbs_ ? place.count[i] : 0);
  }
  return made;
}

}  // namespace thriftree
