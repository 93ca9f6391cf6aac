#include "search/number_leaves.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>

#include "run/control.hpp"
#include "search/node_bits.hpp"

namespace thriftree {

namespace {

constexpr std::int64_t kMostSum = std::int64_t{1}
                                  << 51;  // doubles hold whole numbers exactly, and twice them
constexpr double kMostCost = 0x1p50;      // of all groups, in units
// Costs are rounded up by this much at least and gains down by one unit at most; what groups can cost is
// rounded up by as much as both can change.
constexpr double kCostMargin = 3, kTopMargin = 6;

void check_numbers(const SearchProblem& problem) {
  if (problem.number_sum.size() != problem.n_rows) throw BadInput("sums must have one entry per row");
  int exponent = 0;
  if (!(problem.number_unit > 0) || std::frexp(problem.number_unit, &exponent) != 0.5)
    throw BadInput("unit must be a power of two");
  std::int64_t sums = 0, weights = 0;
  for (std::size_t row = 0; row < problem.n_rows; ++row) {
    const std::int64_t sum = problem.number_sum[row], weight = problem.weight_of(row);
    if (weight == 0 && sum != 0) throw BadInput("a row without weight must have the sum 0");
    if (sum > kMostSum || sum < -kMostSum || weight > kMostSum)
      throw BadInput("sums and weights must be below 2^51: give them in coarser units");
    sums += sum < 0 ? -sum : sum;
    weights += weight;
    if (sums > kMostSum || weights > kMostSum)
      throw BadInput("sums and weights add up to more than 2^51: give them in coarser units");
  }
}

// Calls with each entry of the node that answers every column of `bits` with 1.
template <class Use>
void for_each_entry(const NodeBits& node, const std::uint64_t* a, const std::uint64_t* b, Use use) {
  for (std::size_t w = 0; w < node.n_words; ++w) {
    for (std::uint64_t bits = a[w] & b[w]; bits != 0; bits &= bits - 1)
      use(node.entry[64 * w + static_cast<std::size_t>(std::countr_zero(bits))]);
  }
}

template <class Use>
void for_each_entry(const NodeBits& node, Use use) {
  for (const NodeSegment& segment : node.segments) {
    const std::size_t begin = std::size_t{64} * segment.first_word;
    for (std::size_t i = begin; i < begin + segment.n_entries; ++i) use(node.entry[i]);
  }
}

}  // namespace

NumberLeaves::NumberLeaves(const SearchProblem& problem, const SearchOptions& options,
                           std::span<const std::uint32_t> group, std::size_t n_groups)
    : sum(n_groups),
      weight(n_groups),
      rows(n_groups),
      cost(n_groups),
      top(n_groups),
      unit(problem.number_unit),
      min_rows(options.min_leaf > 1 ? static_cast<double>(options.min_leaf) : 0),
      min_weight(static_cast<double>(options.min_leaf_weight)) {
  check_numbers(problem);
  for (std::size_t row = 0; row < problem.n_rows; ++row) {
    all_sums += std::abs(problem.number_sum[row]);
    all_weight += problem.weight_of(row);
    sum[group[row]] += static_cast<double>(problem.number_sum[row]);
    weight[group[row]] += static_cast<double>(problem.weight_of(row));
    rows[group[row]] += 1;
  }
  double low = HUGE_VAL, high = -HUGE_VAL, costs = 0, tops = 0;
  for (std::size_t i = 0; i < n_groups; ++i) {
    cost[i] = number_gain(sum[i], weight[i], unit) + kCostMargin;
    costs += cost[i];
    if (weight[i] == 0) continue;
    low = std::min(low, sum[i] / weight[i]);
    high = std::max(high, sum[i] / weight[i]);
  }
  if (costs > kMostCost) throw BadInput("the squared error is too large: give a smaller unit");
  all_costs = static_cast<std::int64_t>(costs);
  least_top_ = least_weight_ = HUGE_VAL;
  for (std::size_t i = 0; i < n_groups; ++i) {
    const double mean = weight[i] == 0 ? low : sum[i] / weight[i];
    const double away = std::max(mean - low, high - mean) * (1 + 1e-12);
    const double most = weight[i] == 0 ? 0 : std::ceil(weight[i] * away * away * unit * (1 + 1e-12));
    top[i] = most + kTopMargin;
    tops += top[i];
    least_top_ = std::min(least_top_, top[i]);
    least_weight_ = std::min(least_weight_, weight[i]);
  }
  if (tops > static_cast<double>(kMostSum))
    throw BadInput("the range of the target is too large: give a smaller unit");
}

std::int64_t NumberLeaves::leaf_cost(const NodeBits& node) const {
  double s = 0, w = 0, costs = 0;
  for_each_entry(node, [&](std::uint32_t i) {
    s += sum[i];
    w += weight[i];
    costs += cost[i];
  });
  return static_cast<std::int64_t>(costs - number_gain(s, w, unit));
}

std::int64_t NumberLeaves::shared_top(const NodeBits& node, std::size_t a, std::size_t b) const {
  double tops = 0;
  for_each_entry(node, node.bits(a), node.bits(b), [&](std::uint32_t i) { tops += top[i]; });
  return static_cast<std::int64_t>(tops);
}

bool NumberLeaves::is_pure(const NodeBits& node) const {
  __extension__ using Wide = __int128;
  double first_sum = 0, first_weight = 0;
  bool pure = true;
  for_each_entry(node, [&](std::uint32_t i) {
    if (weight[i] == 0) return;
    if (first_weight == 0) {
      first_sum = sum[i];
      first_weight = weight[i];
    }
    // Products of numbers below 2^53, compared exactly.
    pure = pure && static_cast<Wide>(sum[i]) * static_cast<Wide>(first_weight) ==
                       static_cast<Wide>(first_sum) * static_cast<Wide>(weight[i]);
  });
  return pure;
}

bool NumberLeaves::may_divide(const NodeBits& node, std::size_t c, std::int64_t least_top) const {
  std::size_t all = 0, ones = 0;
  for (const NodeSegment& segment : node.segments) all += segment.n_entries;
  const std::uint64_t* bits = node.bits(c);
  for (std::size_t w = 0; w < node.n_words; ++w) ones += static_cast<std::size_t>(std::popcount(bits[w]));
  const double least[3] = {static_cast<double>(least_top), min_rows, min_weight};
  const double of_one[3] = {least_top_, 1, least_weight_};
  const std::vector<double>* amounts[3] = {&top, &rows, &weight};
  const auto fewer = static_cast<double>(std::min(ones, all - ones));
  for (std::size_t k = 0; k < 3; ++k) {
    if (fewer * of_one[k] >= least[k]) continue;  // whatever the entries are
    const std::vector<double>& amount = *amounts[k];
    double sum_of_all = 0, sum_of_ones = 0;
    for_each_entry(node, [&](std::uint32_t i) { sum_of_all += amount[i]; });
    for_each_entry(node, bits, bits, [&](std::uint32_t i) { sum_of_ones += amount[i]; });
    if (sum_of_ones < least[k] || sum_of_all - sum_of_ones < least[k]) return false;
  }
  return true;
}

std::int64_t number_cost(const SearchProblem& problem, const std::vector<std::uint32_t>& rows) {
  std::int64_t sum = 0, weight = 0;
  for (auto row : rows) {
    sum += problem.number_sum[row];
    weight += problem.weight_of(row);
  }
  return -static_cast<std::int64_t>(
      number_gain(static_cast<double>(sum), static_cast<double>(weight), problem.number_unit));
}

double least_number_cost(const SearchProblem& problem) {
  double gains = 0;
  for (std::size_t row = 0; row < problem.n_rows; ++row)
    gains += number_gain(static_cast<double>(problem.number_sum[row]),
                         static_cast<double>(problem.weight_of(row)), problem.number_unit) +
             1;
  return -gains * (1 + 1e-12);
}

}  // namespace thriftree
