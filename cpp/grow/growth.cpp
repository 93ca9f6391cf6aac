#include "grow/growth.hpp"

#include <algorithm>

namespace thriftree {

namespace {

// A batch holds about this many rows, so that small nodes share the cost of a pass and memory stays bounded.
constexpr std::int64_t kRowsPerBatch = 32768;

}  // namespace

void DepthFirst::opened(const Growth&, std::span<const int> nodes) {
  stack_.insert(stack_.end(), nodes.begin(), nodes.end());
}

std::vector<int> DepthFirst::select(const Growth& growth) {
  std::vector<int> batch;
  for (std::int64_t rows = 0; !stack_.empty() && rows < kRowsPerBatch;) {
    const GrowthNode& node = growth.nodes[static_cast<std::size_t>(stack_.back())];
    if (node.state == NodeState::open) {
      rows += node.totals.rows;
      batch.push_back(stack_.back());
    }
    stack_.pop_back();
  }
  return batch;
}

void BestFirst::opened(const Growth& growth, std::span<const int> nodes) {
  for (int node : nodes) {
    heap_.push_back({growth.priority(node), node});
    std::push_heap(heap_.begin(), heap_.end());
  }
}

std::vector<int> BestFirst::select(const Growth& growth) {
  while (!heap_.empty()) {
    std::pop_heap(heap_.begin(), heap_.end());
    const int id = heap_.back().node;
    heap_.pop_back();
    const GrowthNode& node = growth.nodes[static_cast<std::size_t>(id)];
    if (node.state != NodeState::open) continue;
    if (growth.n_leaves + node.choice->partition.n_branches - 1 <= max_leaves_) return {id};
  }
  return {};
}

}  // namespace thriftree
