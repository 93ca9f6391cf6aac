// The price of one column where it depends on the outcome. An outcome without a price
// costs as much as the most expensive one.
#pragma once

#include <span>
#include <vector>

namespace thriftree {

// Outcomes are numbers, NaN where missing; or codes of categories, and any number that is no code (missing,
// not in the code book) has no price.
class OutcomePrices {
 public:
  // prices[code]; `highest` and `least` count priced categories that the table lacks, too.
  static OutcomePrices of_codes(std::vector<double> prices, double highest, double least);
  // prices[i] up to and including up_to[i], the last price above all of them.
  static OutcomePrices of_steps(std::vector<double> up_to, std::vector<double> prices);

  bool has_codes() const { return codes_; }
  double highest() const { return highest_; }
  double least() const { return least_; }
  std::span<const double> up_to() const { return up_to_; }    // empty for codes
  std::span<const double> prices() const { return prices_; }  // by code, or by step

  double of(double outcome) const;
  // The highest price of outcomes above `low` and up to `high`.
  double highest_between(double low, double high) const;
  // One outcome for each that cuts or prices tell apart, missing (NaN) and, of codes, one that is in no code
  // book (InputColumn::kOther) included.
  std::vector<double> representatives(std::span<const double> cuts) const;

 private:
  bool codes_ = false;
  std::vector<double> up_to_;
  std::vector<double> prices_;
  double highest_ = 0, least_ = 0;
};

}  // namespace thriftree
