// Pairs and Powers (paper 001, Eq. 9). Two sets of a and b objects of different classes have
// (a + b)^l - a^l - b^l = a * b * Q(a, b) with Q of positive terms only; adding class after class, nothing
// cancels. Which of two tests is better is decided in whole numbers as long as n^l has at most 126 bits.
#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "criterion/end_pairs.hpp"
#include "criterion/set_function.hpp"
#include "criterion/threshold_batch.hpp"
#include "run/control.hpp"
#include "run/cpu.hpp"
#include "table/target.hpp"

namespace thriftree {

namespace {

constexpr int kMostTerms = 32;  // beyond, Q has too many terms and F is got from logarithms
// Where F is more than this share of n^l, the difference of n^l and the classes' powers has digits enough.
constexpr double kMixed = 0.02;

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
    if (count == 0) continue;
    const auto c = static_cast<Number>(static_cast<std::int64_t>(count));
    n += c;
    powers += power(c);
  }
  return power(n) - powers;
}

template <class Number>
double exact_log_drop(std::span<const double> whole, std::span<const double> part, int l) {
  const Number all = exact_form<Number>(whole, l), left = exact_form<Number>(part, l);
  return log_ratio(static_cast<double>(all), static_cast<double>(all - left), static_cast<double>(left));
}

constexpr std::size_t kLanes = 4;  // classes at a time, as vector code wants
using Lanes = std::array<double, kLanes>;

double sum(const Lanes& x) { return (x[0] + x[1]) + (x[2] + x[3]); }

double power(double x, int l) {
  double result = x;
  for (int t = 1; t < l; ++t) result *= x;
  return result;
}

// larger[i] = max of F on the left and on the right of a threshold, for any classes: n^l - sum of n_i^l, of
// counts times `unit`.
THRIFTREE_BY_CPU(void, many_class_powers,
                 (const double* whole, std::size_t n_classes, const double* left, int m, std::size_t width,
                  int l, double unit, double scale, double* larger),
                 (whole, n_classes, left, m, width, l, unit, scale, larger)) {
  for (int i = 0; i < m; ++i) {
    const double* one = left + static_cast<std::size_t>(i) * width;
    Lanes a{}, a_powers{}, b{}, b_powers{};
    for (std::size_t k = 0; k < n_classes; k += kLanes) {
      Lanes x{}, y{};
      for (std::size_t lane = 0; lane < std::min(kLanes, n_classes - k); ++lane) {
        x[lane] = one[k + lane] * unit;
        y[lane] = whole[k + lane] * unit - x[lane];
      }
      Lanes x_power = x, y_power = y;
      for (int t = 1; t < l; ++t) {
        for (std::size_t lane = 0; lane < kLanes; ++lane) {
          x_power[lane] *= x[lane];
          y_power[lane] *= y[lane];
        }
      }
      for (std::size_t lane = 0; lane < kLanes; ++lane) {
        a[lane] += x[lane];
        a_powers[lane] += x_power[lane];
        b[lane] += y[lane];
        b_powers[lane] += y_power[lane];
      }
    }
    const double f = power(sum(a), l) - sum(a_powers), g = power(sum(b), l) - sum(b_powers);
    larger[i] = scale * (f > g ? f : g);
  }
}

// The same for two classes: a and b are their counts on the left, q Q's coefficients, highest power of a
// first.
THRIFTREE_BY_CPU(void, two_class_powers,
                 (const double* a, const double* b, int m, double all_a, double all_b, const double* q,
                  int n_terms, double unit, double scale, double* larger),
                 (a, b, m, all_a, all_b, q, n_terms, unit, scale, larger)) {
  std::array<double, kBatch> x, y, left, right, y_power, rest_power;
  all_a *= unit;
  all_b *= unit;
  for (std::size_t i = 0; i < static_cast<std::size_t>(m); ++i) {
    x[i] = a[i] * unit;
    y[i] = b[i] * unit;
    left[i] = right[i] = q[0];
    y_power[i] = rest_power[i] = 1;
  }
  for (int t = 1; t < n_terms; ++t) {
    for (std::size_t i = 0; i < static_cast<std::size_t>(m); ++i) {
      y_power[i] *= y[i];
      rest_power[i] *= all_b - y[i];
      left[i] = left[i] * x[i] + q[t] * y_power[i];
      right[i] = right[i] * (all_a - x[i]) + q[t] * rest_power[i];
    }
  }
  for (std::size_t i = 0; i < static_cast<std::size_t>(m); ++i) {
    const double f = x[i] * y[i] * left[i], g = (all_a - x[i]) * (all_b - y[i]) * right[i];
    larger[i] = scale * (f > g ? f : g);
  }
}

