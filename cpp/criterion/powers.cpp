// Pairs and Powers (paper 001, Eq. 9). Two sets of a and b objects of different classes have
// (a + b)^l - a^l - b^l = a * b * Q(a, b) with Q of positive terms only; adding class after class, nothing
// cancels. Which of two tests is better is decided in whole numbers as long as n^l has 126 bits.
#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "criterion/criterion.hpp"
#include "criterion/set_function.hpp"
#include "run/control.hpp"
#include "run/cpu.hpp"
#include "table/target.hpp"

namespace thriftree {

namespace {

constexpr int kMostTerms = 32;  // beyond, Q has too many terms and F is got from logarithms

int128 whole_power(double count, int l) {
  int128 power = 1;
  for (int i = 0; i < l; ++i) power *= static_cast<std::int64_t>(count);
  return power;
}

// larger[i] = max of F on the left and on the right of a threshold, for two classes and shares of all
// objects. q holds Q's coefficients, highest power of a first.
THRIFTREE_CPU_CLONES void two_class_powers(const double* a, const double* b, int m, double all_a,
                                           double all_b, const double* q, int n_terms, double scale,
                                           double* larger) {
  std::array<double, kBatch> left, right, b_power, rest_power;
  for (std::size_t i = 0; i < static_cast<std::size_t>(m); ++i) {
    left[i] = right[i] = q[0];
    b_power[i] = rest_power[i] = 1;
  }
  for (int t = 1; t < n_terms; ++t) {
    for (std::size_t i = 0; i < static_cast<std::size_t>(m); ++i) {
      b_power[i] *= b[i];
      rest_power[i] *= all_b - b[i];
      left[i] = left[i] * a[i] + q[t] * b_power[i];
      right[i] = right[i] * (all_a - a[i]) + q[t] * rest_power[i];
    }
  }
  for (std::size_t i = 0; i < static_cast<std::size_t>(m); ++i) {
    const double f = a[i] * b[i] * left[i], g = (all_a - a[i]) * (all_b - b[i]) * right[i];
    larger[i] = scale * (f > g ? f : g);
  }
}

class Powers final : public SetFunction {
 public:
  Powers(int l, double scale) : l_(l), scale_(scale) {
    if (l_ > kMostTerms) return;
    double binomial = 1;
    for (int j = 1; j < l_; ++j) {
      binomial = binomial * (l_ - j + 1) / j;
      terms_.push_back(binomial);
    }
  }

  double value(std::span<const double> counts) const override {
    if (terms_.empty()) {
      const double n = std::accumulate(counts.begin(), counts.end(), 0.0);
      return n > 0 ? std::exp(l_ * std::log(n) + std::log(impure_share(counts, n))) : 0;
    }
    return scale_ * power_form(counts, 1);
  }

  double log_drop(std::span<const double> whole, std::span<const double> part) const override {
    const double n = std::accumulate(whole.begin(), whole.end(), 0.0);
    if (l_ * std::log2(n) < 126) {
      const int128 all = whole_form(whole), left = whole_form(part);
      return log_ratio(static_cast<double>(all), static_cast<double>(all - left), static_cast<double>(left));
    }
    const double rest = std::accumulate(part.begin(), part.end(), 0.0);
    const double left = rest > 0 ? impure_share(part, rest) : 0;
    if (left <= 0) return kAllGone;
    return std::max(0.0, -l_ * std::log1p((rest - n) / n) + std::log(impure_share(whole, n) / left));
  }

  void larger_shares(std::span<const double> whole, const double* left, int m, std::size_t width,
                     double* shares) const override {
    const double n = std::accumulate(whole.begin(), whole.end(), 0.0);
    if (terms_.empty()) {  // a part that is too small for a double is nothing beside the whole
      std::vector<double> right(whole.size());
      for (int i = 0; i < m; ++i) {
        const std::span one(left + static_cast<std::size_t>(i) * width, whole.size());
        for (std::size_t k = 0; k < right.size(); ++k) right[k] = whole[k] - one[k];
        shares[i] = std::exp(-std::min(log_drop(whole, one), log_drop(whole, right)));
      }
    } else if (whole.size() == 2) {
      std::array<double, kBatch> a, b;
      for (std::size_t i = 0; i < static_cast<std::size_t>(m); ++i) {
        a[i] = left[i * width] / n;
        b[i] = left[i * width + 1] / n;
      }
      const double scale = 1 / power_form(whole, n);
      two_class_powers(a.data(), b.data(), m, whole[0] / n, whole[1] / n, terms_.data(), l_ - 1, scale,
                       shares);
    } else {
      std::vector<double> right(whole.size());
      const double scale = 1 / power_form(whole, n);
      for (int i = 0; i < m; ++i) {
        const std::span one(left + static_cast<std::size_t>(i) * width, whole.size());
        for (std::size_t k = 0; k < right.size(); ++k) right[k] = whole[k] - one[k];
        shares[i] = scale * std::max(power_form(one, n), power_form(right, n));
      }
    }
  }

 private:
  // F in units of unit^l.
  double power_form(std::span<const double> counts, double unit) const {
    double before = 0, sum = 0;
    const double scale = 1 / unit;
    for (const double count : counts) {
      if (count == 0) continue;
      const double c = count * scale;
      if (before > 0) {
        double q = terms_[0], c_power = 1;
        for (std::size_t t = 1; t < terms_.size(); ++t) {
          c_power *= c;
          q = q * before + terms_[t] * c_power;
        }
        sum += before * c * q;
      }
      before += c;
    }
    return sum;
  }

  int128 whole_form(std::span<const double> counts) const {
    int128 result = whole_power(std::accumulate(counts.begin(), counts.end(), 0.0), l_);
    for (const double count : counts) result -= whole_power(count, l_);
    return result;
  }

  // F / n^l.
  double impure_share(std::span<const double> counts, double n) const {
    const auto largest = std::max_element(counts.begin(), counts.end());
    double share = -std::expm1(l_ * std::log1p((*largest - n) / n));
    for (auto count = counts.begin(); count != counts.end(); ++count) {
      if (count != largest && *count > 0) share -= std::exp(l_ * std::log(*count / n));
    }
    return std::max(0.0, share);
  }

  int l_;
  double scale_;
  std::vector<double> terms_;  // C(l, 1) .. C(l, l - 1); empty where F is got from logarithms
};

}  // namespace

std::unique_ptr<SetFunction> make_pairs() { return std::make_unique<Powers>(2, 0.5); }

std::unique_ptr<SetFunction> make_powers(int l) {
  if (l < 2) throw BadInput("Powers needs l of at least 2, not " + std::to_string(l));
  return std::make_unique<Powers>(l, 1.0);
}

}  // namespace thriftree
