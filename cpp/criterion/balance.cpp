// The most even split (BAL of paper 000): the weight outside the heaviest branch.
#include <algorithm>

#include "criterion/prefix.hpp"
#include "criterion/score.hpp"
#include "criterion/score_registry.hpp"

namespace thriftree {

namespace {

class Balance final : public Score, private ThresholdBound {
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
  const ThresholdBound* bound() const override { return this; }

 private:
  // A branch inside a span weighs at most what it weighs at one of the span's ends, and the lighter of two at
  // most half.
  void look(const NodeSums& node, const SpanEnds& ends, double, double* q, double* upper) const override {
    const double* left = ends.left_total;
    for (int i = 0; i < ends.m; ++i) q[i] = std::min(left[i], node.total - left[i]);
    for (int i = 0; i + 1 < ends.m; ++i)
      upper[i] = std::min({left[i + 1], node.total - left[i], node.total / 2});
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
