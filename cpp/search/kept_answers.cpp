#include "search/kept_answers.hpp"

#include <algorithm>
#include <utility>

namespace thriftree {

namespace {

template <class T>
std::size_t bytes_of(const std::vector<T>& values) {
  return values.size() * sizeof(T);
}

std::size_t bytes_of(const KernelAnswer& answer) {
  return bytes_of(answer.side) + bytes_of(answer.base) + bytes_of(answer.pay) + bytes_of(answer.payers) +
         bytes_of(answer.price);
}

}  // namespace

const KernelAnswer* KeptAnswers::find(const NodeBits& node, int levels) {
  const Hash128 key = node.key();
  for (Kept& one : kept_) {
    if (one.key != key || one.levels != levels || one.column != node.column) continue;
    one.used = ++now_;
    return &one.answer;
  }
  return nullptr;
}

void KeptAnswers::keep(const NodeBits& node, int levels, const KernelAnswer& answer) {
  Kept one{node.key(), levels, node.column, answer, 0, ++now_};
  one.bytes = sizeof(Kept) + bytes_of(one.column) + bytes_of(one.answer);
  if (one.bytes > kMostBytes) return;
  while (kept_.size() >= kMost || bytes_ + one.bytes > kMostBytes) {
    const auto oldest = std::min_element(kept_.begin(), kept_.end(),
                                         [](const Kept& a, const Kept& b) { return a.used < b.used; });
    bytes_ -= oldest->bytes;
    if (oldest != kept_.end() - 1) *oldest = std::move(kept_.back());
    kept_.pop_back();
  }
  bytes_ += one.bytes;
  kept_.push_back(std::move(one));
}

}  // namespace thriftree
