#include "criterion/set_function.hpp"

#include <algorithm>
#include <cmath>

namespace thriftree {

double log_ratio(double whole, double drop, double part) {
  if (part <= 0) return kAllGone;
  return drop < part ? std::log1p(drop / part) : std::log(whole / part);
}

double SetFunction::log_drop(std::span<const double> whole, std::span<const double> part) const {
  const double all = value(whole), left = value(part);
  return log_ratio(all, std::max(0.0, all - left), left);
}

void SetFunction::larger_shares(std::span<const double> whole, const double* left, int m, std::size_t width,
                                double* shares) const {
  const double scale = 1 / value(whole);
  larger_by(whole, left, m, width, shares, [&](std::span<const double> part) { return scale * value(part); });
}

void SetFunction::larger_shares_of_two(std::span<const double> whole, const double* first,
                                       const double* second, int m, double* shares) const {
  std::vector<double> left;
  for (int i = 0; i < m; ++i) {
    left.push_back(first[i]);
    left.push_back(second[i]);
  }
  larger_shares(whole, left.data(), m, 2, shares);
}

void SetFunction::both_shares(std::span<const double> whole, const double* left, std::size_t stride, int m,
                              double* left_shares, double* right_shares) const {
  const double all = value(whole);
  const auto share = [&](std::span<const double> part) {
    return std::isfinite(all) ? value(part) / all : std::exp(-log_drop(whole, part));
  };
  std::vector<double> one(whole.size()), other(whole.size());
  for (int i = 0; i < m; ++i) {
    for (std::size_t k = 0; k < whole.size(); ++k) {
      one[k] = left[k * stride + static_cast<std::size_t>(i)];
      other[k] = whole[k] - one[k];
    }
    left_shares[i] = share(one);
    right_shares[i] = share(other);
  }
}

void SetFunction::values(std::span<const double> counts, std::span<double> out) const {
  const std::size_t width = counts.size() / out.size();
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = value(counts.subspan(i * width, width));
}

}  // namespace thriftree
