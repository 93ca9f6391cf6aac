#include "criterion/score.hpp"

#include "criterion/default_filters.hpp"
#include "criterion/inner_sums.hpp"

namespace thriftree {

Score::Score(std::unique_ptr<Impurity> impurity, const Statistics& statistics)
    : impurity_(std::move(impurity)), statistics_(statistics) {}

double Score::impurity_of(const NodeSums& node) const {
  return impurity_->of(InnerSums(node, statistics_, for_numbers()).view());
}

double Score::impurity_decrease(const NodeSums& node, const BranchSums& branches) const {
  const InnerSums inner(node, statistics_, for_numbers());
  if (statistics_.class_factors.empty())
    return impurity_->decrease(inner.view(), branches.first(statistics_.base));
  return impurity_->decrease(inner.view(), InnerBranches(branches, statistics_).view());
}

double Score::counted(std::span<const double> sums, double total) const {
  if (statistics_.class_factors.empty()) return total;
  double result = 0;
  for (std::size_t k = 0; k < statistics_.base; ++k) result += sums[k] * statistics_.class_factors[k];
  return result;
}

double Score::score(double decrease, const NodeSums&, const BranchSums&) const { return decrease; }

double Score::per_price(double score, double price, double) const { return score / price; }

bool Score::done(const NodeSums&) const { return false; }

void Score::filter_prefixes(const NodeSums& node, const PrefixBatch& batch, double* q) const {
  filter_by_decrease(*this, node, batch, q);
}

void Score::filter_stream(const NodeSums& node, StreamBatch& batch, double* q) const {
  filter_by_prefixes(*this, node, batch, q);
}

double Score::filter_error(const NodeSums& node) const { return 1e-13 * node.total; }

}  // namespace thriftree
