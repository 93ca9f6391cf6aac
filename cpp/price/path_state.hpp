// What a path has paid for, as a set of bits: `Prices` says which bit means what. A search holds millions of
// these, so up to 128 bits lie in the object itself.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace thriftree {

class PathState {
 public:
  PathState() = default;
  PathState(const PathState& other) : n_words_(other.n_words_) {
    if (!is_inline()) heap_ = new std::uint64_t[n_words_];
    std::copy(other.words(), other.words() + n_words_, words());
  }
  PathState(PathState&& other) noexcept { swap(other); }
  PathState& operator=(PathState other) noexcept {
    swap(other);
    return *this;
  }
  ~PathState() {
    if (!is_inline()) delete[] heap_;
  }

  bool has(std::size_t bit) const {
    return bit / 64 < n_words_ && (words()[bit / 64] >> (bit % 64) & 1) != 0;
  }
  void add(std::size_t bit) {
    if (bit / 64 >= n_words_) grow(bit / 64 + 1);
    words()[bit / 64] |= std::uint64_t{1} << (bit % 64);
  }

  bool operator==(const PathState& other) const {
    return n_words_ == other.n_words_ && std::equal(words(), words() + n_words_, other.words());
  }
  std::size_t hash(std::uint64_t seed = 0) const {
    std::uint64_t mixed = n_words_ ^ seed;
    for (std::size_t i = 0; i < n_words_; ++i) {
      mixed = (mixed ^ words()[i]) * 0x9e3779b97f4a7c15u;
      mixed ^= mixed >> 32;
    }
    return static_cast<std::size_t>(mixed);
  }

 private:
  static constexpr std::size_t kInline = 2;

  bool is_inline() const { return n_words_ == kInline; }
  std::uint64_t* words() { return is_inline() ? inline_ : heap_; }
  const std::uint64_t* words() const { return is_inline() ? inline_ : heap_; }

  // To exactly as many words as the highest bit needs, so that equal sets have equal words.
  void grow(std::size_t n_words) {
    auto* more = new std::uint64_t[n_words]();
    std::copy(words(), words() + n_words_, more);
    if (!is_inline()) delete[] heap_;
    heap_ = more;
    n_words_ = static_cast<std::uint32_t>(n_words);
  }
  void swap(PathState& other) noexcept {
    std::swap(n_words_, other.n_words_);
    std::swap(inline_, other.inline_);  // the pointer with it: it lies in the first word
  }

  std::uint32_t n_words_ = kInline;
  union {
    std::uint64_t inline_[kInline] = {0, 0};
    std::uint64_t* heap_;
  };
};

}  // namespace thriftree
