// Real prices: a feature is paid once on a path or at each test, groups share a set-up, known features are
// free.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "price/price.hpp"

namespace thriftree {

// By column, unless it says otherwise. Delay does not matter to a score: it is a matter of the finished tree.
struct PriceRules {
  std::vector<double> own;          // what the test costs beside its group's set-up
  std::vector<std::int32_t> group;  // -1: in no group
  std::vector<double> setup;        // by group
  std::vector<bool> known;
  bool pay_once = true;
  double asking = 0;  // added to every marginal price, so that a free question is not worth infinitely much
  bool read = false;  // READ competes, where tests are paid once
  bool free_first = false;
  // Own prices by code, of columns that have different ones; `own` is then the dearest. Empty: none have.
  std::vector<std::vector<double>> by_code;
  double budget = std::numeric_limits<double>::infinity();  // what a path may cost, without asking

  // Can a question be free on some path? Then scores cannot be divided by its price.
  bool some_may_be_free() const;
};

class TestPrices final : public PriceModel {
 public:
  // Throws BadInput for lengths that differ, unknown groups, or prices that are negative or not finite.
  explicit TestPrices(PriceRules rules);
  void marginal(std::span<const PathStep> path, std::span<double> prices) const override;
  bool by_outcome(std::span<const PathStep> path, std::uint32_t column,
                  std::vector<double>& prices) const override;
  double asking() const override { return rules_.asking; }
  bool reads() const override { return rules_.read && rules_.pay_once; }
  std::vector<Bundle> bundles(std::span<const PathStep> path) const override;
  bool free_first() const override { return rules_.free_first; }

 private:
  struct Paid {
    std::vector<bool> bought, opened;  // by column, by group
    double in_all = 0;
  };
  Paid paid(std::span<const PathStep> path) const;
  // What column j costs after that, without asking; and beside its own price.
  double added(const Paid& paid, std::size_t j) const;
  double setup(const Paid& paid, std::size_t j) const;
  bool is_free(const Paid& paid, std::size_t j) const;
  bool affordable(const Paid& paid, double added) const;

  PriceRules rules_;
};

}  // namespace thriftree
