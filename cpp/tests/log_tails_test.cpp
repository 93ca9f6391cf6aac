// Logarithms of p-values against closed forms: tails that are polynomials times exponentials or powers.
#include "choose/log_tails.hpp"

#include <cmath>
#include <limits>

#include "testing.hpp"

using namespace thriftree;

namespace {

bool agrees(double a, double b, double tolerance = 4e-14) {
  return std::abs(a - b) <= tolerance * std::abs(b);
}

// For p that is not near 1: the finite sum, whose terms are all positive.
double log_p_of_even(double x, int half) {
  double term = std::exp(-x), sum = 0;
  for (int i = 0; i < half; ++i) {
    sum += term;
    term *= x / (i + 1);
  }
  return std::log(sum);
}

}  // namespace

TEST(even_degrees_of_freedom_have_a_finite_sum) {
  for (const int half : {1, 2, 3, 5, 9, 17}) {
    for (const double x : {0.8, 2.0, 7.5, 30.0, 200.0, 600.0}) {
      if (x > half / 2.0) CHECK(agrees(log_p_of_chi2(2 * x, 2 * half), log_p_of_even(x, half), 1e-12));
    }
  }
}

TEST(one_degree_of_freedom_is_two_tails_of_the_normal_distribution) {
  for (const double z : {1e-3, 0.3, 1.0, 4.0, 20.0, 37.0})
    CHECK(agrees(log_p_of_chi2(z * z, 1), std::log(std::erfc(z / std::sqrt(2.0))), 1e-12));
}

TEST(neighbouring_degrees_of_freedom_differ_by_one_term) {
  // Q(a + 1, x) - Q(a, x) = x^a e^-x / Γ(a + 1), whichever way each was found.
  for (const double freedom : {1.0, 3.0, 8.0, 19.0, 22.0, 61.0}) {
    for (const double x : {0.2, 1.0, 3.0, 9.0, 12.0, 40.0, 90.0}) {
      const double a = freedom / 2, step = std::exp(a * std::log(x) - x - std::lgamma(a + 1));
      const double apart =
          std::exp(log_p_of_chi2(2 * x, freedom + 2)) - std::exp(log_p_of_chi2(2 * x, freedom));
      CHECK(std::abs(apart - step) < 1e-14);
    }
  }
}

TEST(far_out_log_p_goes_on_and_near_one_it_keeps_its_digits) {
  CHECK(agrees(log_p_of_chi2(1e6, 2), -5e5));
  CHECK(agrees(log_p_of_chi2(1e6, 4), -5e5 + std::log1p(5e5)));
  CHECK(log_p_of_chi2(1e-5, 20) < 0 && log_p_of_chi2(1e-5, 20) > -1e-50);
  CHECK(agrees(log_p_of_chi2(1e-5, 20), -std::pow(5e-6, 10) / 3628800, 1e-4));
  CHECK(log_p_of_chi2(0, 3) == 0 && log_p_of_chi2(5, 0) == 0);
  CHECK(log_p_of_chi2(std::numeric_limits<double>::infinity(), 3) ==
        -std::numeric_limits<double>::infinity());
}

TEST(the_tail_of_f_with_two_or_four_degrees_is_a_power) {
  for (const double within : {1.0, 7.5, 40.0, 3000.0, 2e5}) {
    for (const double ratio : {1e-6, 0.01, 0.3, 2.0, 1e5, 1e300}) {
      const double a = within / 2, power = -a * std::log1p(ratio);
      CHECK(agrees(log_p_of_f(ratio * within / 2, 2, within), power));
      // I_z(a, 2) = z^a (1 + a (1 - z)).
      if (power < -1) {
        const double wanted = power + std::log1p(a * (ratio / (1 + ratio)));
        CHECK(agrees(log_p_of_f(ratio * within / 4, 4, within), wanted, 1e-12));
      }
    }
  }
}

TEST(f_and_its_reciprocal_have_tails_that_sum_to_one) {
  for (const double between : {1.0, 3.0, 6.0, 11.0}) {
    for (const double within : {1.0, 5.0, 12.5, 300.0}) {
      for (const double f : {0.05, 0.7, 1.0, 1.3, 8.0}) {
        const double sum =
            std::exp(log_p_of_f(f, between, within)) + std::exp(log_p_of_f(1 / f, within, between));
        CHECK(std::abs(sum - 1) < 1e-13);
      }
    }
  }
}

TEST(the_tail_of_f_beyond_all_measure_is_finite) {
  const double at_most = log_p_of_f(1e308, 3, 10), below = log_p_of_f(1e300, 3, 10);
  CHECK(std::isfinite(at_most) && agrees(below - at_most, 5 * 8 * std::log(10.0), 1e-10));
  const double huge = std::numeric_limits<double>::max();
  CHECK(std::isfinite(log_p_of_f(huge, 4, 0.5)) && log_p_of_f(huge, 4, 0.5) < -100);
}
