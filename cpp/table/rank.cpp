#include "table/rank.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "table/source.hpp"

namespace thriftree {
namespace {

using Item = std::uint64_t;

constexpr int top_bits = 11;
constexpr int low_bits = 32 - top_bits;
constexpr std::size_t n_parts = std::size_t{1} << top_bits;
constexpr std::size_t rows_between_polls = std::size_t{1} << 21;

constexpr Item item(std::uint32_t key, std::size_t row) { return static_cast<Item>(key) << 32 | row; }
constexpr std::uint32_t key_of(Item i) { return static_cast<std::uint32_t>(i >> 32); }
constexpr std::uint32_t row_of(Item i) { return static_cast<std::uint32_t>(i); }

// A stable least-significant-digit radix sort by the low KeyBits bits of the key. Returns where the result
// is: in `items` or in `spare`, which is as long.
template <int KeyBits, int DigitBits>
Item* radix_sort(Item* items, Item* spare, std::size_t n) {
  constexpr int n_digits = (KeyBits + DigitBits - 1) / DigitBits;
  constexpr std::size_t n_buckets = std::size_t{1} << DigitBits;
  const auto digit = [](Item i, int d) { return (i >> (32 + d * DigitBits)) & (n_buckets - 1); };
  std::array<std::array<std::uint32_t, n_buckets>, n_digits> places{};
  for (std::size_t i = 0; i < n; ++i) {
    for (int d = 0; d < n_digits; ++d) ++places[static_cast<std::size_t>(d)][digit(items[i], d)];
  }
  for (int d = 0; d < n_digits; ++d) {
    auto& place = places[static_cast<std::size_t>(d)];
    if (place[digit(items[0], d)] == n) continue;  // all have the same digit
    std::uint32_t before = 0;
    for (auto& p : place) before += std::exchange(p, before);
    for (std::size_t i = 0; i < n; ++i) spare[place[digit(items[i], d)]++] = items[i];
    std::swap(items, spare);
  }
  return items;
}

// Small parts are not worth big histograms.
template <int KeyBits>
Item* sort_items(Item* items, Item* spare, std::size_t n) {
  if (n > 4096) return radix_sort<KeyBits, 11>(items, spare, n);
  if (n > 48) return radix_sort<KeyBits, 8>(items, spare, n);
  std::sort(items, items + n);
  return items;
}

// Calls visit(items, spare, n) for consecutive parts of the rows in sorted order. One pass moves the rows to
// the part of their key's highest bits; sorting a part then stays in the cache. key_at(row) gives the keys.
template <typename KeyAt, typename Visit>
void visit_sorted(std::size_t n, KeyAt key_at, RankScratch& scratch, const std::function<void()>& poll,
                  Visit visit) {
  scratch.items.resize(n);
  scratch.spare.resize(n);
  std::array<std::uint32_t, n_parts + 1> ends{};  // a part's next free place, and at last its end
  for (std::size_t row = 0; row < n; ++row) ++ends[(key_at(row) >> low_bits) + 1];
  for (std::size_t p = 1; p <= n_parts; ++p) ends[p] += ends[p - 1];
  Item* items = scratch.items.data();
  for (std::size_t first = 0; first < n; first += rows_between_polls) {
    poll();
    const std::size_t end = std::min(n, first + rows_between_polls);
    for (std::size_t row = first; row < end; ++row) {
      const std::uint32_t key = key_at(row);
      items[ends[key >> low_bits]++] = item(key, row);
    }
  }
  std::size_t begin = 0, polled = 0;
  for (std::size_t p = 0; p < n_parts; ++p) {
    const std::size_t size = ends[p] - begin;
    if (size == 0) continue;
    Item* spare = scratch.spare.data();
    Item* sorted = sort_items<low_bits>(items + begin, spare, size);
    visit(sorted, sorted == spare ? items + begin : spare, size);
    begin = ends[p];
    if (begin - polled < rows_between_polls) continue;
    poll();
    polled = begin;
  }
}

// Codes from rows in order of their keys.
template <typename Key>
class Coder {
 public:
  Coder(RankScratch& scratch, std::size_t n_rows, std::uint32_t* sorted) : sorted_(sorted) {
    scratch.distinct.resize(n_rows + 1);
    distinct_ = scratch.distinct.data();
  }
  // The next `size` rows: writes the code of row(i), given its key(i).
  template <typename RowAt, typename KeyAt>
  void take(std::size_t size, RowAt row, KeyAt key, std::uint32_t* codes) {
    // In locals, since for all the compiler knows writing a code might change a member.
    std::uint64_t* const distinct = distinct_;
    std::uint32_t* const sorted = sorted_;
    std::size_t n = n_;
    Key last = last_;
    for (std::size_t i = 0; i < size; ++i) {
      const Key k = key(i);
      const bool first = n == 0 || k != last;
      distinct[n] = last = k;  // kept only if it is the first
      n += first;
      const std::uint32_t r = row(i);
      codes[r] = static_cast<std::uint32_t>(n - 1);
      sorted[i] = r << 1 | static_cast<std::uint32_t>(first);
    }
    n_ = n;
    last_ = last;
    sorted_ += size;
  }
  Ranks ranks() const {
    Ranks ranks;
    ranks.has_missing = n_ > 0 && last_ == std::numeric_limits<Key>::max();
    ranks.values.resize(n_ - (ranks.has_missing ? 1 : 0));
    for (std::size_t c = 0; c < ranks.values.size(); ++c)
      ranks.values[c] = number_of(static_cast<Key>(distinct_[c]));
    return ranks;
  }

