#include "criterion/criterion.hpp"

#include <stdexcept>

namespace thriftree {

void Criterion::prepare(std::size_t, bool) {}

double Criterion::decrease(const NodeSums& node, const BranchSums& branches) const {
  double after = 0;
  for (std::size_t v = 0; v < branches.totals.size(); ++v) {
    after += branches.totals[v] / node.total * impurity({branches.branch(v), branches.totals[v]});
  }
  return impurity(node) - after;
}

double Criterion::score(double decrease, const NodeSums&, const BranchSums&) const { return decrease; }

void Criterion::filter_prefixes(const NodeSums& node, const PrefixBatch& batch, double* q) const {
  const std::size_t width = this->width(node);
  std::vector<double> both(2 * width);
  for (int i = 0; i < batch.m; ++i) {
    const double* left = batch.left + static_cast<std::size_t>(i) * width;
    for (std::size_t k = 0; k < width; ++k) {
      both[k] = left[k];
      both[width + k] = node.sums[k] - left[k];
    }
    const double totals[2] = {batch.left_total[i], node.total - batch.left_total[i]};
    q[i] = totals[0] > 0 && totals[1] > 0 ? node.total * decrease(node, {both, totals})
                                          : -std::numeric_limits<double>::infinity();
  }
}

void Criterion::filter_stream(const NodeSums& node, StreamBatch& batch, double* q) const {
  for (int i = 0; i < batch.m; ++i) {
    const double w = batch.weight ? batch.weight[i] : 1.0;
    if (batch.moment) {
      batch.left[0] += w;
      batch.left[1] += batch.moment[i];
    } else {
      batch.left[batch.label[i]] += w;
    }
    batch.left_total += w;
    if (!batch.boundary[i]) continue;
    const PrefixBatch one{1, batch.left.data(), &batch.left_total};
    filter_prefixes(node, one, q + i);
  }
}

void Criterion::score_candidates(const NodeSums&, std::span<const double>, std::size_t, std::size_t, double,
                                 std::span<double>) const {
  throw std::logic_error("this criterion does not score in batches");
}

}  // namespace thriftree
