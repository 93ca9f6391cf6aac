// 128-bit keys of sets: the exclusive or of a random number for each member. Two different sets share a key
// with probability 2^-128 a pair.
#pragma once

#include <cstddef>
#include <cstdint>

namespace thriftree {

struct Hash128 {
  std::uint64_t low = 0, high = 0;

  Hash128& operator^=(const Hash128& other) {
    low ^= other.low;
    high ^= other.high;
    return *this;
  }
  friend bool operator==(const Hash128&, const Hash128&) = default;
};

// A fixed random number for each index, the same on every machine.
inline Hash128 hash_of(std::uint64_t index) {
  const auto mixed = [](std::uint64_t x) {
    x += 0x9e3779b97f4a7c15U;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
    return x ^ (x >> 31);
  };
  return {mixed(2 * index), mixed(2 * index + 1)};
}

struct HashOfHash {
  std::size_t operator()(const Hash128& hash) const { return hash.low; }
};

}  // namespace thriftree
