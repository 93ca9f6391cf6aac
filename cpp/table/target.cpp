#include "table/target.hpp"

#include <algorithm>
#include <cmath>

#include "run/control.hpp"

namespace thriftree {

namespace {

// Puts values into fixed point: the largest power-of-two scale at which `bound` (on what is summed in 64 bits) stays
// below 2^62. Integers stay exact as long as they can. A positive value never becomes 0.
std::vector<std::int64_t> to_fixed_point(const std::vector<double>& values, double bound, double& unit) {
  unit = 1;
  if (bound > 0) {
    int exponent = 0;
    std::frexp(bound, &exponent);  // bound < 2^exponent
    unit = std::ldexp(1.0, std::max(exponent - 62, -1000));
  }
  std::vector<std::int64_t> fixed(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double scaled = values[i] / unit;
    fixed[i] = std::llround(scaled);
    if (fixed[i] == 0 && values[i] > 0) fixed[i] = 1;
  }
  return fixed;
}

std::vector<std::int64_t> weights_in_fixed_point(const std::vector<double>& weights, double& unit) {
  double total = 0;
  for (double w : weights) total += w;
  return to_fixed_point(weights, total * (1 + 1e-9) + 1e-300, unit);
}

bool all_equal_one(const std::vector<double>& weights) {
  return std::all_of(weights.begin(), weights.end(), [](double w) { return w == 1.0; });
}

void check_weights(const std::vector<double>& weights, std::size_t n_rows) {
  if (!weights.empty() && weights.size() != n_rows) throw BadInput("sample_weight must have one entry per row");
  for (double w : weights) {
    if (!(w > 0) || !std::isfinite(w)) throw BadInput("sample_weight must be positive and finite here");
  }
}

double largest_magnitude(const std::vector<double>& values) {
  double largest = 0;
  for (double v : values) largest = std::max(largest, std::abs(v));
  return largest;
}

}  // namespace

Target make_class_target(const std::int32_t* labels, std::size_t n_rows, std::int32_t n_classes,
                         const std::vector<double>& sample_weight, const std::vector<double>& class_multiplier) {
  if (n_classes < 1 || n_classes > 65536) throw BadInput("the number of classes must be between 1 and 65536");
  check_weights(sample_weight, n_rows);
  Target target;
  target.n_rows = n_rows;
  target.n_classes = n_classes;
  target.labels.resize(n_rows);
  for (std::size_t i = 0; i < n_rows; ++i) {
    if (labels[i] < 0 || labels[i] >= n_classes) throw BadInput("a label is outside 0 .. n_classes - 1");
    target.labels[i] = static_cast<std::uint32_t>(labels[i]);
  }
  const bool unit_samples = sample_weight.empty() || all_equal_one(sample_weight);
  const bool unit_classes = class_multiplier.empty() || all_equal_one(class_multiplier);
  if (!unit_classes) {
    if (class_multiplier.size() != static_cast<std::size_t>(n_classes)) {
      throw BadInput("class_multiplier must have one entry per class");
    }
    for (double m : class_multiplier) {
      if (!(m > 0) || !std::isfinite(m)) throw BadInput("class weights must be positive and finite");
    }
  }
  target.unit_samples = unit_samples;
  if (unit_samples && unit_classes) return target;
  std::vector<double> growth(n_rows, 1.0);
  if (!unit_samples) growth = sample_weight;
  if (!unit_classes) {
    for (std::size_t i = 0; i < n_rows; ++i) growth[i] *= class_multiplier[target.labels[i]];
    if (!unit_samples) target.sample = weights_in_fixed_point(sample_weight, target.sample_unit);
  }
  target.growth = weights_in_fixed_point(growth, target.growth_unit);
  return target;
}

Target make_number_target(const double* y, std::size_t n_rows, const std::vector<double>& sample_weight) {
  check_weights(sample_weight, n_rows);
  Target target;
  target.n_rows = n_rows;
  target.values.assign(y, y + n_rows);
  target.unit_samples = sample_weight.empty() || all_equal_one(sample_weight);
  if (!target.unit_samples) target.growth = weights_in_fixed_point(sample_weight, target.growth_unit);
  if (n_rows == 0) return target;
  const auto [low, high] = std::minmax_element(target.values.begin(), target.values.end());
  target.center = *low / 2 + *high / 2;
  std::vector<double> moment(n_rows), square(n_rows);
  for (std::size_t i = 0; i < n_rows; ++i) {
    const double d = y[i] - target.center;
    const double w = target.unit_samples ? 1.0 : sample_weight[i];
    moment[i] = w * d;
    square[i] = w * d * d;
  }
  const double most = largest_magnitude(moment), most_squared = largest_magnitude(square);
  if (!std::isfinite(most_squared)) throw BadInput("the target's range is too large: its square overflows; rescale y");
  target.moment = to_fixed_point(moment, most, target.moment_unit);
  target.square = to_fixed_point(square, most_squared, target.square_unit);
  return target;
}

}  // namespace thriftree
