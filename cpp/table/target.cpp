#include "table/target.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

#include "run/control.hpp"

namespace thriftree {

namespace {

// The largest power-of-two scale at which `bound` (on what is summed in 64 bits) stays below 2^62. Integers
// stay exact as long as they can.
double unit_for(double bound) {
  if (!(bound > 0)) return 1;
  int exponent = 0;
  std::frexp(bound, &exponent);  // bound < 2^exponent
  return std::ldexp(1.0, exponent - 62);
}

// std::llround of numbers below 2^63, without a call.
std::int64_t rounded(double x) {
  const auto whole = static_cast<std::int64_t>(x);
  const double rest = x - static_cast<double>(whole);
  return whole + (rest >= 0.5 ? 1 : 0) - (rest <= -0.5 ? 1 : 0);
}

// A positive value never becomes 0.
std::vector<std::int64_t> to_fixed_point(const std::vector<double>& values, double unit) {
  std::vector<std::int64_t> fixed(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double scaled = values[i] / unit;
    fixed[i] = rounded(scaled);
    if (fixed[i] == 0 && values[i] > 0) fixed[i] = 1;
  }
  return fixed;
}

// Criteria square sums and multiply them, in double precision: that must neither overflow nor vanish.
constexpr double kLargestTotal = 0x1p330, kSmallestTotal = 0x1p-330;
constexpr double kLargestSquare = 0x1p600, kSmallestSquare = 0x1p-600;

// A weight below this share of the sum could be lost in the difference of two sums in double precision.
constexpr double kSmallestShare = 0x1p-50;
// Moments of a numeric target are in units of 2^-62 of the largest: below this ratio a light leaf's mean
// would lose digits.
constexpr double kSmallestRatio = 1e-10;

double total_of(const std::vector<double>& weights) {
  return order_free_total(weights, weights.empty() ? 0 : *std::max_element(weights.begin(), weights.end()));
}

// Weights that hardly count, as boosting gives to rows it has long learnt, are lifted to the smallest share.
// `settled`: floor and unit are those of a larger table.
std::vector<std::int64_t> weights_in_fixed_point(std::vector<double> weights, double& floor, double& unit,
                                                 bool settled) {
  if (!settled && !weights.empty()) floor = weight_floor(total_of(weights));
  for (double& w : weights) w = std::max(w, floor);
  if (!settled) unit = weight_unit(total_of(weights));
  return to_fixed_point(weights, unit);
}

bool all_one(const std::vector<double>& weights) {
  return std::all_of(weights.begin(), weights.end(), [](double w) { return w == 1.0; });
}

void check_weights(const std::vector<double>& weights, std::size_t n_rows) {
  if (!weights.empty() && weights.size() != n_rows)
    throw BadInput("sample_weight must have one entry per row");
  for (double w : weights) {
    if (!(w > 0) || !std::isfinite(w)) throw BadInput("sample_weight must be positive and finite here");
  }
}

void check_factors(const std::vector<double>& factors, std::int32_t n_classes, const char* what) {
  if (!factors.empty() && factors.size() != static_cast<std::size_t>(n_classes)) {
    throw BadInput(std::string(what) + " must have one entry per class");
  }
  for (double f : factors) {
    if (!(f > 0) || !std::isfinite(f)) throw BadInput(std::string(what) + " must be positive and finite");
  }
}

double largest_magnitude(const std::vector<double>& values) {
  double largest = 0;
  for (double v : values) largest = std::max(largest, std::abs(v));
  return largest;
}

// Takes over what parts of a table have agreed on.
void agree_on(const TargetScale& agreed, Target& target) {
  target.unit_samples = agreed.unit_samples;
  target.growth_unit = agreed.growth_unit;
  target.sample_unit = agreed.sample_unit;
  target.growth_floor = agreed.growth_floor;
  target.sample_floor = agreed.sample_floor;
  target.center = agreed.center;
  target.moment_unit = agreed.moment_unit;
  target.square_unit = agreed.square_unit;
}

}  // namespace

double order_free_total(std::span<const double> weights, double most) {
  constexpr int half = 40;                               // bits
  constexpr std::size_t at_once = std::size_t{1} << 20;  // sums of so many halves fit
  int exponent = 0;
  std::frexp(most, &exponent);  // most < 2^exponent
  const int shift = std::min(half - exponent, 1000);
  const double scale = std::ldexp(1.0, shift);
  int128 total = 0;
  for (std::size_t first = 0; first < weights.size(); first += at_once) {
    std::int64_t high = 0, low = 0;
    for (const double w : weights.subspan(first, std::min(at_once, weights.size() - first))) {
      const double scaled = w * scale;
      const auto whole = static_cast<std::int64_t>(scaled);
      high += whole;
      low += static_cast<std::int64_t>((scaled - static_cast<double>(whole)) * 0x1p40);
    }
    total += static_cast<int128>(high) * (int128{1} << half) + low;
  }
  return std::ldexp(static_cast<double>(total), -shift - half);
}

double weight_floor(double total) {
  if (total < kSmallestTotal || total > kLargestTotal) {
    throw BadInput("the weights (sample_weight times class weight) are too " +
                   std::string(total < kSmallestTotal ? "small" : "large") +
                   " to compute with: only their ratios matter, so divide them all by their mean");
  }
  return kSmallestShare * total;
}

// Sixteen times the sum must fit: counting adds the bytes that pad a block of columns up in one place.
double weight_unit(double total) { return unit_for(16 * total * (1 + 1e-9)); }

void refuse_weights_to_lift(double least, double most, double total) {
  if (least < weight_floor(total) || least < kSmallestRatio * most) {
    throw BadInput(
        "the weights differ too much: the smallest is below 1e-15 of their sum or 1e-10 of the largest; drop "
        "the "
        "rows that hardly count, or make the weights more alike");
  }
}

TargetHeader::TargetHeader(const Target& target)
    : TargetScale(target),
      weighted(target.weighted()),
      samples(!target.sample.empty()),
      members(!target.multiplicity.empty()),
      total(static_cast<std::int64_t>(target.n_rows)) {
  if (!weighted) return;
  total = std::accumulate(target.growth.begin(), target.growth.end(), std::int64_t{0});
  const auto [least, most] = std::minmax_element(target.growth.begin(), target.growth.end());
  lightest = *least;
  heaviest = *most;
}

Target make_class_target(const std::int32_t* labels, std::size_t n_rows, std::int32_t n_classes,
                         const std::vector<double>& sample_weight, const std::vector<double>& class_weight,
                         const std::vector<double>& priors, const TargetScale* agreed) {
  if (n_classes < 1 || n_classes > 65536) throw BadInput("the number of classes must be between 1 and 65536");
  check_weights(sample_weight, n_rows);
  check_factors(class_weight, n_classes, "class_weight");
  check_factors(priors, n_classes, "priors");
  Target target;
  target.n_rows = n_rows;
  target.n_classes = n_classes;
  target.labels.resize(n_rows);
  for (std::size_t i = 0; i < n_rows; ++i) {
    if (labels[i] < 0 || labels[i] >= n_classes) throw BadInput("a label is outside 0 .. n_classes - 1");
    target.labels[i] = static_cast<std::uint32_t>(labels[i]);
  }
  std::vector<double> factor(static_cast<std::size_t>(n_classes), 1.0);
  for (std::size_t k = 0; k < class_weight.size(); ++k) factor[k] *= class_weight[k];
  for (std::size_t k = 0; k < priors.size(); ++k) factor[k] *= priors[k];
  if (!all_one(priors)) target.priors = priors;
  if (!all_one(factor)) target.class_factors = factor;
  target.unit_samples = all_one(sample_weight);
  if (agreed) agree_on(*agreed, target);
  if (target.unit_samples && all_one(factor)) return target;
  const std::vector<double> sample = sample_weight.empty() ? std::vector<double>(n_rows, 1.0) : sample_weight;
  std::vector<double> growth = sample;
  for (std::size_t i = 0; i < n_rows; ++i) growth[i] *= factor[target.labels[i]];
  target.growth = weights_in_fixed_point(growth, target.growth_floor, target.growth_unit, agreed != nullptr);
  if (!target.unit_samples && !all_one(factor)) {
    target.sample =
        weights_in_fixed_point(sample, target.sample_floor, target.sample_unit, agreed != nullptr);
  }
  return target;
}

Target make_number_target(const double* y, std::size_t n_rows, const std::vector<double>& sample_weight,
                          const TargetScale* agreed) {
  check_weights(sample_weight, n_rows);
  Target target;
  target.n_rows = n_rows;
  target.values.assign(y, y + n_rows);
  target.unit_samples = all_one(sample_weight);
  if (n_rows == 0) return target;
  if (agreed) agree_on(*agreed, target);
  if (!target.unit_samples) {
    const std::vector<double> sample =
        sample_weight.empty() ? std::vector<double>(n_rows, 1.0) : sample_weight;
    if (!agreed) {
      const auto [least, most] = std::minmax_element(sample.begin(), sample.end());
      refuse_weights_to_lift(*least, *most, total_of(sample));
    }
    target.growth =
        weights_in_fixed_point(sample, target.growth_floor, target.growth_unit, agreed != nullptr);
  }
  if (!agreed) {
    const auto [low, high] = std::minmax_element(target.values.begin(), target.values.end());
    target.center = *low == *high ? *low : *low / 2 + *high / 2;
  }
  std::vector<double> moment(n_rows), square(n_rows);
  for (std::size_t i = 0; i < n_rows; ++i) {
    const double d = y[i] - target.center;
    const double w = sample_weight.empty() ? 1.0 : sample_weight[i];
    moment[i] = w * d;
    square[i] = w * d * d;
  }
  if (!agreed) set_moment_units(largest_magnitude(moment), largest_magnitude(square), target);
  target.moment = to_fixed_point(moment, target.moment_unit);
  target.square = to_fixed_point(square, target.square_unit);
  return target;
}

void set_moment_units(double most, double most_squared, TargetScale& target) {
  if (!(most_squared <= kLargestSquare))
    throw BadInput("the target's range is too large: sums of its squares overflow; rescale y");
  if (most > 0 && most_squared < kSmallestSquare)
    throw BadInput("the target's range is too small: its square vanishes; rescale y");
  target.moment_unit = unit_for(most);
  target.square_unit = unit_for(most_squared);
}

void set_bins(Target& target, std::span<const std::int32_t> bins, std::int32_t n_bins) {
  if (bins.size() != target.n_rows) throw BadInput("bins must have one entry per row");
  if (n_bins < 1 || n_bins > 65536) throw BadInput("n_bins must be between 1 and 65536");
  for (std::int32_t bin : bins) {
    if (bin < 0 || bin >= n_bins) throw BadInput("a bin is outside 0 .. n_bins - 1");
  }
  target.n_bins = n_bins;
  target.labels.assign(bins.begin(), bins.end());
}

}  // namespace thriftree
