// The baselines of paper 000: impure pairs (IP) and the most even split (BAL).
#include <algorithm>

#include "criterion/inner_sums.hpp"
#include "criterion/object_scores.hpp"

namespace thriftree {

namespace {

class Baseline : public Criterion {
 public:
  Baseline(std::unique_ptr<Criterion> impurity, const Channels& channels)
      : impurity_(std::move(impurity)), channels_(channels) {}
  void prepare(std::size_t n_rows, bool unit) override { impurity_->prepare(n_rows, unit); }
  std::size_t plain_width(const NodeSums&) const override { return channels_.base; }
  double impurity(const NodeSums& node) const override {
    return impurity_->impurity(InnerSums(node, channels_, false).view());
  }
  double score(double decrease, const NodeSums& node, const BranchSums&) const override {
    return decrease * node.total;
  }
  bool reads_streams() const override { return false; }

 protected:
  const Channels& channels() const { return channels_; }

 private:
  std::unique_ptr<Criterion> impurity_;
  Channels channels_;
};

class ImpurePairs final : public Baseline {
 public:
  ImpurePairs(std::unique_ptr<Criterion> impurity, const Channels& channels, bool weighted)
      : Baseline(std::move(impurity), channels), weighted_(weighted) {}

  double decrease(const NodeSums& node, const BranchSums& branches) const override {
    double result = pairs(node.sums);
    for (std::size_t v = 0; v < branches.totals.size(); ++v) result -= pairs(branches.branch(v));
    return result / node.total;
  }
  // Counts of pairs are whole numbers, weights are not.
  double filter_error(const NodeSums& node) const override { return 1e-13 * pairs(node.sums); }

 private:
  double pairs(std::span<const double> sums) const {
    return objects_and_pairs(weighted_ ? sums.first(channels().base) : object_counts(sums, channels())).pairs;
  }
  bool weighted_;
};

class Balance final : public Baseline {
 public:
  using Baseline::Baseline;
  double decrease(const NodeSums& node, const BranchSums& branches) const override {
    return (node.total - *std::max_element(branches.totals.begin(), branches.totals.end())) / node.total;
  }
};

}  // namespace

std::unique_ptr<Criterion> make_impure_pairs(std::unique_ptr<Criterion> impurity, const Channels& channels,
                                             bool weighted) {
  return std::make_unique<ImpurePairs>(std::move(impurity), channels, weighted);
}

std::unique_ptr<Criterion> make_balance(std::unique_ptr<Criterion> impurity, const Channels& channels) {
  return std::make_unique<Balance>(std::move(impurity), channels);
}

}  // namespace thriftree
