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
  // Throws what `Prices` throws.
  explicit TestPrices(PriceRules rules) : prices_(std::move(rules)) {}
  void marginal(std::span<const PathStep> path, std::span<double> prices) const override;
  bool by_outcome(std::span<const PathStep> path, std::uint32_t column,
                  std::vector<double>& prices) const override;
  double asking() const override { return rules().asking; }
  bool reads() const override { return rules().read && rules().pay_once; }
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

  Prices prices_;
};

}  // namespace thriftree
