#include "table/rank.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include "table/source.hpp"

namespace thriftree {
namespace {

constexpr std::size_t digit_bits = 11;
constexpr std::size_t n_buckets = std::size_t{1} << digit_bits;
constexpr std::size_t n_digits = 3;
constexpr std::size_t rows_between_calls = std::size_t{1} << 21;

constexpr std::uint32_t digit(std::uint32_t key, std::size_t d) {
  return (key >> (d * digit_bits)) & (n_buckets - 1);
}

using Histograms = std::array<std::array<std::uint32_t, n_buckets>, n_digits>;

// Turns counts into the first place of each bucket; false if one bucket holds everything (nothing to move).
bool to_places(std::array<std::uint32_t, n_buckets>& histogram, std::size_t n) {
  std::uint32_t place = 0;
  for (auto& h : histogram) {
    if (h == n) return false;
    const std::uint32_t count = h;
    h = place;
    place += count;
  }
  return true;
}

void scatter(const KeyRow* from, KeyRow* to, std::size_t n, std::size_t d,
             std::array<std::uint32_t, n_buckets>& places, const std::function<void()>& between_passes) {
  for (std::size_t begin = 0; begin < n; begin += rows_between_calls) {
    const std::size_t end = std::min(n, begin + rows_between_calls);
    for (std::size_t i = begin; i < end; ++i) to[places[digit(from[i].key, d)]++] = from[i];
    between_passes();
  }
}

// A stable least-significant-digit radix sort by key. The result is in `pairs`; `spare` is as long.
void radix_sort(KeyRow* pairs, KeyRow* spare, std::size_t n, const std::function<void()>& between_passes) {
  Histograms histograms{};
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t d = 0; d < n_digits; ++d) ++histograms[d][digit(pairs[i].key, d)];
  }
  KeyRow* from = pairs;
  KeyRow* to = spare;
  for (std::size_t d = 0; d < n_digits; ++d) {
    if (!to_places(histograms[d], n)) continue;
    scatter(from, to, n, d, histograms[d], between_passes);
    std::swap(from, to);
  }
  if (from != pairs) std::copy(from, from + n, pairs);
}

// Sorts a run of pairs; short runs are not worth the radix sort's histograms.
void sort_run(KeyRow* run, KeyRow* spare, std::size_t n, const std::function<void()>& between_passes) {
  if (n > n_buckets) {
    radix_sort(run, spare, n, between_passes);
  } else {
    std::sort(run, run + n, [](const KeyRow& a, const KeyRow& b) { return a.key < b.key; });
  }
}

}  // namespace

Ranks rank_floats(std::uint32_t* keys, std::size_t n, RankScratch& scratch,
                  const std::function<void()>& between_passes) {
  scratch.pairs.resize(n);
  scratch.spare.resize(n);
  // The first pass reads the bare keys and makes the pairs; so it is written out here.
  Histograms histograms{};
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t d = 0; d < n_digits; ++d) ++histograms[d][digit(keys[i], d)];
  }
  between_passes();
  KeyRow* from = scratch.pairs.data();
  KeyRow* to = scratch.spare.data();
  const bool moves = to_places(histograms[0], n);
  auto& places = histograms[0];
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t place = moves ? places[digit(keys[i], 0)]++ : i;
    from[place] = {keys[i], static_cast<std::uint32_t>(i)};
  }
  between_passes();
  for (std::size_t d = 1; d < n_digits; ++d) {
    if (!to_places(histograms[d], n)) continue;
    scatter(from, to, n, d, histograms[d], between_passes);
    std::swap(from, to);
  }

  // The distinct keys overwrite the other pair buffer, so that `values` is allocated once at its final size.
  Ranks ranks;
  std::size_t n_distinct = 0;
  std::uint32_t last = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const KeyRow p = from[i];
    if (i == 0 || p.key != last) to[n_distinct++].key = last = p.key;
    keys[p.row] = static_cast<std::uint32_t>(n_distinct - 1);
  }
  ranks.has_missing = n > 0 && last == std::numeric_limits<std::uint32_t>::max();
  ranks.values.resize(n_distinct - (ranks.has_missing ? 1 : 0));
  for (std::size_t c = 0; c < ranks.values.size(); ++c) ranks.values[c] = number_of(to[c].key);
  return ranks;
}

Ranks rank_doubles(std::uint32_t* codes, std::size_t n, RankScratch& scratch,
                   const std::function<void()>& between_passes) {
  const auto& keys = scratch.keys;
  scratch.pairs.resize(n);
  scratch.spare.resize(n);
  KeyRow* pairs = scratch.pairs.data();
  KeyRow* spare = scratch.spare.data();
  for (std::size_t i = 0; i < n; ++i) {
    pairs[i] = {static_cast<std::uint32_t>(keys[i] >> 32), static_cast<std::uint32_t>(i)};
  }
  between_passes();
  radix_sort(pairs, spare, n, between_passes);

  // Rows that agree in the high 32 bits are now together; each such run is put in order by the low 32 bits.
  std::vector<std::uint64_t> distinct;
  for (std::size_t begin = 0, end; begin < n; begin = end) {
    const std::uint32_t high = pairs[begin].key;
    bool in_order = true;
    for (end = begin; end < n && pairs[end].key == high; ++end) {
      const auto low = static_cast<std::uint32_t>(keys[pairs[end].row]);
      in_order = in_order && (end == begin || spare[end - 1].key <= low);
      spare[end] = {low, pairs[end].row};
    }
    if (!in_order) sort_run(spare + begin, pairs + begin, end - begin, between_passes);
    for (std::size_t i = begin; i < end; ++i) {
      if (i == begin || spare[i].key != spare[i - 1].key) {
        distinct.push_back(static_cast<std::uint64_t>(high) << 32 | spare[i].key);
      }
      codes[spare[i].row] = static_cast<std::uint32_t>(distinct.size() - 1);
    }
  }
  between_passes();
  Ranks ranks;
  ranks.has_missing = !distinct.empty() && distinct.back() == std::numeric_limits<std::uint64_t>::max();
  ranks.values.resize(distinct.size() - (ranks.has_missing ? 1 : 0));
  for (std::size_t c = 0; c < ranks.values.size(); ++c) ranks.values[c] = number_of(distinct[c]);
  return ranks;
}

}  // namespace thriftree
