// What is known of sets of rows: B7.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "search/hashing.hpp"
#include "search/units.hpp"

namespace thriftree {

// Rows, and what a tree of them may have.
struct CacheKey {
  Hash128 rows;
  std::uint32_t depth = 0, leaves = 0;
  friend bool operator==(const CacheKey&, const CacheKey&) = default;
};

struct CacheKeyHash {
  std::size_t operator()(const CacheKey& key) const {
    return key.rows.low ^ (key.depth * 0x9e3779b97f4a7c15U) ^ (key.leaves * 0xd6e8feb86659fd93U);
  }
};

struct KnownValue {
  SearchValue value = 0;  // exact, or a lower bound
  bool exact = false;
};

class SearchCache {
 public:
  const KnownValue* find(const CacheKey& key) const {
    const auto at = known_.find(key);
    return at == known_.end() ? nullptr : &at->second;
  }
  void keep(const CacheKey& key, KnownValue value) {
    KnownValue& known = known_[key];
    if (!known.exact && (value.exact || value.value > known.value)) known = value;
  }
  std::size_t size() const { return known_.size(); }

 private:
  std::unordered_map<CacheKey, KnownValue, CacheKeyHash> known_;
};

}  // namespace thriftree
