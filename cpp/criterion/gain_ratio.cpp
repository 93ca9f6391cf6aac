// Gain ratio (paper 003, Eq. 13): information gain over the information of the split itself. As in C4.5, a
// column's best threshold is the one of largest gain; the ratio compares columns.
#include <cmath>

#include "criterion/information.hpp"
#include "criterion/registry.hpp"

namespace thriftree {

namespace {

class GainRatio final : public Entropy {
 public:
  std::string summary() const override {
    return "decrease of entropy over the entropy of the branches' weights";
  }
  double score(double decrease, const NodeSums& node, const BranchSums& branches) const override {
    double split_information = 0;
    for (double w : branches.totals) split_information -= w / node.total * std::log2(w / node.total);
    return split_information > 0 ? decrease / split_information : 0;
  }
};

}  // namespace

std::unique_ptr<Criterion> make_gain_ratio() { return std::make_unique<GainRatio>(); }

}  // namespace thriftree
