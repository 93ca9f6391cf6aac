#include "rows/reach.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

#include "rows/eight_lanes.hpp"
#include "rows/histogram.hpp"
#include "run/cpu.hpp"

namespace thriftree {

namespace {

constexpr std::size_t kMostEnds = 256 + kCountLanes;  // rows of floats, with room for whole vectors
constexpr double kNoReach = -std::numeric_limits<double>::infinity();

// before[i] = first + the sum of counts up to i, without it; total with it. n counts, n + 1 ends.
THRIFTREE_BY_CPU(void, run_over,
                 (const std::int32_t* counts, std::size_t n, std::int32_t first, float* before, float* total),
                 (counts, n, first, before, total)) {
  EightCounts carry = EightCounts{} + first;
  before[0] = static_cast<float>(first);
  total[0] += before[0];
  std::size_t i = 0;
  for (; i + kCountLanes <= n; i += kCountLanes) {
    EightCounts sums;
    add_up(counts + i, carry, sums);
    const EightNumbers numbers = __builtin_convertvector(sums, EightNumbers);
    EightNumbers of_all;
    std::memcpy(&of_all, total + i + 1, sizeof of_all);
    of_all += numbers;
    std::memcpy(before + i + 1, &numbers, sizeof numbers);
    std::memcpy(total + i + 1, &of_all, sizeof of_all);
  }
  std::int32_t sum = carry[0];
  for (; i < n; ++i) {
    sum += counts[i];
    before[i + 1] = static_cast<float>(sum);
    total[i + 1] += before[i + 1];
  }
}

// Adds factor * d^2 of a class, d the largest within each code. What it has there is between before[i] and
// before[i + 1], and the others between their ends; `error` is what single precision may lose of d.
THRIFTREE_BY_CPU(void, add_largest,
                 (const float* before, const float* total, std::size_t n, float share, float factor,
                  float error, float* __restrict squares),
                 (before, total, n, share, factor, error, squares)) {
  for (std::size_t i = 0; i < n; ++i) {
    const float in_code = before[i + 1] - before[i];
    const float over = before[i + 1] - share * (total[i] + in_code);
    const float under = share * (total[i + 1] - in_code) - before[i];
    const float d = (over > under ? over : under) + error;
    squares[i] += factor * d * d;
  }
}

// The largest bound of any code that has an allowed threshold. Totals are known within `error`.
THRIFTREE_BY_CPU(float, largest_of,
                 (const float* total, const float* squares, std::size_t n, float all, float least, float most,
                  float error),
                 (total, squares, n, all, least, most, error)) {
  float largest[kCountLanes];
  std::fill_n(largest, kCountLanes, kNotAllowed);
  for (std::size_t first = 0; first < n; first += kCountLanes) {
    for (std::size_t lane = 0; lane < kCountLanes; ++lane) {
      const std::size_t i = first + lane;
      const float left = total[i + 1] + error, right = all - total[i] + error;  // at most
      const float known_left = total[i] - error, known_right = all - total[i + 1] - error;
      const float least_left = known_left > least ? known_left : least;
      const float least_right = known_right > least ? known_right : least;
      const float a = squares[i] / least_left, b = squares[i] / least_right;
      const float of_left = a < most * left ? a : most * left, of_right = b < most * right ? b : most * right;
      const float gain = (left >= least) & (right >= least) ? of_left + of_right : kNotAllowed;
      largest[lane] = gain > largest[lane] ? gain : largest[lane];
    }
  }
  return *std::max_element(largest, largest + kCountLanes);
}

THRIFTREE_BY_CPU(void, shift_down, (const std::int64_t* from, std::size_t n, int shift, std::int32_t* to),
                 (from, n, shift, to)) {
  for (std::size_t i = 0; i < n; ++i) to[i] = static_cast<std::int32_t>(from[i] >> shift);
}

template <typename Count>
const std::int32_t* small_counts(const ClassCounts<Count>& counts, std::size_t k, ReachScratch& scratch) {
  const Count* from = counts.counts + k * counts.stride;
  if constexpr (std::is_same_v<Count, std::uint32_t>) {
    return reinterpret_cast<const std::int32_t*>(from);  // a table has fewer than 2^31 rows
  } else {
    scratch.counts.resize(kMostEnds);
    shift_down(from, counts.n_known, counts.shift, scratch.counts.data());
    return scratch.counts.data();
  }
}

// With missing values on the left, or on the right.
template <typename Count>
float reach_of_side(const ClassCounts<Count>& counts, const AfarNode& node, bool missing_left,
                    ReachScratch& scratch) {
  const std::size_t n = counts.n_known, n_classes = node.bound.share.size();
  const std::size_t stride =
      (n + 2 * kCountLanes) / kCountLanes * kCountLanes;  // the ends, and room for a whole vector
  scratch.before.resize(n_classes * stride);
  scratch.total.assign(stride, 0.0F);
  scratch.squares.assign(stride, 0.0F);
  for (std::size_t k = 0; k < n_classes; ++k) {
    std::int32_t first = 0;
    if (missing_left) first = static_cast<std::int32_t>(counts.counts[k * counts.stride + n] >> counts.shift);
    run_over(small_counts(counts, k, scratch), n, first, scratch.before.data() + k * stride,
             scratch.total.data());
  }
  const auto all = static_cast<float>(node.total / counts.unit);
  // Roundings of sums, of products and of differences, each of at most 2^-24 of the whole; and what `shift`
  // has left out of every code.
  const float error = all * 0x1p-24F * static_cast<float>(n_classes + 10) +
                      (std::is_same_v<Count, std::uint32_t> ? 0.0F : static_cast<float>(kMostEnds));
  for (std::size_t k = 0; k < n_classes; ++k)
    add_largest(scratch.before.data() + k * stride, scratch.total.data(), n,
                static_cast<float>(node.bound.share[k]), static_cast<float>(node.bound.factor[k]), error,
                scratch.squares.data());
  // Beyond the last end nothing is to be gained: there is nothing on the left.
  std::fill(scratch.total.begin() + static_cast<std::ptrdiff_t>(n) + 1, scratch.total.end(), -1e30F);
  const float least = std::max(static_cast<float>(node.least / counts.unit * (1 - 1e-5)), 0.5F);
  return largest_of(scratch.total.data(), scratch.squares.data(), n, all, least,
                    static_cast<float>(node.bound.most), error);
}

template <typename Count>
double reach_of_column(const ClassCounts<Count>& counts, const AfarNode& node, ReachScratch& scratch) {
  float reach = reach_of_side(counts, node, false, scratch);
  if (counts.has_missing) reach = std::max(reach, reach_of_side(counts, node, true, scratch));
  return reach < 0 ? kNoReach : static_cast<double>(reach) * counts.unit * (1 + 1e-5);
}

// half becomes half of the root, which is how far sums of parts of a code may be off the line between those
// of its ends (Cauchy-Schwarz); what comes out is the largest bound of any code that has an allowed
// threshold.
THRIFTREE_BY_CPU(double, largest_of_numbers,
                 (const double* weight, const double* off, const double* square, double* half, std::size_t n,
                  double all, double squares, double least, double error),
                 (weight, off, square, half, n, all, squares, least, error)) {
  for (std::size_t i = 0; i < n; ++i) {
    const double from = off[i] < 0 ? -off[i] : off[i], to = off[i + 1] < 0 ? -off[i + 1] : off[i + 1];
    const double d = (from > to ? from : to) + std::sqrt(half[i]) / 2 + error;
    const double least_left = weight[i] > least ? weight[i] : least;
    const double least_right = all - weight[i + 1] > least ? all - weight[i + 1] : least;
    const double a = d * d / least_left, b = d * d / least_right;
    const double right = squares - square[i];
    const double gain = (a < square[i + 1] ? a : square[i + 1]) + (b < right ? b : right);
    half[i] = (weight[i + 1] >= least) & (all - weight[i] >= least) ? gain : kNotAllowed;
  }
  double largest[kCountLanes];
  std::fill_n(largest, kCountLanes, kNotAllowed);
  for (std::size_t i = n; i % kCountLanes != 0; ++i) half[i] = kNotAllowed;
  for (std::size_t first = 0; first < n; first += kCountLanes) {
    for (std::size_t lane = 0; lane < kCountLanes; ++lane)
      largest[lane] = half[first + lane] > largest[lane] ? half[first + lane] : largest[lane];
  }
  return *std::max_element(largest, largest + kCountLanes);
}

double reach_of_side(const NumberCounts& counts, const AfarNode& node, bool missing_left,
                     ReachScratch& scratch) {
  const std::size_t n = counts.n_known;
  for (auto* of_ends : {&scratch.weight, &scratch.off, &scratch.square, &scratch.half})
    of_ends->resize(kMostEnds);
  const double mean = node.bound.mean;
  double weight = 0, off = 0, square = 0;
  // Adds a code, and returns what `half` is of it.
  const auto add = [&](const NumberSums& of_code) {
    const double v = counts.weighted ? static_cast<double>(of_code.weight) * counts.weight_unit
                                     : static_cast<double>(of_code.rows());
    const double y = (static_cast<double>(static_cast<std::int64_t>(of_code.high)) * 0x1p32 +
                      static_cast<double>(of_code.low)) *
                     counts.moment_unit;
    const double squares = static_cast<double>(of_code.steps()) * counts.square_step;
    const double about_mean = squares - 2 * mean * y + mean * mean * v, beyond = y - mean * v;
    // All of it may be rounding, of which the root is no longer small.
    const double rounding = 1e-14 * (squares + mean * mean * v + std::abs(2 * mean * y));
    const double spread = std::max(about_mean + rounding, 0.0);
    weight += v;
    off += beyond;
    square += spread;
    return std::max(v * spread - beyond * beyond, 0.0) + 1e-14 * v * spread;
  };
  if (missing_left) add(counts.counts[n]);
  for (std::size_t i = 0; i < n; ++i) {
    scratch.weight[i] = weight;
    scratch.off[i] = off;
    scratch.square[i] = square;
    scratch.half[i] = add(counts.counts[i]);
  }
  scratch.weight[n] = weight;
  scratch.off[n] = off;
  scratch.square[n] = square;
  if (counts.has_missing && !missing_left) add(counts.counts[n]);
  return largest_of_numbers(scratch.weight.data(), scratch.off.data(), scratch.square.data(),
                            scratch.half.data(), n, node.total, square,
                            std::max(node.least * (1 - 1e-9), 1e-300), 1e-12 * node.total * node.largest);
}

}  // namespace

double reach_of(const NumberCounts& counts, const AfarNode& node, ReachScratch& scratch) {
  double reach = reach_of_side(counts, node, false, scratch);
  if (counts.has_missing) reach = std::max(reach, reach_of_side(counts, node, true, scratch));
  return reach < 0 ? kNoReach : reach * (1 + 1e-9);
}
double reach_of(const ClassCounts<std::uint32_t>& counts, const AfarNode& node, ReachScratch& scratch) {
  return reach_of_column(counts, node, scratch);
}
double reach_of(const ClassCounts<std::int64_t>& counts, const AfarNode& node, ReachScratch& scratch) {
  return reach_of_column(counts, node, scratch);
}

}  // namespace thriftree
