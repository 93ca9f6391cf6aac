#include "choose/chaid_merging.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>

#include "choose/chaid_halves.hpp"
#include "choose/pairwise_sum.hpp"

namespace thriftree {

namespace {

constexpr double kUnlike = std::numeric_limits<double>::infinity();

using Group = std::vector<std::uint32_t>;

// One predictor on its way from categories to groups.
class Merging {
 public:
  Merging(const Categories& categories, const ChaidRules& rules, ContingencyTests& tests,
          const ChaidLimits& limits)
      : categories_(categories), rules_(rules), tests_(tests), limits_(limits) {}

  // The steps of Kass (1980): merge the pair that is most alike until every pair differs; then divide the
  // compound of three or more categories whose halves differ most, if they do, and merge again.
  GroupMembers kass() {
    const double threshold = std::log(rules_.alpha_merge);
    GroupMembers members = threshold < 0 ? alike() : singles();
    std::set<Group> divided;  // compounds are divided once, so that the steps come to an end
    for (;;) {
      members = merged(members, threshold, divided);
      if (!rules_.alpha_resplit) return members;
      std::optional<GroupHalves> found;
      for (const Group& group : members) {
        auto halves = best_halves(categories_, group, std::log(*rules_.alpha_resplit), tests_, limits_.poll);
        if (halves && (!found || *halves < *found)) found = std::move(halves);
      }
      if (!found) return members;
      Group compound = found->left;
      compound.insert(compound.end(), found->right.begin(), found->right.end());
      std::sort(compound.begin(), compound.end());
      members.erase(std::find(members.begin(), members.end(), compound));
      members.push_back(std::move(found->left));
      members.push_back(std::move(found->right));
      std::sort(members.begin(), members.end());
      divided.insert(std::move(compound));
    }
  }

  // Biggs, de Ville and Suen (1991): merge down to two groups, take the stage of the smallest p-value.
  GroupMembers exhaustive() {
    const auto groups = groups_from(alike());
    double least = kUnlike;
    GroupMembers best = groups->members();
    while (groups->n_groups() > 1) {
      const double log_p = tests_.of_table(groups->table()).log_p();
      if (log_p < least - 1e-12 * std::abs(log_p)) {
        least = log_p;
        best = groups->members();
      }
      groups->merge(groups->closest());
    }
    return best;
  }

  // Groups below the least size join the group most like them.
  GroupMembers large_enough(GroupMembers members) {
    const bool any_small = std::any_of(members.begin(), members.end(), [&](const Group& group) {
      GroupSize size;
      for (const std::uint32_t i : group) {
        size.rows += categories_.sizes[i].rows;
        size.weight += categories_.sizes[i].weight;
      }
      return size.below(rules_.least);
    });
    if (members.size() < 2 || !any_small) return members;
    const auto groups = groups_from(members);
    for (;;) {
      const GroupPair pair = groups->closest(&rules_.least);
      if (pair.log_p == -kUnlike) return groups->members();
      groups->merge(pair);
    }
  }

 private:
  GroupMembers merged(const GroupMembers& members, double threshold, const std::set<Group>& divided) {
    const auto groups = groups_from(members);
    for (;;) {
      const GroupPair pair = groups->closest();
      if (!(pair.log_p > threshold)) return groups->members();
      if (!divided.empty() && divided.contains(groups->joined(pair))) {
        groups->bar(pair);
      } else {
        groups->merge(pair);
      }
    }
  }

  std::unique_ptr<CategoryGroups> groups_from(const GroupMembers& members) {
    if (!categories_.ordered) limits_.afford(kBytesPerPair * members.size() * members.size());
    return groups_of(categories_, members, tests_, limits_.poll);
  }

  GroupMembers singles() const {
    GroupMembers members(categories_.size());
    for (std::size_t i = 0; i < members.size(); ++i) members[i] = {static_cast<std::uint32_t>(i)};
    return members;
  }

  // Categories of the same class shares, together. They would be the first to be merged (p = 1), in whatever
  // order, so this only saves time: most where there are many rare categories, or many values.
  GroupMembers alike() const {
    const std::size_t n = categories_.size(), n_classes = tests_.n_classes();
    std::vector<double> shares(categories_.table.begin(), categories_.table.end());
    for (std::size_t i = 0; i < n; ++i) {
      double* const row = shares.data() + i * n_classes;
      const double weight = pairwise_sum(row, n_classes);
      for (std::size_t k = 0; k < n_classes; ++k) row[k] /= weight;
    }
    const auto row = [&](std::size_t i) {
      return std::span<const double>(shares.data() + i * n_classes, n_classes);
    };
    const auto equal = [&](std::size_t a, std::size_t b) {
      return std::equal(row(a).begin(), row(a).end(), row(b).begin());
    };
    std::vector<std::uint32_t> order(n);
    std::iota(order.begin(), order.end(), 0U);
    if (!categories_.ordered) {
      std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
        return std::lexicographical_compare(row(a).begin(), row(a).end(), row(b).begin(), row(b).end());
      });
    }
    GroupMembers members;
    for (std::size_t i = 0; i < n; ++i) {
      const bool apart = categories_.floating && i + 1 == n;
      if (i == 0 || apart || !equal(order[i - 1], order[i])) members.emplace_back();
      members.back().push_back(order[i]);
    }
    std::sort(members.begin(), members.end());
    return members;
  }

  const Categories& categories_;
  const ChaidRules& rules_;
  ContingencyTests& tests_;
  const ChaidLimits& limits_;
};

}  // namespace

double ChaidRules::adjusted(double log_p, const Categories& categories, std::size_t n_groups) const {
  return log_multiplier ? log_p + log_multiplier(scale_of(categories), categories.size(), n_groups) : log_p;
}

std::optional<Grouping> group_categories(const Categories& categories, const ChaidRules& rules,
                                         ContingencyTests& tests, const ChaidLimits& limits) {
  Merging merging(categories, rules, tests, limits);
  Grouping found;
  found.groups = merging.large_enough(rules.exhaustive ? merging.exhaustive() : merging.kass());
  if (found.groups.size() < 2) return {};
  const std::size_t n_classes = tests.n_classes();
  std::vector<double> table(found.groups.size() * n_classes, 0.0);
  for (std::size_t g = 0; g < found.groups.size(); ++g) {
    for (const std::uint32_t i : found.groups[g]) {
      for (std::size_t k = 0; k < n_classes; ++k)
        table[g * n_classes + k] += categories.table[i * n_classes + k];
    }
  }
  const TableTest test = tests.of_table(table);
  found.scale = scale_of(categories);
  found.n_categories = categories.size();
  found.statistic = test.statistic;
  found.freedom = test.freedom;
  found.log_p = test.log_p();
  found.log_adjusted = rules.adjusted(found.log_p, categories, found.groups.size());
  return found;
}

}  // namespace thriftree