 private:
  std::uint32_t* sorted_;    // where the next row goes
  std::uint64_t* distinct_;  // n_ keys; room for every row, and one more
  std::size_t n_ = 0;
  Key last_ = 0;
};

}  // namespace

Ranks rank_floats(std::uint32_t* keys, std::uint32_t* sorted, std::size_t n, RankScratch& scratch,
                  const std::function<void()>& poll) {
  Coder<std::uint32_t> coder(scratch, n, sorted);
  // By the time codes overwrite keys, all keys have been moved into items.
  visit_sorted(
      n, [&](std::size_t row) { return keys[row]; }, scratch, poll,
      [&](const Item* items, Item*, std::size_t size) {
        coder.take(
            size, [&](std::size_t i) { return row_of(items[i]); },
            [&](std::size_t i) { return key_of(items[i]); }, keys);
      });
  return coder.ranks();
}

Ranks rank_doubles(std::uint32_t* codes, std::uint32_t* sorted, std::size_t n, RankScratch& scratch,
                   const std::function<void()>& poll) {
  const std::uint64_t* keys = scratch.keys.data();
  Coder<std::uint64_t> coder(scratch, n, sorted);
  // Rows are sorted by the high 32 bits; each run of rows that agree there is put in order by the low 32
  // bits.
  visit_sorted(
      n, [&](std::size_t row) { return static_cast<std::uint32_t>(keys[row] >> 32); }, scratch, poll,
      [&](Item* items, Item* spare, std::size_t size) {
        for (std::size_t begin = 0, end; begin < size; begin = end) {
          const std::uint32_t high = key_of(items[begin]);
          bool in_order = true;
          for (end = begin; end < size && key_of(items[end]) == high; ++end) {
            const std::uint32_t row = row_of(items[end]);
            items[end] = item(static_cast<std::uint32_t>(keys[row]), row);
            in_order = in_order && (end == begin || key_of(items[end - 1]) <= key_of(items[end]));
          }
          const Item* run = in_order ? items + begin : sort_items<32>(items + begin, spare, end - begin);
          coder.take(
              end - begin, [&](std::size_t i) { return row_of(run[i]); },
              [&](std::size_t i) { return static_cast<Item>(high) << 32 | key_of(run[i]); }, codes);
        }
      });
  return coder.ranks();
}

}  // namespace thriftree
