// Pairs and Powers (paper 001, Eq. 9). Two sets of a and b objects of different classes have
// (a + b)^l - a^l - b^l = a * b * Q(a, b) with Q of positive terms only; adding class after class, nothing
// cancels. Which of two tests is better is decided in whole numbers as long as n^l has at most 126 bits.
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

// F in numbers that hold n^l to the last digit.
template <class Number>
Number exact_form(std::span<const double> counts, int l) {
  const auto power = [l](Number count) {
    Number result = count;
    for (int i = 1; i < l; ++i) result *= count;
    return result;
  };
  Number n = 0, powers = 0;
  for (const double count : counts) {
    n += static_cast<Number>(count);
    powers += power(static_cast<Number>(count));
  }
  return power(n) - powers;
}

template <class Number>
double exact_log_drop(std::span<const double> whole, std::span<const double> part, int l) {
  const Number all = exact_form<Number>(whole, l), left = exact_form<Number>(part, l);
  return log_ratio(static_cast<double>(all), static_cast<double>(all - left), static_cast<double>(left));
}

// 2 F of the left and of the right of thresholds, for l = 2 and any classes; the larger, times `scale`.
THRIFTREE_CPU_CLONES void larger_pairs(const double* whole, std::size_t n_classes, const double* left, int m,
                                       std::size_t width, double scale, double* larger) {
  for (int i = 0; i < m; ++i) {
    const double* one = left + static_cast<std::size_t>(i) * width;
    std::array<double, 4> a{}, a_squares{}, b{}, b_squares{};  // four sums at a time, as vector code wants
    const auto add = [&](std::size_t k, std::size_t lane) {
      const double l = one[k], r = whole[k] - l;
      a[lane] += l;
      a_squares[lane] += l * l;
      b[lane] += r;
      b_squares[lane] += r * r;
    };
    std::size_t k = 0;
    for (; k + 4 <= n_classes; k += 4) {
      for (std::size_t lane = 0; lane < 4; ++lane) add(k + lane, lane);
    }
    for (; k < n_classes; ++k) add(k, 0);
    const auto sum = [](const std::array<double, 4>& x) { return (x[0] + x[1]) + (x[2] + x[3]); };
    const double f = sum(a) * sum(a) - sum(a_squares), g = sum(b) * sum(b) - sum(b_squares);
    larger[i] = scale * (f > g ? f : g);
  }
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
  Powers(int l, double scale)
      : l_(l), scale_(scale), most_for_double_(std::exp2(53.0 / l)), most_for_int128_(std::exp2(126.0 / l)) {
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
    if (n < most_for_double_) return exact_log_drop<double>(whole, part, l_);
    if (n < most_for_int128_) return exact_log_drop<int128>(whole, part, l_);
    const double rest = std::accumulate(part.begin(), part.end(), 0.0);
    const double left = rest > 0 ? impure_share(part, rest) : 0;
    if (left <= 0) return kAllGone;
    return std::max(0.0, -l_ * std::log1p((rest - n) / n) + std::log(impure_share(whole, n) / left));
  }

  void larger_shares(std::span<const double> whole, const double* left, int m, std::size_t width,
                     double* shares) const override {
    const double n = std::accumulate(whole.begin(), whole.end(), 0.0);
    if (terms_.empty()) {  // a part that is too small for a double is nothing beside the whole
      larger_by(whole, left, m, width, shares,
                [&](std::span<const double> part) { return std::exp(-log_drop(whole, part)); });
    } else if (whole.size() == 2) {
      std::array<double, kBatch> a, b;
      for (std::size_t i = 0; i < static_cast<std::size_t>(m); ++i) {
        a[i] = left[i * width] / n;
        b[i] = left[i * width + 1] / n;
      }
      const double scale = 1 / power_form(whole, n);
      two_class_powers(a.data(), b.data(), m, whole[0] / n, whole[1] / n, terms_.data(), l_ - 1, scale,
                       shares);
    } else if (l_ == 2 && n < most_for_double_) {
      larger_pairs(whole.data(), whole.size(), left, m, width, 1 / power_form(whole, 1), shares);
    } else {
      const double scale = 1 / power_form(whole, n);
      larger_by(whole, left, m, width, shares,
                [&](std::span<const double> part) { return scale * power_form(part, n); });
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
  double most_for_double_, most_for_int128_;  // up to so many objects n^l fits
  std::vector<double> terms_;                 // C(l, 1) .. C(l, l - 1); empty where F is got from logarithms
};

}  // namespace

std::unique_ptr<SetFunction> make_pairs() { return std::make_unique<Powers>(2, 0.5); }

std::unique_ptr<SetFunction> make_powers(int l) {
  if (l < 2) throw BadInput("Powers needs l of at least 2, not " + std::to_string(l));
  return std::make_unique<Powers>(l, 1.0);
}

}  // namespace thriftree
