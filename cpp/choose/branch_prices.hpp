// What the branches of a candidate cost where outcomes differ in price: each as much as its
// most expensive outcome.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace thriftree {

class BranchPrices {
 public:
  // The prices of a column's codes, and the codes seen at the node, run by run. No prices: they do not
  // differ.
  BranchPrices(std::span<const double> by_code, std::span<const std::uint32_t> codes) {
    if (by_code.empty()) return;
    least_ = *std::min_element(by_code.begin(), by_code.end());
    for (const std::uint32_t code : codes) prices_.push_back(by_code[code]);
  }

  bool differ() const { return !prices_.empty(); }

  // The least price over that of each branch, where every run is a branch of its own; `more` is added to all.
  std::vector<double> cheapness_apart(double more) const {
    std::vector<double> result;
    for (const double price : prices_) result.push_back((least_ + more) / (price + more));
    return result;
  }
  // The same for two branches: the runs of which `left` says so, and the others.
  template <class Left>
  std::array<double, 2> cheapness(const Left& left) const {
    std::array<double, 2> highest{least_, least_};
    for (std::size_t run = 0; run < prices_.size(); ++run) {
      double& side = highest[left(run) ? 0 : 1];
      side = std::max(side, prices_[run]);
    }
    return cheapness_of(highest[0], highest[1]);
  }

  // The same for many prefixes of an order of the runs against the rest. A last run that is not in the order
  // may be on either side.
  class Prefixes {
   public:
    Prefixes(const BranchPrices& prices, std::span<const std::uint32_t> order) : of_(prices) {
      if (!of_.differ()) return;
      first_.assign(order.size() + 1, of_.least_);
      rest_ = first_;
      for (std::size_t i = 0; i < order.size(); ++i)
        first_[i + 1] = std::max(first_[i], of_.prices_[order[i]]);
      for (std::size_t i = order.size(); i-- > 0;) rest_[i] = std::max(rest_[i + 1], of_.prices_[order[i]]);
      if (order.size() < of_.prices_.size()) last_ = of_.prices_.back();
    }
    std::array<double, 2> cheapness(std::size_t length, bool last_is_left) const {
      const double left = first_[length], right = rest_[length];
      return last_is_left ? of_.cheapness_of(std::max(left, last_), right)
                          : of_.cheapness_of(left, std::max(right, last_));
    }

   private:
    const BranchPrices& of_;
    std::vector<double> first_, rest_;  // highest of the first i in the order, and of those from i on
    double last_ = 0;
  };

 private:
  std::array<double, 2> cheapness_of(double left, double right) const {
    return {least_ / left, least_ / right};
  }

  std::vector<double> prices_;  // by run
  double least_ = 0;            // over all codes
};

}  // namespace thriftree
