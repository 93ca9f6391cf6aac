// A small set of numbers that notices when it is no longer small.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace thriftree {

class DistinctSet {
 public:
  static constexpr std::size_t max_limit = 256;

  explicit DistinctSet(std::size_t limit) : limit_(limit) {
    slots_.fill(std::numeric_limits<double>::quiet_NaN());
  }

  // Numbers only (no NaN). False, and from then on always false, once there are more than `limit` of them.
  bool insert(double x) {
    if (values_.size() > limit_) return false;
    std::size_t slot = (std::bit_cast<std::uint64_t>(x) * 0x9E3779B97F4A7C15U) >> (64 - slot_bits);
    while (slots_[slot] == slots_[slot]) {
      if (slots_[slot] == x) return true;
      slot = (slot + 1) % slots_.size();
    }
    slots_[slot] = x;
    values_.push_back(x);
    return values_.size() <= limit_;
  }

  bool overflowed() const { return values_.size() > limit_; }
  const std::vector<double>& values() const { return values_; }  // in the order of arrival
  std::vector<double> sorted() const {
    std::vector<double> sorted = values_;
    std::sort(sorted.begin(), sorted.end());
    return sorted;
  }

 private:
  static constexpr int slot_bits = 10;
  static_assert((std::size_t{1} << slot_bits) > 2 * max_limit);
  std::array<double, std::size_t{1} << slot_bits> slots_;  // open addressing; NaN: free
  std::vector<double> values_;
  std::size_t limit_;
};

}  // namespace thriftree
