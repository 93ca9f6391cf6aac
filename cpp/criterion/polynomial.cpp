// Polynomials in the objects per class (paper 001, Eq. 8).
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "criterion/set_function.hpp"
#include "run/control.hpp"

namespace thriftree {

namespace {

class Polynomial final : public SetFunction {
 public:
  Polynomial(std::vector<double> coefficients, std::vector<std::vector<int>> exponents)
      : coefficients_(std::move(coefficients)), exponents_(std::move(exponents)) {}

  double value(std::span<const double> counts) const override {
    check(counts);
    double sum = 0;
    for (std::size_t t = 0; t < coefficients_.size(); ++t) {
      double term = coefficients_[t];
      for (std::size_t k = 0; k < counts.size(); ++k) {
        if (exponents_[t][k] > 0) term *= std::pow(counts[k], exponents_[t][k]);
        if (term == 0) break;
      }
      sum += term;
    }
    return sum;
  }

  double log_drop(std::span<const double> whole, std::span<const double> part) const override {
    if (std::isfinite(value(whole))) return SetFunction::log_drop(whole, part);
    const double left = log_value(part);
    return std::isinf(left) ? kAllGone : std::max(0.0, log_value(whole) - left);
  }

  void larger_shares(std::span<const double> whole, const double* left, int m, std::size_t width,
                     double* shares) const override {
    if (std::isfinite(value(whole))) return SetFunction::larger_shares(whole, left, m, width, shares);
    const double all = log_value(whole);
    larger_by(whole, left, m, width, shares,
              [&](std::span<const double> part) { return std::exp(log_value(part) - all); });
  }

 private:
  void check(std::span<const double> counts) const {
    if (exponents_[0].size() == counts.size()) return;
    throw BadInput("the polynomial has exponents for " + std::to_string(exponents_[0].size()) +
                   " classes, but there are " + std::to_string(counts.size()));
  }

  // ln F, for numbers that no double holds.
  double log_value(std::span<const double> counts) const {
    std::vector<double> logs;
    for (std::size_t t = 0; t < coefficients_.size(); ++t) {
      double log = std::log(coefficients_[t]);
      for (std::size_t k = 0; k < counts.size(); ++k) {
        if (exponents_[t][k] > 0) log += exponents_[t][k] * std::log(counts[k]);
      }
      logs.push_back(log);
    }
    const double largest = *std::max_element(logs.begin(), logs.end());
    if (std::isinf(largest)) return largest;
    double sum = 0;
    for (const double log : logs) sum += std::exp(log - largest);
    return largest + std::log(sum);
  }

  std::vector<double> coefficients_;
  std::vector<std::vector<int>> exponents_;
};

}  // namespace

std::unique_ptr<SetFunction> make_polynomial(std::vector<double> coefficients,
                                             std::vector<std::vector<int>> exponents) {
  if (coefficients.empty() || coefficients.size() != exponents.size())
    throw BadInput("Polynomial needs at least one term, and a list of exponents for each coefficient");
  for (std::size_t t = 0; t < coefficients.size(); ++t) {
    const std::string term = "term " + std::to_string(t) + " of Polynomial ";
    if (!(coefficients[t] >= 0) || !std::isfinite(coefficients[t]))
      throw BadInput(term + "must have a coefficient that is finite and not negative");
    if (exponents[t].size() != exponents[0].size())
      throw BadInput(term + "must have as many exponents as the first: one per class");
    std::size_t n_used = 0;
    for (const int exponent : exponents[t]) {
      if (exponent < 0) throw BadInput(term + "has a negative exponent");
      n_used += exponent > 0;
    }
    if (n_used < 2)
      throw BadInput(term + "must use at least two classes: a set of one class must have F = 0");
  }
  return std::make_unique<Polynomial>(std::move(coefficients), std::move(exponents));
}

}  // namespace thriftree
