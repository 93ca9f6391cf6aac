// A split's share of the weight times its decrease must reach this.
#include "grow/stop_rule.hpp"

namespace thriftree {

namespace {

class MinDecrease final : public StopRule {
 public:
  explicit MinDecrease(double least) : least_(least) {}
  bool refuses(const GrowthNode& node, const Growth& growth) const override {
    return growth.priority(node) < least_;
  }

 private:
  double least_;
};

}  // namespace

StopRuleEntry min_decrease_entry() {
  return {{"min_decrease", 0, 0, kNoMost, false, "must be a number of at least 0"},
          [](double least) -> std::unique_ptr<StopRule> {
            return least > 0 ? std::make_unique<MinDecrease>(least) : nullptr;
          }};
}

}  // namespace thriftree
