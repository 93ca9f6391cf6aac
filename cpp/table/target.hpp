// What is to be predicted, and how much each row counts. Sums of these are exact: weights and targets are
// integers in fixed point with one power-of-two unit a fit, so neither threads, nor subtraction, nor
// partitions can change a sum.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace thriftree {

__extension__ using int128 = __int128;

// What is known of a target without its rows, where these are elsewhere.
struct TargetScale {
  std::size_t n_rows = 0;      // rows, or objects where those are counted
  std::int32_t n_classes = 0;  // 0: the target is a number
  std::int32_t n_bins = 0;     // of numbers, where bins decide which rows agree; else 0
  // Altered priors: factors by class that count in growing only, not in the weights a tree stores. Empty:
  // all 1.
  std::vector<double> priors;
  // Class weight * prior of each class. Empty: all 1.
  std::vector<double> class_factors;
  // Growth weights leave them out: they are sample weights, and impurities alone count a unit of a class's
  // weight for its factor, which is then 1 on average over the rows.
  bool factors_apart = false;
  // The units of the fixed point: of growth weights, of sample weights, of moments and squares (see Target).
  double growth_unit = 1;
  double sample_unit = 1;
  // Lighter rows count as much as this, see kSmallestShare.
  double growth_floor = 0, sample_floor = 0;
  bool unit_samples = true;
  double center = 0, moment_unit = 1, square_unit = 1;

  // Groups that rows are sorted and counted by: classes, bins, or one for all.
  std::int32_t n_groups() const { return n_classes > 0 ? n_classes : n_bins > 0 ? n_bins : 1; }
  // Sums a criterion sees: one per class, or {weight, moment} for numbers.
  int width() const { return n_classes > 0 ? n_classes : 2; }
};

struct Target : TargetScale {
  // Classes: 0 .. n_classes - 1. Numbers: the bin of each, where bins decide which rows agree; else empty.
  std::vector<std::uint32_t> labels;

  // Growth weight (sample_weight * class weight * prior) of a row is growth[i] * growth_unit. Empty: every
  // row weighs 1.
  std::vector<std::int64_t> growth;
  // Sample weight alone, where it differs from the growth weight. Empty with growth filled: equal to it.
  // Empty with `unit_samples`: every row has sample weight 1.
  std::vector<std::int64_t> sample;

  // Numbers only. weight * (y - center) = moment[i] * moment_unit; weight * (y - center)^2 = square[i] *
  // square_unit; values holds y itself, for the purity test. Sums of moments and squares take 128 bits.
  std::vector<double> values;
  std::vector<std::int64_t> moment, square;

  // Rows behind each row, where rows stand for objects of several. Empty: one each.
  std::vector<std::uint32_t> multiplicity;

  bool weighted() const { return !growth.empty(); }
};

// A target in brief: all that a fit must know of it where its rows are elsewhere.
struct TargetHeader : TargetScale {
  TargetHeader() = default;
  TargetHeader(const Target& target);

  bool weighted = false;  // else every row weighs 1
  bool samples = false;   // sample weights differ from growth weights
  bool members = false;   // rows stand for several, and how many matters
  // Growth weights in fixed point: of all rows, of the lightest row and of the heaviest.
  std::int64_t total = 0, lightest = 1, heaviest = 1;
};

// The sum of positive weights, the same in whatever order they come: in units of 2^-80 of the power of two
// above the largest, `most`, which no sum of at most 2^46 weights overflows.
double order_free_total(std::span<const double> weights, double most);
// What weights of this sum are lifted to if they are less, and the unit of the fixed point of a sum that is
// so lifted. Throws BadInput where the sum is too small or too large to compute with.
double weight_floor(double total);
double weight_unit(double total);
// Means of a numeric target would be too coarse in a leaf of lifted weights: throws BadInput.
void refuse_weights_to_lift(double least, double most, double total);
// From the largest weight * |y - center| and weight * (y - center)^2; throws BadInput where sums of them
// overflow or vanish.
void set_moment_units(double most, double most_squared, TargetScale& target);

// `sample_weight`, `class_weight` and `priors` must be positive and finite; empty means all 1. `agreed`: the
// rows are a part of a table, whose units, centre and floors these are; null: they are all.
Target make_class_target(const std::int32_t* labels, std::size_t n_rows, std::int32_t n_classes,
                         const std::vector<double>& sample_weight, const std::vector<double>& class_weight,
                         const std::vector<double>& priors, const TargetScale* agreed = nullptr);
Target make_number_target(const double* y, std::size_t n_rows, const std::vector<double>& sample_weight,
                          const TargetScale* agreed = nullptr);
// The bin of each row of a numeric target: 0 .. n_bins - 1.
void set_bins(Target& target, std::span<const std::int32_t> bins, std::int32_t n_bins);

}  // namespace thriftree
