// What kernels said of the nodes that were looked at last. A tree is built from the values of its nodes by
// looking at them again, most often right after they were searched.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "search/kernel.hpp"
#include "search/node_bits.hpp"

namespace thriftree {

class KeptAnswers {
 public:
  static constexpr std::size_t kMostBytes = std::size_t{1} << 18, kMost = 32;  // answers

  // Null: it is not kept. What it points to is there until the next `keep`.
  const KernelAnswer* find(const NodeBits& node, int levels);
  // In place of those that were found or kept longest ago.
  void keep(const NodeBits& node, int levels, const KernelAnswer& answer);

  std::size_t size() const { return kept_.size(); }
  std::size_t bytes() const { return bytes_; }

 private:
  struct Kept {
    Hash128 key;
    int levels = 0;
    std::vector<std::int32_t> column;  // as the answer has them
    KernelAnswer answer;
    std::size_t bytes = 0;
    std::uint64_t used = 0;  // when
  };

  std::vector<Kept> kept_;
  std::size_t bytes_ = 0;
  std::uint64_t now_ = 0;
};

}  // namespace thriftree
