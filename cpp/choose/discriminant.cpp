#include "choose/discriminant.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>

#include "choose/eigen.hpp"

namespace thriftree {

namespace {

constexpr double kSame = 1e-9;  // relative: numbers nearer to each other than this differ by rounding

struct Residuals {
  std::size_t n_categories, n_classes;  // classes that are present
  std::vector<double> of_category;      // weight
  std::vector<double> values;           // [category * n_classes + class]
};

void check(std::span<const double> counts, int n_classes) {
  if (n_classes < 1 || counts.empty()) throw BadInput("counts must have a category and a class");
  for (std::size_t i = 0; i < counts.size(); i += static_cast<std::size_t>(n_classes)) {
    double weight = 0;
    for (const double count : counts.subspan(i, static_cast<std::size_t>(n_classes))) {
      if (!(count >= 0) || !std::isfinite(count)) throw BadInput("counts must be finite and not below 0");
      weight += count;
    }
    if (!(weight > 0) || !std::isfinite(weight))
      throw BadInput("every category of counts must have some weight, and not more than a float can hold");
  }
}

Residuals residuals_of(std::span<const double> counts, std::size_t n_classes) {
  const std::size_t n_categories = counts.size() / n_classes;
  std::vector<double> of_class(n_classes, 0.0), of_category(n_categories, 0.0);
  double total = 0;
  for (std::size_t i = 0; i < n_categories; ++i) {
    for (std::size_t k = 0; k < n_classes; ++k) {
      of_category[i] += counts[i * n_classes + k];
      of_class[k] += counts[i * n_classes + k];
    }
    total += of_category[i];
  }
  std::vector<std::size_t> present;
  for (std::size_t k = 0; k < n_classes; ++k) {
    if (of_class[k] > 0) present.push_back(k);
  }
  Residuals r{n_categories, present.size(), std::move(of_category), {}};
  r.values.reserve(n_categories * present.size());
  for (std::size_t i = 0; i < n_categories; ++i) {
    for (const std::size_t k : present) {
      const double expected = r.of_category[i] * of_class[k] / total;
      r.values.push_back((counts[i * n_classes + k] - expected) / std::sqrt(r.of_category[i] * of_class[k]));
    }
  }
  return r;
}

// Products of the columns of the residuals with each other, or of the rows: whichever are fewer.
std::vector<double> products(const Residuals& r, bool of_rows, const std::function<void()>& poll) {
  const std::size_t n = of_rows ? r.n_categories : r.n_classes, m = of_rows ? r.n_classes : r.n_categories;
  const std::size_t step = of_rows ? r.n_classes : 1, along = of_rows ? 1 : r.n_classes;
  std::vector<double> result(n * n);
  for (std::size_t a = 0; a < n; ++a) {
    poll();
    for (std::size_t b = 0; b <= a; ++b) {
      double sum = 0;
      for (std::size_t i = 0; i < m; ++i)
        sum += r.values[a * step + i * along] * r.values[b * step + i * along];
      result[a * n + b] = result[b * n + a] = sum;
    }
  }
  return result;
}

// The left singular vectors of the largest singular value, one column for each that ties with it; empty if
// nothing differs from what is expected.
std::vector<std::vector<double>> leading_vectors(const Residuals& r, const std::function<void()>& poll) {
  const bool of_rows = r.n_categories < r.n_classes;
  const std::size_t n = of_rows ? r.n_categories : r.n_classes;
  const Eigen eigen = eigen_of_symmetric(products(r, of_rows, poll), static_cast<int>(n), poll);
  const double largest = *std::max_element(eigen.values.begin(), eigen.values.end());
  if (largest <= kSame * kSame) return {};
  std::vector<std::vector<double>> vectors;
  for (std::size_t k = 0; k < n; ++k) {
    if (eigen.values[k] < largest * (1 - kSame)) continue;
    std::vector<double> left(r.n_categories, 0.0);
    for (std::size_t i = 0; i < r.n_categories; ++i) {
      if (of_rows) {
        left[i] = eigen.vectors[i * n + k];
        continue;
      }
      for (std::size_t j = 0; j < n; ++j) left[i] += r.values[i * n + j] * eigen.vectors[j * n + k];
      left[i] /= std::sqrt(eigen.values[k]);
    }
    vectors.push_back(std::move(left));
  }
  return vectors;
}

// From 0 to 1, and equal where only rounding differs.
void scale_and_tie(std::vector<double>& scores) {
  std::vector<std::size_t> order(scores.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return scores[a] < scores[b]; });
  const double low = scores[order.front()], range = scores[order.back()] - low;
  if (!(range > 0)) {  // of weights so far apart that nothing is left of the differences
    std::fill(scores.begin(), scores.end(), 0.0);
    return;
  }
  double before = 0, shared = 0;  // the scaled score of the category before, and the score of its tie
  for (const std::size_t i : order) {
    const double score = (scores[i] - low) / range;
    if (score - before > kSame) shared = score;
    before = score;
    scores[i] = shared;
  }
  for (double& score : scores) score /= shared;  // the tie of the largest is at 1
}

}  // namespace

std::vector<double> discriminant_scores(std::span<const double> counts, int n_classes,
                                        const std::function<void()>& poll) {
  check(counts, n_classes);
  const Residuals r = residuals_of(counts, static_cast<std::size_t>(n_classes));
  const std::vector<std::vector<double>> leading = leading_vectors(r, poll);
  std::vector<double> scores(r.n_categories, 0.0);
  // The first category whose unit vector has a part along the leading vectors: that part, turned round.
  for (std::size_t first = 0; first < r.n_categories && !leading.empty(); ++first) {
    double part = 0;
    for (const auto& vector : leading) part += vector[first] * vector[first];
    if (part <= kSame) continue;
    for (const auto& vector : leading) {
      for (std::size_t i = 0; i < r.n_categories; ++i)
        scores[i] -= vector[first] * vector[i] / std::sqrt(r.of_category[i]);
    }
    scale_and_tie(scores);
    return scores;
  }
  for (std::size_t i = 0; i < scores.size(); ++i) {
    scores[i] = static_cast<double>(i) / static_cast<double>(std::max<std::size_t>(scores.size() - 1, 1));
  }
  return scores;
}

}  // namespace thriftree
