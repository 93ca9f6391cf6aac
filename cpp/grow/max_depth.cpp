// A node this deep is a leaf.
#include "grow/stop_rule.hpp"

namespace thriftree {

namespace {

class MaxDepth final : public StopRule {
 public:
  explicit MaxDepth(double depth) : depth_(depth) {}
  bool ends(const GrowthNode& node, const Growth&) const override { return node.depth >= depth_; }

 private:
  double depth_;
};

}  // namespace

StopRuleEntry max_depth_entry() {
  return {{"max_depth", -1, 0, kNoMost, true, "must be a whole number of at least 0, or -1 for none"},
          [](double depth) -> std::unique_ptr<StopRule> {
            return depth >= 0 ? std::make_unique<MaxDepth>(depth) : nullptr;
          }};
}

}  // namespace thriftree
