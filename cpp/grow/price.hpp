// What asking costs. Scores see only `marginal`; rules that depend on the path live behind it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace thriftree {

struct PathStep {
  std::uint32_t column = 0;
  std::int32_t branch = 0;
};

class PriceModel {
 public:
  virtual ~PriceModel() = default;
  virtual bool depends_on_path() const { return true; }
  // prices[j] = what asking column j costs at a node reached by `path` (root first).
  virtual void marginal(std::span<const PathStep> path, std::span<double> prices) const = 0;
};

// The same price everywhere.
class FlatPrices final : public PriceModel {
 public:
  explicit FlatPrices(std::vector<double> prices) : prices_(std::move(prices)) {}
  bool depends_on_path() const override { return false; }
  void marginal(std::span<const PathStep>, std::span<double> prices) const override {
    for (std::size_t j = 0; j < prices.size(); ++j) prices[j] = prices_[j];
  }

 private:
  std::vector<double> prices_;
};

}  // namespace thriftree
