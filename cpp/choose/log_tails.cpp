#include "choose/log_tails.hpp"

#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numbers>

namespace thriftree {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kTermRounding = std::numeric_limits<double>::epsilon() / 4;
constexpr double kConverged = 1e-15;  // of a factor of a continued fraction, from 1
constexpr double kMostFactors = 1e6;  // many times what degrees of freedom of any table need
const double kLogTwoPi = std::log(2 * std::numbers::pi);

// log Γ(a + 1) less Stirling's (a + ½) log a - a + ½ log 2π, for a >= 10: DLMF 5.11.1.
double stirling_error_far(double a) {
  const double square = 1 / (a * a);
  double sum = 1.0 / 156;
  for (const double term : {-691.0 / 360360, 1.0 / 1188, -1.0 / 1680, 1.0 / 1260, -1.0 / 360, 1.0 / 12})
    sum = sum * square + term;
  return sum / a;
}

// For any a > 0: from Γ(a + 1) = Γ(far + 1) / ((a + 1) ... far).
double stirling_error_near(double a) {
  double far = a, product = 1;
  while (far < 10) product *= far += 1;
  return stirling_error_far(far) + (far + 0.5) * std::log(far) - (a + 0.5) * std::log(a) - (far - a) -
         std::log(product);
}

double stirling_error(double a) {
  constexpr std::size_t n = 20;  // halves below 10
  static const std::array<double, n> of_halves = [] {
    std::array<double, n> made{};
    for (std::size_t i = 1; i < n; ++i) made[i] = stirling_error_near(static_cast<double>(i) / 2);
    return made;
  }();
  if (a >= 10) return stirling_error_far(a);
  const double twice = 2 * a;
  const auto i = static_cast<std::size_t>(twice);
  return static_cast<double>(i) == twice && i > 0 ? of_halves[i] : stirling_error_near(a);
}

// a log(a / m) + m - a, without loss where a is near m (Loader 2000, the saddle-point form of densities).
double deviance(double a, double m) {
  const double apart = a - m;
  if (std::abs(apart) >= 0.1 * (a + m)) return a * std::log(a / m) + m - a;
  const double v = apart / (a + m), square = v * v;
  double sum = apart * v, power = 2 * a * v;
  for (int j = 1;; ++j) {
    power *= square;
    const double next = sum + power / (2 * j + 1);
    if (next == sum || j > 1000) return next;
    sum = next;
  }
}

// The incomplete gamma function P(a, x) over x^a e^-x / Γ(a + 1): DLMF 8.7.1, whose terms are all positive.
double lower_gamma_series(double a, double x) {
  double sum = 1, term = 1;
  for (double n = a + 1; term > kTermRounding * sum; n += 1) sum += term *= x / n;
  return sum;
}

// Q(a, x) over the same. For whole a it has a terms (DLMF 8.4.10, from its last term on); otherwise it is
// Legendre's continued fraction (DLMF 8.9.2), from its first term on as Lentz does.
double upper_gamma_factor(double a, double x) {
  if (a == std::floor(a)) {
    double sum = 1, term = 1;
    for (double n = a - 1; n > 0 && term > kTermRounding * sum; n -= 1) sum += term *= n / x;
    return sum * a / x;
  }
  double b = x + 1 - a;
  double d = 1 / b, c = kInfinity, fraction = d;
  for (double k = 1;; k += 1) {
    b += 2;
    const double numerator = k * (a - k);
    d = 1 / (b + numerator * d);
    c = b + numerator / c;
    const double step = c * d;
    fraction *= step;
    if (!(std::abs(step - 1) >= kConverged) || k > kMostFactors) return a * fraction;
  }
}

// log Q(a, x).
double log_upper_gamma(double a, double x) {
  if (!(x > 0)) return 0;
  if (x == kInfinity) return -kInfinity;
  if (a == 1) return -x;
  if (a == 0.5 && x < 600) {
    const double root = std::sqrt(x);
    return x < 0.5 ? std::log1p(-std::erf(root)) : std::log(std::erfc(root));
  }
  const double log_front = -deviance(a, x) - stirling_error(a) - 0.5 * (kLogTwoPi + std::log(a));
  if (x < a + 1) return std::log1p(-std::exp(log_front) * lower_gamma_series(a, x));
  return log_front + std::log(upper_gamma_factor(a, x));
}

// I_z(a, b) over z^a (1 - z)^b / B(a, b), as Lentz does: the continued fraction of DiDonato and Morris
// (1992), two terms of DLMF 8.17.22 at a time, in which nothing cancels up to the mean, a rest >= b z.
double beta_fraction(double a, double b, double z, double rest) {
  const double apart = a * rest - b * z;
  double d = (a + 1) / (a * (apart + 1)), c = kInfinity, fraction = d;
  for (double n = 1;; n += 1) {
    const double middle = a + 2 * n - 1, off = n * (b - n) * z;
    const double numerator = (a + n - 1) * (a + b + n - 1) / (middle * middle) * off * z;
    const double denominator = n + off / middle + (a + n) * (apart + 1 + n * (1 + rest)) / (middle + 2);
    d = 1 / (denominator + numerator * d);
    c = denominator + numerator / c;
    const double step = c * d;
    fraction *= step;
    if (!(std::abs(step - 1) >= kConverged) || n > kMostFactors) return fraction;
  }
}

// log Γ(a + b) / (Γ(a) Γ(b)), less the part of Stirling's formula that is a power of a, of b and of a + b.
double log_beta_error(double a, double b) {
  const double n = a + b;
  return stirling_error(n) - stirling_error(a) - stirling_error(b) +
         0.5 * (std::log(a / n) + std::log(b) - kLogTwoPi);
}

// log(z^a rest^b / B(a, b)), where z + rest = 1.
double log_beta_front(double a, double b, double z, double rest) {
  return log_beta_error(a, b) - deviance(a, (a + b) * z) - deviance(b, (a + b) * rest);
}

}  // namespace

double log_p_of_chi2(double statistic, double freedom) {
  return freedom > 0 ? log_upper_gamma(freedom / 2, statistic / 2) : 0;
}

double log_p_of_f(double statistic, double between, double within) {
  if (!(statistic > 0)) return 0;
  if (statistic == kInfinity) return -kInfinity;
  const double a = within / 2, b = between / 2, ratio = between * statistic / within;
  if (ratio > 1e290)  // z^a / (a B(a, b)) alone counts, and z may be too small for a float64
    return log_beta_error(a, b) + a * std::log1p(b / a) + b * std::log1p(a / b) - std::log(a) -
           a * (std::log(statistic) + std::log(between / within));
  if (b == 1) return -a * std::log1p(ratio);
  const double z = 1 / (1 + ratio), rest = ratio / (1 + ratio);
  if (a * rest >= b * z) return log_beta_front(a, b, z, rest) + std::log(beta_fraction(a, b, z, rest));
  return std::log1p(-std::exp(log_beta_front(b, a, rest, z)) * beta_fraction(b, a, rest, z));
}

}  // namespace thriftree
