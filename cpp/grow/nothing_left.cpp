// The rules of every fit: nothing is left to tell apart, or nothing that the score would gain by.
#include "grow/nothing_left.hpp"

namespace thriftree {

namespace {

class NothingLeft final : public StopRule {
 public:
  bool ends(const GrowthNode& node, const Growth&) const override {
    return node.totals.pure || node.totals.objects < 2 || node.columns->empty();
  }
};

class ScoreSatisfied final : public StopRule {
 public:
  explicit ScoreSatisfied(const Score& score) : score_(score) {}
  bool ends(const GrowthNode& node, const Growth&) const override { return score_.done(node.totals.view()); }

 private:
  const Score& score_;
};

}  // namespace

std::unique_ptr<StopRule> make_nothing_left() { return std::make_unique<NothingLeft>(); }
std::unique_ptr<StopRule> make_score_satisfied(const Score& score) {
  return std::make_unique<ScoreSatisfied>(score);
}

}  // namespace thriftree
