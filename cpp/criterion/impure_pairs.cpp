// Impure pairs (IP of paper 000): the pairs of objects of different classes that a test separates.
#include "criterion/end_pairs.hpp"
#include "criterion/inner_sums.hpp"
#include "criterion/score.hpp"
#include "criterion/score_registry.hpp"
#include "criterion/split_pairs.hpp"

namespace thriftree {

namespace {

class ImpurePairs final : public Score, private ThresholdBound {
 public:
  using Score::Score;

  double decrease(const NodeSums& node, const BranchSums& branches) const override {
    double result = pairs(node.sums);
    for (std::size_t v = 0; v < branches.totals.size(); ++v) result -= pairs(branches.branch(v));
    return result / node.total;
  }
  double score(double decrease, const NodeSums& node, const BranchSums&) const override {
    return decrease * node.total;
  }

  void filter_prefixes(const NodeSums& node, const PrefixBatch& batch, double* q) const override {
    SplitPairs split;
    const double* left = batch.left + (statistics().counts ? statistics().counts_at() : 0);
    split.of_prefixes(left, batch.m, width(node), counted(node.sums));
    separated(split, node, batch.m, q);
  }
  void filter_stream(const NodeSums& node, StreamBatch& batch, double* q) const override {
    if (batch.weight) return Score::filter_stream(node, batch, q);
    SplitPairs split;
    split.of_rows(batch, node.sums);
    separated(split, node, batch.m, q);
  }
  double filter_error(const NodeSums& node) const override { return 1e-13 * pairs(node.sums); }
  const ThresholdBound* bound() const override { return this; }

 private:
  void look(const NodeSums& node, const SpanEnds& ends, double, double* q, double* upper) const override {
    const double* left = ends.left + (statistics().counts ? statistics().counts_at() * ends.stride : 0);
    look_at_pairs(left, ends.stride, ends.m, counted(node.sums), q, upper);
  }
  std::span<const double> counted(std::span<const double> sums) const {
    return object_counts(sums, statistics());
  }
  double pairs(std::span<const double> sums) const { return objects_and_pairs(counted(sums)).pairs; }
  void separated(const SplitPairs& split, const NodeSums& node, int m, double* q) const {
    const double all = pairs(node.sums);
    for (std::size_t i = 0; i < static_cast<std::size_t>(m); ++i) q[i] = all - split.left[i] - split.right[i];
  }
};

// The same with pairs times the weight of where they are, before and after, as the authors of paper 000 have
// it in their program: p(S)·φ(S) minus the sum of p(S_v)·φ(S_v). It has no bound inside ranges of values.
class WeighedImpurePairs final : public Score {
 public:
  using Score::Score;

  double decrease(const NodeSums& node, const BranchSums& branches) const override {
    double result = weighed(node.total, node.sums);
    for (std::size_t v = 0; v < branches.totals.size(); ++v)
      result -= weighed(branches.totals[v], branches.branch(v));
    return result / node.total;
  }
  double score(double decrease, const NodeSums& node, const BranchSums&) const override {
    return decrease * node.total;
  }
  double filter_error(const NodeSums& node) const override { return 1e-13 * weighed(node.total, node.sums); }

 private:
  double weighed(double weight, std::span<const double> sums) const {
    return weight * objects_and_pairs(object_counts(sums, statistics())).pairs;
  }
};

}  // namespace

ScoreEntry impure_pairs_entry() {
  ScoreEntry entry;
  entry.name = "impure_pairs";
  entry.summary = "pairs of objects of different classes that a test separates";
  entry.numbers = false;
  entry.statistics = ScoreStatistics::objects;
  entry.parameters = {{"weighted_pairs", 0, 0, 1, true, "must be true or false"}};
  entry.make = [](ScoreParts parts) -> std::unique_ptr<Score> {
    if (parts.value("weighted_pairs") != 0)
      return std::make_unique<WeighedImpurePairs>(std::move(parts.impurity), parts.statistics);
    return std::make_unique<ImpurePairs>(std::move(parts.impurity), parts.statistics);
  };
  return entry;
}

}  // namespace thriftree
