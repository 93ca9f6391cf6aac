#include "choose/choice_memory.hpp"

#include <algorithm>
#include <numeric>

namespace thriftree {

ChoiceMemory::ChoiceMemory(VariantChooser& chooser, int n_variants)
    : chooser_(chooser), all_(static_cast<std::size_t>(n_variants)) {
  std::iota(all_.begin(), all_.end(), 0);
}

int ChoiceMemory::add_root(const NodeTotals& totals) {
  nodes_.push_back({totals, all_, false, {}, {}});
  return 0;
}

const std::vector<int>* ChoiceMemory::children(int id, const Partition& partition) {
  for (const auto& entry : node(id).children) {
    if (entry.partition == partition) return &entry.nodes;
  }
  return nullptr;
}

const std::vector<int>& ChoiceMemory::add_children(int id, const Partition& partition,
                                                   const std::vector<NodeTotals>& totals) {
  std::vector<int> variants;
  for (std::size_t i = 0; i < node(id).variants.size(); ++i) {
    const auto& choice = node(id).chosen[i].choice;
    if (choice && choice->partition == partition) variants.push_back(node(id).variants[i]);
  }
  Node::Children entry{partition, {}};
  for (const NodeTotals& total : totals) {
    entry.nodes.push_back(n_nodes());
    nodes_.push_back({total, variants, false, {}, {}});
  }
  node(id).children.push_back(std::move(entry));
  return node(id).children.back().nodes;
}

bool ChoiceMemory::is_shared(int id, const Partition& partition) const {
  const Node& n = nodes_[static_cast<std::size_t>(id)];
  return std::count_if(n.chosen.begin(), n.chosen.end(), [&](const Chosen& one) {
           return one.choice && one.choice->partition == partition;
         }) > 1;
}

const Chosen& ChoiceMemory::chosen(int id, int variant) const {
  const Node& n = nodes_[static_cast<std::size_t>(id)];
  const auto at = std::lower_bound(n.variants.begin(), n.variants.end(), variant);
  return n.chosen[static_cast<std::size_t>(at - n.variants.begin())];
}

std::int64_t ChoiceMemory::rows_of_distinct_nodes() const {
  std::int64_t rows = 0;
  for (const Node& n : nodes_) rows += n.counted() ? n.totals.rows : 0;
  return rows;
}

bool ChoiceMemory::needs_rows(int id, int variant) {
  std::vector<int> stack{id};
  while (!stack.empty()) {
    const Node& n = node(stack.back());
    const int current = stack.back();
    stack.pop_back();
    if (n.leaf) continue;
    if (!n.counted()) return true;
    const auto& choice = chosen(current, variant).choice;
    if (!choice) continue;
    const auto* below = children(current, choice->partition);
    if (!below) return true;
    stack.insert(stack.end(), below->begin(), below->end());
  }
  return false;
}

}  // namespace thriftree
