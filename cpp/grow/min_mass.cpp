// A node of at most this share of the sample weight is a leaf.
#include "grow/stop_rule.hpp"

namespace thriftree {

namespace {

class MinMass final : public StopRule {
 public:
  explicit MinMass(double share) : share_(share) {}
  bool ends(const GrowthNode& node, const Growth& growth) const override {
    return node.totals.weight <= share_ * growth.sample_total * (1 + 1e-12);
  }

 private:
  double share_;
};

}  // namespace

StopRuleEntry min_mass_entry() {
  return {{"min_mass", 0, 0, 1, false, "must be a share of the weight, from 0 to 1"},
          [](double share) -> std::unique_ptr<StopRule> {
            return share > 0 ? std::make_unique<MinMass>(share) : nullptr;
          }};
}

}  // namespace thriftree
