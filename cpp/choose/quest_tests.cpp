#include "choose/quest_tests.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>

#include "choose/contingency.hpp"
#include "choose/log_tails.hpp"
#include "choose/pairwise_sum.hpp"
#include "choose/variance.hpp"

namespace thriftree {

namespace {

constexpr double kNoSpread = 1e-24;  // a variance below this, of values from 0 to 1, is rounding

VarianceParts parts_of(std::span<const double> values, std::span<const double> counts, std::size_t n_classes,
                       bool of_distances) {
  constexpr std::array<std::int64_t, 1> begin{0};
  return variance_parts({values, counts, begin, n_classes}, of_distances);
}

double analysis_of_variance(const VarianceParts& parts) {
  const double total = pairwise_sum(parts.weight.data(), parts.weight.size());
  const double between = parts.between[0], within = parts.within[0];
  const auto seen = std::count_if(parts.weight.begin(), parts.weight.end(), [](double w) { return w != 0; });
  const double groups = static_cast<double>(seen) - 1, rest = total - groups - 1;
  if (!(rest > 0) || !(between > kNoSpread * total)) return 0;
  if (within <= kNoSpread * total) return -std::numeric_limits<double>::infinity();
  return log_p_of_f((between / groups) / (within / rest), groups, rest);
}

}  // namespace

void scale_to_one(std::vector<double>& values) {
  const double room = std::max(-values.front(), values.back()) > 1e300 ? 0.25 : 1.0;
  const double low = values.front() * room, range = values.back() * room - low;
  for (double& value : values) value = (value * room - low) / range;
}

double log_p_of_means(std::span<const double> values, std::span<const double> counts, std::size_t n_classes) {
  return analysis_of_variance(parts_of(values, counts, n_classes, false));
}

double log_p_of_spreads(std::span<const double> values, std::span<const double> counts,
                        std::size_t n_classes) {
  const VarianceParts parts = parts_of(values, counts, n_classes, true);
  if (!(*std::max_element(parts.weight.begin(), parts.weight.end()) > 2)) return 0;
  return analysis_of_variance(parts);
}

double log_p_of_categories(std::span<const double> counts, std::size_t n_classes) {
  return ContingencyTests(ChiSquared::pearson, n_classes).of_table(counts).log_p();
}

}  // namespace thriftree
