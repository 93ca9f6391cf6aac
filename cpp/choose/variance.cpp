#include "choose/variance.hpp"

#include <cmath>

#include "choose/pairwise_sum.hpp"

namespace thriftree {

namespace {

// numpy's sum of a part of an array (reduceat); n > 0.
double sum_of_part(const double* a, std::size_t n) { return a[0] + pairwise_sum(a + 1, n - 1); }

// One variable: its values and counts, and scratch of as many terms.
class OneVariable {
 public:
  OneVariable(std::span<const double> values, const double* counts, std::size_t n_classes,
              std::vector<double>& terms)
      : values_(values), counts_(counts), n_classes_(n_classes), terms_(terms) {
    terms_.resize(values.size());
  }

  // Over the values of one class, the sum of weight times term(value).
  template <class Term>
  double sum(std::size_t k, const Term& term) const {
    for (std::size_t i = 0; i < values_.size(); ++i)
      terms_[i] = counts_[i * n_classes_ + k] * term(values_[i]);
    return sum_of_part(terms_.data(), values_.size());
  }

  // The mean of figure(k, value) in each class, and the two sums of squares about these.
  template <class Figure>
  void analyse(const double* weight, const Figure& figure, double& between, double& within) const {
    std::vector<double> mean(n_classes_), parts(n_classes_);
    for (std::size_t k = 0; k < n_classes_; ++k) {
      mean[k] = sum(k, [&](double value) { return figure(k, value); }) / (weight[k] > 0 ? weight[k] : 1.0);
      parts[k] = weight[k] * mean[k];
    }
    const double centre = pairwise_sum(parts.data(), n_classes_) / pairwise_sum(weight, n_classes_);
    for (std::size_t k = 0; k < n_classes_; ++k) parts[k] = weight[k] * square(mean[k] - centre);
    between = pairwise_sum(parts.data(), n_classes_);
    for (std::size_t k = 0; k < n_classes_; ++k)
      parts[k] = sum(k, [&](double value) { return square(figure(k, value) - mean[k]); });
    within = pairwise_sum(parts.data(), n_classes_);
  }

 private:
  static double square(double x) { return x * x; }

  std::span<const double> values_;
  const double* counts_;
  std::size_t n_classes_;
  std::vector<double>& terms_;
};

}  // namespace

VarianceParts variance_parts(const ValueTables& tables, bool of_distances) {
  const std::size_t n = tables.begin.size(), n_classes = tables.n_classes;
  VarianceParts parts{std::vector<double>(n * n_classes), std::vector<double>(n), std::vector<double>(n)};
  std::vector<double> terms, mean(n_classes);
  for (std::size_t v = 0; v < n; ++v) {
    const auto first = static_cast<std::size_t>(tables.begin[v]);
    const std::size_t end = v + 1 < n ? static_cast<std::size_t>(tables.begin[v + 1]) : tables.values.size();
    const OneVariable one(tables.values.subspan(first, end - first), tables.counts.data() + first * n_classes,
                          n_classes, terms);
    double* weight = parts.weight.data() + v * n_classes;
    for (std::size_t k = 0; k < n_classes; ++k) weight[k] = one.sum(k, [](double) { return 1.0; });
    if (!of_distances) {
      one.analyse(weight, [](std::size_t, double value) { return value; }, parts.between[v], parts.within[v]);
      continue;
    }
    for (std::size_t k = 0; k < n_classes; ++k)
      mean[k] = one.sum(k, [](double value) { return value; }) / (weight[k] > 0 ? weight[k] : 1.0);
    one.analyse(
        weight, [&](std::size_t k, double value) { return std::abs(value - mean[k]); }, parts.between[v],
        parts.within[v]);
  }
  return parts;
}

}  // namespace thriftree
