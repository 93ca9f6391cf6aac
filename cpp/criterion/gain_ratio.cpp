// Gain ratio (paper 003, Eq. 13): information gain over the information of the split itself. As in C4.5, a
// column's best threshold is the one of largest gain; the ratio compares columns.
#include <cmath>

#include "criterion/impurity_decrease.hpp"
#include "criterion/score_registry.hpp"

namespace thriftree {

namespace {

class GainRatio final : public ImpurityDecrease {
 public:
  using ImpurityDecrease::ImpurityDecrease;
  double highest_score(const NodeSums& node) const override { return Score::highest_score(node); }
  double score(double decrease, const NodeSums& node, const BranchSums& branches) const override {
    double split_information = 0;
    for (double w : branches.totals) split_information -= w / node.total * std::log2(w / node.total);
    return split_information > 0 ? decrease / split_information : 0;
  }
  // The column of the largest gain need not be that of the largest ratio.
  const ThresholdBound* bound() const override { return nullptr; }
};

}  // namespace

ScoreEntry gain_ratio_entry() {
  ScoreEntry entry;
  entry.name = "gain_ratio";
  entry.summary = "decrease of entropy over the entropy of the branches' weights";
  entry.numbers = false;
  entry.stands_on = "entropy";
  entry.make = make_plainly<GainRatio>;
  return entry;
}

}  // namespace thriftree
