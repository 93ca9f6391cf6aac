#include "choose/contingency.hpp"

#include <algorithm>
#include <cmath>

#include "choose/log_tails.hpp"
#include "choose/pairwise_sum.hpp"

namespace thriftree {

namespace {

// x log y, 0 where x is.
double x_log_y(double x, double y) { return x > 0 ? x * std::log(y) : 0; }

}  // namespace

double TableTest::log_p() const { return log_p_of_chi2(statistic, static_cast<double>(freedom)); }

TableTest ContingencyTests::of_table(std::span<const double> table) {
  const std::size_t n = table.size() / n_classes_;
  of_class_.assign(n_classes_, 0.0);
  of_category_.resize(n);
  for (std::size_t i = 0; i < n; ++i) {
    const double* const row = table.data() + i * n_classes_;
    of_category_[i] = pairwise_sum(row, n_classes_);
    for (std::size_t k = 0; k < n_classes_; ++k) of_class_[k] += row[k];
  }
  const auto seen = [](const std::vector<double>& sums) {
    return sums.size() - static_cast<std::size_t>(std::count(sums.begin(), sums.end(), 0.0));
  };
  const std::size_t categories = seen(of_category_), classes = seen(of_class_);
  if (categories < 2 || classes < 2) return {};
  return {statistic_of(table), (categories - 1) * (classes - 1)};
}

double ContingencyTests::statistic_of(std::span<const double> table) {
  const double total = pairwise_sum(of_class_.data(), n_classes_);
  parts_.resize(std::max(table.size(), n_classes_));
  for (std::size_t i = 0; i < of_category_.size(); ++i) {
    for (std::size_t k = 0; k < n_classes_; ++k) {
      const std::size_t at = i * n_classes_ + k;
      const double product = of_category_[i] * of_class_[k], seen = product > 0 ? product : 1.0;
      if (statistic_ == ChiSquared::pearson) {
        // n N - r c is exactly 0 where whole counts are proportional; n - r c / N would not be.
        const double off = (table[at] * total - product) / total;
        parts_[at] = off * off / (seen / total);
      } else {
        parts_[at] = 2 * x_log_y(table[at], table[at] * total / seen);
      }
    }
  }
  return std::max(pairwise_sum(parts_.data(), table.size()), 0.0);
}

TableTest ContingencyTests::of_pair(const double* a, const double* b) {
  const double of_a = pairwise_sum(a, n_classes_), of_b = pairwise_sum(b, n_classes_), total = of_a + of_b;
  const double share_a = of_a / total, share_b = of_b / total;
  std::size_t seen = 0;
  for (std::size_t k = 0; k < n_classes_; ++k) {
    const double of_class = a[k] + b[k];
    seen += of_class != 0;
    if (statistic_ == ChiSquared::pearson) {
      const double expected = of_class * share_a * share_b, off = (a[k] * of_b - b[k] * of_a) / total;
      parts_[k] = off * off / (expected > 0 ? expected : 1.0);
    } else {
      parts_[k] =
          x_log_y(a[k], a[k] * total / (of_a * of_class)) + x_log_y(b[k], b[k] * total / (of_b * of_class));
    }
  }
  const double sum = pairwise_sum(parts_.data(), n_classes_);
  const double statistic = statistic_ == ChiSquared::pearson ? sum : std::max(2 * sum, 0.0);
  return {statistic, seen > 0 ? seen - 1 : 0};
}

}  // namespace thriftree
