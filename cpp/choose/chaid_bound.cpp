// How small the adjusted p-value of a column can be at best, before its categories are grouped. Merging rows
// of a table never raises its statistic, so r groups have at most the statistic of all categories; of two
// groups the best is known exactly.
#include <algorithm>
#include <limits>
#include <numeric>

#include "choose/chaid_merging.hpp"
#include "choose/pairwise_sum.hpp"

namespace thriftree {

namespace {

constexpr std::size_t kMany = 64;  // categories; the multipliers of more are not worth their time

// An order of the categories of which the best two groups are a cut, if there is one: for unordered
// categories of two classes that of their shares.
std::vector<std::size_t> in_row(const Categories& categories, std::size_t n_classes) {
  std::vector<std::size_t> order(categories.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (categories.ordered || n_classes != 2) return order;
  std::vector<double> share;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const double* const row = categories.table.data() + 2 * i;
    share.push_back(row[0] / (row[0] + row[1]));
  }
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return share[a] < share[b]; });
  return order;
}

// The largest statistic of two groups: a cut of the row, a floating category on either side of it or alone.
double best_cut(const Categories& categories, ContingencyTests& tests) {
  const std::size_t n_classes = tests.n_classes();
  const std::vector<std::size_t> order = in_row(categories, n_classes);
  std::vector<double> total(n_classes, 0.0), left(n_classes, 0.0), one(n_classes), rest(n_classes);
  const auto row = [&](std::size_t i) { return categories.table.data() + i * n_classes; };
  for (std::size_t i = 0; i < categories.size(); ++i) {
    for (std::size_t k = 0; k < n_classes; ++k) total[k] += row(i)[k];
  }
  double best = 0;
  const auto offer = [&](const double* half) {
    for (std::size_t k = 0; k < n_classes; ++k) rest[k] = total[k] - half[k];
    best = std::max(best, tests.of_pair(half, rest.data()).statistic);
  };
  const double* const last = row(categories.size() - 1);
  for (std::size_t i = 0; i + 1 < order.size(); ++i) {
    for (std::size_t k = 0; k < n_classes; ++k) left[k] += row(order[i])[k];
    offer(left.data());
    if (!categories.floating) continue;
    for (std::size_t k = 0; k < n_classes; ++k) one[k] = left[k] + last[k];
    if (i + 2 < order.size()) offer(one.data());
  }
  if (categories.floating) offer(last);
  return best;
}

}  // namespace

double least_log_p(const Categories& categories, const ChaidRules& rules, ContingencyTests& tests) {
  const std::size_t n = categories.size();
  TableTest test = tests.of_table(categories.table);
  const double all = test.statistic;
  const std::size_t freedom = tests.n_classes() - 1;
  const bool free = !categories.ordered && tests.n_classes() > 2;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t n_groups = 2; n_groups <= n; ++n_groups) {
    test.statistic = n_groups == 2 && !free ? best_cut(categories, tests) : all;
    test.freedom = (n_groups - 1) * freedom;
    const double log_p = test.log_p();
    // With more groups the same statistic is less sure, and a multiplier is 1 at least.
    if (n_groups > 2 && log_p >= least) break;
    least = std::min(least, n > kMany ? log_p : rules.adjusted(log_p, categories, n_groups));
  }
  return least;
}

}  // namespace thriftree
