// Hinged pairs (paper 001, Eq. 10): classes of few objects do not count, so that a leaf may err on them.
#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "criterion/set_function.hpp"
#include "criterion/threshold_batch.hpp"
#include "run/control.hpp"
#include "run/cpu.hpp"

namespace thriftree {

namespace {

// At n_i n_j = alpha (n_i + n_j) nothing is left, whatever the rounding.
constexpr double kRounding = 1e-12;

// Of two classes, of which a[i] and b[i] are left of threshold i.
THRIFTREE_BY_CPU(void, hinged_pairs_of_two,
                 (const double* a, const double* b, int m, double all_a, double all_b, double alpha,
                  double least, double scale, double* on_left, double* on_right),
                 (a, b, m, all_a, all_b, alpha, least, scale, on_left, on_right)) {
  const auto above = [](double x) { return x > 0 ? x : 0; };
  const auto share = [&](double f) { return f > least * (1 + kRounding) ? scale * (f - least) : 0; };
  for (int i = 0; i < m; ++i) {
    on_left[i] = share(above(a[i] - alpha) * above(b[i] - alpha));
    on_right[i] = share(above(all_a - a[i] - alpha) * above(all_b - b[i] - alpha));
  }
}

class HingedPairs final : public SetFunction {
 public:
  HingedPairs(double alpha, bool offset) : alpha_(alpha), least_(offset ? alpha * alpha : 0) {}

  double value(std::span<const double> counts) const override {
    double sum = 0;
    if (least_ == 0) {
      double before = 0;
      for (const double count : counts) {
        const double above = count - alpha_;
        if (above <= 0) continue;
        sum += before * above;
        before += above;
      }
      return sum;
    }
    for (std::size_t i = 1; i < counts.size(); ++i) {
      const double above = counts[i] - alpha_;
      if (above <= 0) continue;
      for (std::size_t j = 0; j < i; ++j) {
        const double other = counts[j] - alpha_;
        if (other > 0 && above * other > least_ * (1 + kRounding)) sum += above * other - least_;
      }
    }
    return sum;
  }

  void larger_shares_of_two(std::span<const double> whole, const double* first, const double* second, int m,
                            double* shares) const override {
    std::array<double, kBatch> others;
    hinged_pairs_of_two(first, second, m, whole[0], whole[1], alpha_, least_, 1 / value(whole), shares,
                        others.data());
    for (std::size_t i = 0; i < static_cast<std::size_t>(m); ++i) shares[i] = std::max(shares[i], others[i]);
  }

  void both_shares(std::span<const double> whole, const double* left, std::size_t stride, int m,
                   double* left_shares, double* right_shares) const override {
    const double all = value(whole);
    if (whole.size() != 2 || !std::isfinite(all))
      return SetFunction::both_shares(whole, left, stride, m, left_shares, right_shares);
    hinged_pairs_of_two(left, left + stride, m, whole[0], whole[1], alpha_, least_, 1 / all, left_shares,
                        right_shares);
  }

 private:
  double alpha_, least_;
};

}  // namespace

std::unique_ptr<SetFunction> make_hinged_pairs(double alpha, bool offset) {
  if (!(alpha >= 0) || !std::isfinite(alpha))
    throw BadInput("HingedPairs needs an alpha that is finite and not negative, not " +
                   std::to_string(alpha));
  return std::make_unique<HingedPairs>(alpha, offset);
}

}  // namespace thriftree
