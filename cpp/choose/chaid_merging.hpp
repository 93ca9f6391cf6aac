// How CHAID groups the categories of one predictor: mergers, halves, groups that are too small.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "choose/chaid_groups.hpp"

namespace thriftree {

// Which categories may share a group: neighbours; any; neighbours but for one, the missing values.
enum class CategoryScale { ordered, unordered, floating };

// The logarithm of what the p-value of so many groups of so many categories is multiplied by.
using LogMultiplier =
    std::function<double(CategoryScale scale, std::size_t n_categories, std::size_t n_groups)>;

// What CHAID does with a predictor.
struct ChaidRules {
  double alpha_split = 0.05, alpha_merge = 0.05;
  std::optional<double> alpha_resplit = 0.05;  // none: what was merged stays so
  bool exhaustive = false;
  ChiSquared statistic = ChiSquared::pearson;
  GroupSize least;               // what each group must have
  LogMultiplier log_multiplier;  // empty: p-values are not adjusted

  double adjusted(double log_p, const Categories& categories, std::size_t n_groups) const;
};

// A predictor's groups, and the test of their table.
struct Grouping {
  GroupMembers groups;
  CategoryScale scale = CategoryScale::ordered;
  std::size_t n_categories = 0;
  double statistic = 0;
  std::size_t freedom = 0;
  double log_p = 0;
  double log_adjusted = 0;  // log of p-value times multiplier; above 0 the adjusted p-value is 1
};

inline CategoryScale scale_of(const Categories& categories) {
  if (!categories.ordered) return CategoryScale::unordered;
  return categories.floating ? CategoryScale::floating : CategoryScale::ordered;
}

// What ends work that takes too long, or too much memory: both throw.
struct ChaidLimits {
  std::function<void()> poll = [] {};
  std::function<void(std::size_t bytes)> afford = [](std::size_t) {};
};

// The groups of a predictor's categories by the rules; none if all of them are one group.
std::optional<Grouping> group_categories(const Categories& categories, const ChaidRules& rules,
                                         ContingencyTests& tests, const ChaidLimits& limits);

// A log p-value, adjusted, that no grouping of the categories goes below. Grouping takes time, and most
// columns of a node cannot win.
double least_log_p(const Categories& categories, const ChaidRules& rules, ContingencyTests& tests);

}  // namespace thriftree
