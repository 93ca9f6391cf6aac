#include "table/summary.hpp"

#include <algorithm>
#include <bit>

#include "table/bad_values.hpp"

namespace thriftree {
namespace {

constexpr std::size_t tile_rows = 1024;  // of all columns: rows of a matrix lie together

// A growing set of numbers, up to a limit.
class CappedSet {
 public:
  explicit CappedSet(std::size_t limit) : limit_(limit) { grow(10); }

  bool full() const { return values_.size() > limit_; }
  void insert(double x) {
    std::size_t slot = place(x);
    while (slots_[slot] == slots_[slot]) {
      if (slots_[slot] == x) return;
      slot = (slot + 1) & (slots_.size() - 1);
    }
    slots_[slot] = x;
    values_.push_back(x);
    if (2 * values_.size() > slots_.size()) grow(bits_ + 2);
  }
  std::vector<double> take_sorted() {
    std::sort(values_.begin(), values_.end());
    return std::move(values_);
  }
  void clear() {
    slots_ = {};
    values_ = {};
  }

 private:
  std::size_t place(double x) const {
    return (std::bit_cast<std::uint64_t>(x) * 0x9E3779B97F4A7C15U) >> (64 - bits_);
  }
  void grow(int bits) {
    bits_ = bits;
    slots_.assign(std::size_t{1} << bits, std::numeric_limits<double>::quiet_NaN());
    for (const double x : values_) {
      std::size_t slot = place(x);
      while (slots_[slot] == slots_[slot]) slot = (slot + 1) & (slots_.size() - 1);
      slots_[slot] = x;
    }
  }

  std::size_t limit_;
  int bits_ = 0;
  std::vector<double> slots_;  // open addressing; NaN: free
  std::vector<double> values_;
};

struct Seen {
  CappedSet values;
  ColumnSummary summary;
};

// False where a value is infinite.
bool look_at(const double* x, std::size_t n, Seen& seen) {
  ColumnSummary& summary = seen.summary;
  double low = summary.low, high = summary.high;
  bool missing = false;
  for (std::size_t i = 0; i < n; ++i) {
    missing |= x[i] != x[i];
    low = x[i] < low ? x[i] : low;
    high = x[i] > high ? x[i] : high;
  }
  summary.missing = summary.missing || missing;
  summary.low = low;
  summary.high = high;
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (high == infinity || low == -infinity) return false;
  if (summary.too_many) return true;
  double last = std::numeric_limits<double>::quiet_NaN();
  for (std::size_t i = 0; i < n; ++i) {
    if (x[i] != x[i] || x[i] == last) continue;
    seen.values.insert(last = x[i]);
    if (!seen.values.full()) continue;
    summary.too_many = true;
    seen.values.clear();
    return true;
  }
  return true;
}

}  // namespace

std::vector<ColumnSummary> summarise(const std::vector<ColumnSource>& sources, std::size_t n_rows,
                                     std::size_t limit) {
  std::vector<Seen> seen(sources.size(), Seen{CappedSet(limit), {}});
  std::vector<double> x(tile_rows);
  for (std::size_t first = 0; first < n_rows; first += tile_rows) {
    const std::size_t n = std::min(tile_rows, n_rows - first);
    for (std::size_t c = 0; c < sources.size(); ++c) {
      read_numbers(sources[c], first, n, x.data());
      if (!look_at(x.data(), n, seen[c])) throw_bad_value(sources[c], c, n_rows);
    }
  }
  std::vector<ColumnSummary> summaries;
  for (Seen& one : seen) {
    if (!one.summary.too_many) one.summary.values = one.values.take_sorted();
    summaries.push_back(std::move(one.summary));
  }
  return summaries;
}

}  // namespace thriftree
