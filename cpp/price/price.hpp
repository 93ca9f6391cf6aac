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

// Columns that share a set-up price and have not been paid for.
struct Bundle {
  std::vector<std::uint32_t> columns;
  std::vector<double> own;  // by column of the bundle
  double setup = 0;         // still to be paid
};

class PriceModel {
 public:
  virtual ~PriceModel() = default;
  virtual bool depends_on_path() const { return true; }
  // The part of every price that is for asking; the rest is for the test.
  virtual double asking() const { return 0; }
  // A column that is paid once competes as if all its codes were asked for (READ) where it has at most so
  // many at the node; 0: none does.
  virtual std::uint32_t read_at_most() const { return 0; }
  // These columns compete so together, where they have at most so many combinations of codes.
  virtual std::vector<Bundle> bundles(std::span<const PathStep> path) const {
    (void)path;
    return {};
  }
  // Are useful tests that are free taken before any other?
  virtual bool free_first() const { return false; }
  // Does the price of a column depend on its outcome? Then prices[code] is the price of each, and `marginal`
  // that of the most expensive outcome.
  virtual bool by_outcome(std::span<const PathStep> path, std::uint32_t column,
                          std::vector<double>& prices) const {
    (void)path, (void)column, (void)prices;
    return false;
  }
  // prices[j] = what asking column j costs at a node reached by `path` (root first); infinity: it cannot be
  // asked there.
  virtual void marginal(std::span<const PathStep> path, std::span<double> prices) const = 0;
};

// Throws BadInput for a price that is negative or not finite; where scores are divided by prices, also for 0.
void check_prices(std::span<const double> prices, bool divide);

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
