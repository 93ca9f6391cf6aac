// Real prices as scores see them, node by node of a growing tree. Delay does not matter to a score: it is a
// matter of the finished tree.
#pragma once

#include <span>
#include <vector>

#include "price/price.hpp"
#include "price/prices.hpp"

namespace thriftree {

class TestPrices final : public PriceModel {
 public:
  // The tree may lie below a path that has bought something and paid for it. Throws what `Prices` throws.
  explicit TestPrices(const PriceRules& rules, const PathState& bought = {}, double paid = 0)
      : prices_(Prices(rules).below(bought)), paid_above_(paid) {}
  void marginal(std::span<const PathStep> path, std::span<double> prices) const override;
  bool by_outcome(std::span<const PathStep> path, std::uint32_t column,
                  std::vector<double>& prices) const override;
  double asking() const override { return rules().asking; }
  std::uint32_t read_at_most() const override {
    return rules().read && rules().pay_once ? rules().read_at_most : 0;
  }
  std::vector<Bundle> bundles(std::span<const PathStep> path) const override;
  bool free_first() const override { return rules().free_first; }

 private:
  struct Paid {
    PathState state;
    double in_all = 0;
  };
  const PriceRules& rules() const { return prices_.rules(); }
  Paid paid(std::span<const PathStep> path) const;
  bool affordable(const Paid& paid, double added) const;

  Prices prices_;  // below the path to the root
  double paid_above_;
};

}  // namespace thriftree
