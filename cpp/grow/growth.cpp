#include "grow/growth.hpp"

#include <algorithm>

namespace thriftree {

void ByLevel::opened(const Growth&, std::span<const int> nodes) {
  queue_.insert(queue_.end(), nodes.begin(), nodes.end());
}

std::vector<int> ByLevel::select(const Growth& growth) {
  std::vector<int> batch;
  for (std::int64_t rows = 0; !queue_.empty() && rows < rows_per_batch_;) {
    const GrowthNode& node = growth.nodes[static_cast<std::size_t>(queue_.front())];
    if (node.state == NodeState::open) {
      rows += node.totals.rows;
      batch.push_back(queue_.front());
    }
    queue_.pop_front();
  }
  return batch;
}

void BestFirst::push(const Growth& growth, int node, std::vector<Candidate>& heap) {
  heap.push_back({growth.priority(node), growth.nodes[static_cast<std::size_t>(node)].born, node});
  std::push_heap(heap.begin(), heap.end());
}

int BestFirst::pop(std::vector<Candidate>& heap) {
  std::pop_heap(heap.begin(), heap.end());
  const int node = heap.back().node;
  heap.pop_back();
  return node;
}

void BestFirst::opened(const Growth& growth, std::span<const int> nodes) {
  for (int node : nodes) push(growth, node, heap_);
}

std::vector<int> BestFirst::select(const Growth& growth) {
  while (!heap_.empty()) {
    const int id = pop(heap_);
    const GrowthNode& node = growth.nodes[static_cast<std::size_t>(id)];
    if (node.state != NodeState::open) continue;
    if (growth.n_leaves + node.choice->partition.n_branches - 1 <= max_leaves_) return {id};
  }
  return {};
}

std::vector<int> BestFirst::soon(const Growth& growth, std::span<const int> selected) const {
  std::vector<int> found;
  std::vector<Candidate> heap = heap_;
  int n_leaves = growth.n_leaves;
  for (int node : selected) push(growth, node, heap);
  while (!heap.empty()) {  // the rest of the growth, as if what is not known yet were no better
    const int id = pop(heap);
    const GrowthNode& node = growth.nodes[static_cast<std::size_t>(id)];
    if (node.state != NodeState::open) continue;
    const int more = node.choice->partition.n_branches - 1;
    if (n_leaves + more > max_leaves_) continue;
    n_leaves += more;
    if (node.ahead.empty()) found.push_back(id);
    for (int child : node.ahead) push(growth, child, heap);
  }
  return found;
}

}  // namespace thriftree
