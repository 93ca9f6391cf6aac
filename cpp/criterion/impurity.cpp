#include "criterion/impurity.hpp"

#include "criterion/default_filters.hpp"

namespace thriftree {

void Impurity::prepare(std::size_t, bool) {}

double Impurity::decrease(const NodeSums& node, const BranchSums& branches) const {
  double after = 0;
  for (std::size_t v = 0; v < branches.totals.size(); ++v) {
    after += branches.totals[v] / node.total * of({branches.branch(v), branches.totals[v]});
  }
  return of(node) - after;
}

void Impurity::filter_prefixes(const NodeSums& node, const PrefixBatch& batch, double* q) const {
  filter_by_decrease(*this, node, batch, q);
}

void Impurity::filter_stream(const NodeSums& node, StreamBatch& batch, double* q) const {
  filter_by_prefixes(*this, node, batch, q);
}

}  // namespace thriftree
