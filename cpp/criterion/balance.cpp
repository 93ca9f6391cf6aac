// The most even split (BAL of paper 000): the weight outside the heaviest branch.
#include <algorithm>

#include "criterion/prefix.hpp"
#include "criterion/score.hpp"
#include "criterion/score_registry.hpp"

namespace thriftree {

namespace {

class Balance final : public Score {
 public:
  using Score::Score;
  double decrease(const NodeSums& node, const BranchSums& branches) const override {
    return (node.total - *std::max_element(branches.totals.begin(), branches.totals.end())) / node.total;
  }
  double score(double decrease, const NodeSums& node, const BranchSums&) const override {
    return decrease * node.total;
  }
  void filter_prefixes(const NodeSums& node, const PrefixBatch& batch, double* q) const override {
    for (int i = 0; i < batch.m; ++i) q[i] = std::min(batch.left_total[i], node.total - batch.left_total[i]);
  }
  void filter_stream(const NodeSums& node, StreamBatch& batch, double* q) const override {
    if (batch.weight) return Score::filter_stream(node, batch, q);
    for (int i = 0; i < batch.m; ++i) {
      const double left = batch.left_total + (i + 1);
      q[i] = std::min(left, node.total - left);
    }
    pass_classes(batch);
  }
};

}  // namespace

ScoreEntry balance_entry() {
  ScoreEntry entry;
  entry.name = "balance";
  entry.summary = "weight outside the heaviest branch: the most even split";
  entry.numbers = false;
  entry.statistics = ScoreStatistics::objects;
  entry.make = make_plainly<Balance>;
  return entry;
}

}  // namespace thriftree
