#include "search/cache.hpp"

#include <algorithm>
#include <bit>

namespace thriftree {

void SearchCache::set_most_bytes(std::size_t most_bytes) {
  most_entries_ = std::max(kWays, std::bit_floor(most_bytes / sizeof(Entry) / kShards + 1));
}

SearchCache::Entry* SearchCache::place(Shard& shard, const Hash128& key) {
  const std::size_t groups = shard.table.size() / kWays;
  return shard.table.data() + (key.high & (groups - 1)) * kWays;
}

bool SearchCache::find(const Hash128& key, KnownValue& found) {
  Shard& shard = shards_[key.low % kShards];
  std::lock_guard lock(shard.mutex);
  if (shard.table.empty()) return false;
  Entry* entry = place(shard, key);
  for (std::size_t i = 0; i < kWays; ++i, ++entry) {
    if (!(entry->state & kUsed) || !(entry->key == key)) continue;
    entry->state |= kRecent;
    found = {entry->value, (entry->state & kExact) != 0};
    return true;
  }
  return false;
}

// Into a free entry, or over one that was not asked for since all of its group were.
void SearchCache::put(Shard& shard, const Entry& made) {
  Entry* const group = place(shard, made.key);
  Entry* victim = nullptr;
  for (std::size_t i = 0; i < kWays && victim == nullptr; ++i) {
    if (!(group[i].state & kUsed)) victim = group + i;
  }
  if (victim == nullptr) {
    ++shard.evictions;
    --shard.entries;
    for (std::size_t i = 0; i < kWays && victim == nullptr; ++i) {
      if (!(group[i].state & kRecent)) victim = group + i;
    }
    if (victim == nullptr) {
      for (std::size_t i = 0; i < kWays; ++i) group[i].state &= ~kRecent;
      victim = group;
    }
  }
  *victim = made;
  ++shard.entries;
}

void SearchCache::grow(Shard& shard) {
  std::vector<Entry> old(shard.table.empty() ? kWays : 2 * shard.table.size());
  old.swap(shard.table);
  shard.entries = 0;
  for (const Entry& entry : old) {
    if (entry.state & kUsed) put(shard, entry);
  }
}

void SearchCache::keep(const Hash128& key, KnownValue value) {
  Shard& shard = shards_[key.low % kShards];
  std::lock_guard lock(shard.mutex);
  if (shard.table.empty()) grow(shard);
  Entry* entry = place(shard, key);
  for (std::size_t i = 0; i < kWays; ++i, ++entry) {
    if (!(entry->state & kUsed) || !(entry->key == key)) continue;
    if ((entry->state & kExact) || (!value.exact && value.value <= entry->value)) return;
    entry->value = value.value;
    entry->state |= value.exact ? kExact : 0;
    return;
  }
  const auto must_grow = [&] {
    const Entry* const group = place(shard, key);
    return 2 * static_cast<std::size_t>(shard.entries) >= shard.table.size() ||
           std::all_of(group, group + kWays, [](const Entry& other) { return (other.state & kUsed) != 0; });
  };
  // Nothing is forgotten while there is room: a kernel takes far longer than a larger table.
  while (shard.table.size() < most_entries_ && must_grow()) grow(shard);
  put(shard, {key, value.value, kUsed | (value.exact ? kExact : 0), 0});
}

std::int64_t SearchCache::entries() const {
  std::int64_t sum = 0;
  for (const Shard& shard : shards_) sum += shard.entries;
  return sum;
}
std::int64_t SearchCache::evictions() const {
  std::int64_t sum = 0;
  for (const Shard& shard : shards_) sum += shard.evictions;
  return sum;
}
std::int64_t SearchCache::bytes() const {
  std::size_t sum = 0;
  for (const Shard& shard : shards_) sum += shard.table.capacity() * sizeof(Entry);
  return static_cast<std::int64_t>(sum);
}

}  // namespace thriftree