// out[i] = x[i]^l, a power at a time for all of them, as vector code wants.
THRIFTREE_BY_CPU(void, powers_of, (const double* x, int m, int l, double* __restrict out), (x, m, l, out)) {
  for (int i = 0; i < m; ++i) out[i] = x[i];
  for (int t = 1; t < l; ++t) {
    for (int i = 0; i < m; ++i) out[i] *= x[i];
  }
}

THRIFTREE_BY_CPU(void, scale_sides,
                 (const double* left, int m, double all, double unit, double* __restrict one,
                  double* __restrict other),
                 (left, m, all, unit, one, other)) {
  for (int i = 0; i < m; ++i) {
    one[i] = left[i] * unit;
    other[i] = all * unit - one[i];
  }
}

THRIFTREE_BY_CPU(void, add_to, (const double* x, int m, double* __restrict sum), (x, m, sum)) {
  for (int i = 0; i < m; ++i) sum[i] += x[i];
}

THRIFTREE_BY_CPU(void, scaled_difference, (const double* x, int m, double scale, double* __restrict from),
                 (x, m, scale, from)) {
  for (int i = 0; i < m; ++i) from[i] = scale * (from[i] - x[i]);
}

// Of one side of every end: objects of all classes, and the sum of the classes' powers.
struct SideOfEnds {
  EndValues objects{}, powers{};

  void add(const double* counts, int m, int l) {
    EndValues power;
    powers_of(counts, m, l, power.data());
    add_to(counts, m, objects.data());
    add_to(power.data(), m, powers.data());
  }
  // F times scale.
  void scaled(int m, int l, double scale, double* out) const {
    powers_of(objects.data(), m, l, out);
    scaled_difference(powers.data(), m, scale, out);
  }
};

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
      return larger_by(whole, left, m, width, shares,
                       [&](std::span<const double> part) { return std::exp(-log_drop(whole, part)); });
    }
    const double all = power_form(whole, n);
    if (all > kMixed)
      return many_class_powers(whole.data(), whole.size(), left, m, width, l_, 1 / n, 1 / all, shares);
    larger_by(whole, left, m, width, shares,
              [&](std::span<const double> part) { return power_form(part, n) / all; });
  }

  void larger_shares_of_two(std::span<const double> whole, const double* first, const double* second, int m,
                            double* shares) const override {
    if (terms_.empty()) return SetFunction::larger_shares_of_two(whole, first, second, m, shares);
    const double n = whole[0] + whole[1];
    two_class_powers(first, second, m, whole[0], whole[1], terms_.data(), l_ - 1, 1 / n,
                     1 / power_form(whole, n), shares);
  }

  void both_shares(std::span<const double> whole, const double* left, std::size_t stride, int m,
                   double* left_shares, double* right_shares) const override {
    const double n = std::accumulate(whole.begin(), whole.end(), 0.0);
    const double all = terms_.empty() ? 0 : power_form(whole, n);
    if (all <= kMixed) return SetFunction::both_shares(whole, left, stride, m, left_shares, right_shares);
    SideOfEnds on_left, on_right;
    EndValues one, other;
    for (std::size_t k = 0; k < whole.size(); ++k) {
      scale_sides(left + k * stride, m, whole[k], 1 / n, one.data(), other.data());
      on_left.add(one.data(), m, l_);
      on_right.add(other.data(), m, l_);
    }
    on_left.scaled(m, l_, 1 / all, left_shares);
    on_right.scaled(m, l_, 1 / all, right_shares);
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
