// F of paper 001: how mixed a set of objects is, from how many it has of each class. All functions here are
// admissible: never negative, 0 for one class, monotone and supermodular.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>
#include <vector>

namespace thriftree {

// What log_drop says where nothing of F is left: more than any ln(F(whole) / F(part)).
inline constexpr double kAllGone = 1e12;

class SetFunction {
 public:
  virtual ~SetFunction() = default;

  // F; infinity where it is too large for a double.
  virtual double value(std::span<const double> counts) const = 0;

  // ln(F(whole) / F(part)), where part is a subset of whole and F(whole) > 0: never negative, 0 only where F
  // is the same, kAllGone where F(part) is 0. A logarithm because F(whole) - F(part) loses the digits of a
  // part that is small beside the whole, and then which part is the smallest.
  virtual double log_drop(std::span<const double> whole, std::span<const double> part) const;

  // shares[i] = max(F(left_i), F(whole - left_i)) / F(whole), within 1e-12; left_i is left[i * width ..].
  virtual void larger_shares(std::span<const double> whole, const double* left, int m, std::size_t width,
                             double* shares) const;

  // The same for two classes, of which first[i] and second[i] are left of threshold i.
  virtual void larger_shares_of_two(std::span<const double> whole, const double* first, const double* second,
                                    int m, double* shares) const;

  // left_shares[i] = F(left_i) / F(whole), right_shares[i] = F(whole - left_i) / F(whole), within 1e-12,
  // where left[k * stride + i] is left_i of class k.
  virtual void both_shares(std::span<const double> whole, const double* left, std::size_t stride, int m,
                           double* left_shares, double* right_shares) const;

  // Is F slow to call, and quick for many sets at once? Then `values` is called.
  virtual bool in_batches() const { return false; }
  // F of n sets of equally many classes, one after another.
  virtual void values(std::span<const double> counts, std::span<double> out) const;

 protected:
  // larger_shares, where share(part) is F(part) / F(whole).
  template <class Share>
  static void larger_by(std::span<const double> whole, const double* left, int m, std::size_t width,
                        double* shares, const Share& share) {
    std::vector<double> right(whole.size());
    for (int i = 0; i < m; ++i) {
      const std::span<const double> one(left + static_cast<std::size_t>(i) * width, whole.size());
      for (std::size_t k = 0; k < right.size(); ++k) right[k] = whole[k] - one[k];
      shares[i] = std::max(share(one), share(right));
    }
  }
};

// ln(whole / part) from F of both and their difference, accurate also where they are nearly equal.
double log_ratio(double whole, double drop, double part);

// The sum over i < j of n_i * n_j.
std::unique_ptr<SetFunction> make_pairs();
// (sum of n_i)^l - sum of n_i^l, Eq. (9). Throws BadInput for l < 2.
std::unique_ptr<SetFunction> make_powers(int l);
// The sum over i < j of [[n_i - alpha]+ [n_j - alpha]+ - alpha^2]+, Eq. (10); without `offset`, without
// alpha^2.
std::unique_ptr<SetFunction> make_hinged_pairs(double alpha, bool offset);
// The sum over terms of coefficient * product of n_i^exponent_i, Eq. (8): one exponent per term and class.
std::unique_ptr<SetFunction> make_polynomial(std::vector<double> coefficients,
                                             std::vector<std::vector<int>> exponents);

}  // namespace thriftree
