#include "choose/quest_split.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

#include "choose/pairwise_sum.hpp"

namespace thriftree {

namespace {

constexpr double kSameValue =
    1e-9;  // values nearer to each other than this, on the scale from 0 to 1, are one

double sum_of(const std::vector<double>& a) { return pairwise_sum(a.data(), a.size()); }

// One of the two groups of classes: its weight at each value.
struct Superclass {
  std::vector<double> weight;
  double total = 0, mean = 0, variance = 0;  // divided by the weight: a split depends on shares alone

  void measure(std::span<const double> values) {
    std::vector<double> terms(values.size());
    total = sum_of(weight);
    for (std::size_t i = 0; i < values.size(); ++i) terms[i] = values[i] * weight[i];
    mean = sum_of(terms) / total;
    for (std::size_t i = 0; i < values.size(); ++i) {
      const double off = values[i] - mean;
      terms[i] = off * off * weight[i];
    }
    variance = sum_of(terms) / total;
  }
};

// Which classes are in one of the two groups: two-means clustering of the means of the classes. It is exact,
// since the sorted means can be cut in only so many places. Of equal means, the heaviest class is a group.
std::vector<bool> in_first_group(std::span<const double> values, std::span<const double> counts,
                                 std::size_t n_classes) {
  std::vector<double> weight(n_classes, 0.0), moment(n_classes, 0.0);
  for (std::size_t i = 0; i < values.size(); ++i) {
    for (std::size_t k = 0; k < n_classes; ++k) {
      weight[k] += counts[i * n_classes + k];
      moment[k] += values[i] * counts[i * n_classes + k];
    }
  }
  std::vector<std::size_t> present;
  for (std::size_t k = 0; k < n_classes; ++k) {
    if (weight[k] != 0) present.push_back(k);
  }
  std::vector<bool> first(n_classes, false);
  const std::size_t n = present.size();
  if (n == 2) {
    first[present[0]] = true;
    return first;
  }
  std::vector<double> means(n);
  for (std::size_t j = 0; j < n; ++j) means[j] = moment[present[j]] / weight[present[j]];
  const double centre = sum_of(means) / static_cast<double>(n);
  for (double& mean : means) mean -= centre;
  const auto [low, high] = std::minmax_element(means.begin(), means.end());
  if (*high - *low <= kSameValue) {
    first[*std::max_element(present.begin(), present.end(),
                            [&](std::size_t a, std::size_t b) { return weight[a] < weight[b]; })] = true;
    return first;
  }
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return means[a] < means[b]; });
  std::vector<double> between;
  double sum = 0;
  for (std::size_t size = 1; size < n; ++size) {
    sum += means[order[size - 1]];
    between.push_back(sum * sum * (1 / static_cast<double>(size) + 1 / static_cast<double>(n - size)));
  }
  const double enough = *std::max_element(between.begin(), between.end()) * (1 - kSameValue);
  for (std::size_t j = 0; j + 1 < n; ++j) {
    first[present[order[j]]] = true;
    if (between[j] >= enough) break;
  }
  return first;
}

std::size_t n_up_to(std::span<const double> values, double point) {
  return static_cast<std::size_t>(std::upper_bound(values.begin(), values.end(), point + kSameValue) -
                                  values.begin());
}

}  // namespace

std::size_t quest_n_left(std::span<const double> values, std::span<const double> counts,
                         std::size_t n_classes) {
  const std::size_t n = values.size();
  // The nearest split with values on both sides.
  const auto inner = [n](std::size_t n_left) { return std::clamp<std::size_t>(n_left, 1, n - 1); };
  const std::vector<bool> in_first = in_first_group(values, counts, n_classes);
  Superclass a{std::vector<double>(n, 0.0)}, b{std::vector<double>(n, 0.0)};
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < n_classes; ++k) (in_first[k] ? a : b).weight[i] += counts[i * n_classes + k];
  }
  a.measure(values);
  b.measure(values);
  if (b.variance < a.variance) std::swap(a, b);
  const auto seen = [](double weight) { return weight != 0; };
  const auto first =
      static_cast<std::size_t>(std::find_if(a.weight.begin(), a.weight.end(), seen) - a.weight.begin());
  const auto end =
      static_cast<std::size_t>(a.weight.rend() - std::find_if(a.weight.rbegin(), a.weight.rend(), seen));
  // The limit of a vanishing variance: A is this value alone, and is cut off on the side of B.
  if (values[end - 1] - values[first] <= kSameValue) return inner(b.mean > a.mean ? end : first);
  const double apart = std::abs(b.mean - a.mean);
  if (const auto shift = crossing_of_normals(a.variance, b.variance, apart, std::log(a.total / b.total))) {
    const double towards = b.mean > a.mean ? 1 : -1;
    const bool level = apart <= kSameValue;  // then both crossings are as near: the lower one first
    for (const double direction : {level ? -1.0 : towards, 1.0}) {
      const std::size_t found = n_up_to(values, a.mean + direction * *shift);
      if (found > 0 && found < n) return found;
      if (!level) break;
    }
  }
  return inner(n_up_to(values, (a.mean + b.mean) / 2));
}

std::optional<double> crossing_of_normals(double narrow, double wide, double apart, double log_odds) {
  const double lead = log_odds + std::log(wide / narrow) / 2;
  const double constant = narrow * (apart * apart) + 2 * narrow * wide * lead;
  const double discriminant = narrow * wide * (apart * apart + 2 * (wide - narrow) * lead);
  if (discriminant < 0) return {};
  const double below = narrow * apart + std::sqrt(discriminant);
  if (!(below > 0)) return {};
  return constant / below;
}

}  // namespace thriftree
