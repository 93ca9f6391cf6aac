// What is known of sets of rows (bound B7): V, or a lower bound of it. The table starts small and grows to
// its cap; then old entries give way. An entry that is gone costs time, and never changes an answer.
#pragma once

#include <array>
#include <cstdint>
#include <mutex>
#include <vector>

#include "search/budget.hpp"
#include "search/hashing.hpp"
#include "search/units.hpp"

namespace thriftree {

struct KnownValue {
  SearchValue value = 0;  // V, or a lower bound of it
  bool exact = false;
};

class SearchCache {
 public:
  explicit SearchCache(std::size_t most_bytes) { set_most_bytes(most_bytes); }
  // Before the first entry.
  void set_most_bytes(std::size_t most_bytes);

  // Rows, and what a tree of them may have, as one key.
  static Hash128 key(const Hash128& rows, TreeBudget budget) {
    Hash128 key =
        hash_of(static_cast<std::uint64_t>(budget.depth) << 32 ^ static_cast<std::uint64_t>(budget.leaves));
    key ^= rows;
    return key;
  }

  bool find(const Hash128& key, KnownValue& found);
  void keep(const Hash128& key, KnownValue value);

  std::int64_t entries() const;
  std::int64_t evictions() const;
  std::int64_t bytes() const;

 private:
  struct Entry {
    Hash128 key;
    SearchValue value = 0;
    std::uint32_t state = 0;  // kUsed, kExact, kRecent
    std::uint32_t unused = 0;
  };
  static_assert(sizeof(Entry) == 32);
  static constexpr std::uint32_t kUsed = 1, kExact = 2, kRecent = 4;
  static constexpr std::size_t kWays = 4;     // entries that share a place
  static constexpr std::size_t kShards = 64;  // each with a lock of its own

  struct Shard {
    std::mutex mutex;
    std::vector<Entry> table;  // groups of kWays, their number a power of two; empty before the first entry
    std::int64_t entries = 0, evictions = 0;
  };

  static Entry* place(Shard& shard, const Hash128& key);
  void grow(Shard& shard);
  static void put(Shard& shard, const Entry& entry);

  std::array<Shard, kShards> shards_;
  std::size_t most_entries_ = kWays;  // of a shard
};

}  // namespace thriftree
