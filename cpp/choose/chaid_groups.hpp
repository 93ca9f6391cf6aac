// Groups of a predictor's categories, and which two of them are most alike.
//
// Two ways to keep them: intervals of ordered categories (the missing ones may float), and sets of unordered
// ones. Both know the log p-value of every pair that may be merged, and after a merger find anew only those
// that it changed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "choose/contingency.hpp"

namespace thriftree {

// Of each group: its categories, by their rows in the table, ascending.
using GroupMembers = std::vector<std::vector<std::uint32_t>>;

// Rows and weight: what a category has, or a branch must have.
struct GroupSize {
  double rows = 0, weight = 0;
  bool below(const GroupSize& least) const { return rows < least.rows || weight < least.weight; }
};

// What is to be grouped: a row for each category seen at a node.
struct Categories {
  std::span<const double> table;  // [category * n_classes + class]: sums of sample weight
  std::span<const GroupSize> sizes;
  bool ordered = false;
  bool floating = false;  // ordered, but for the last, the missing values
  std::size_t size() const { return sizes.size(); }
};

// Places of two groups, a < b, and the log p-value of the test between them: the larger, the more alike.
struct GroupPair {
  double log_p = -std::numeric_limits<double>::infinity();
  std::size_t a = 0, b = 0;
};

// Groups of categories. The place of a group is good until the next merger.
class CategoryGroups {
 public:
  // `poll` is called now and then, and ends what takes too long by an exception.
  CategoryGroups(const Categories& categories, const GroupMembers& members, ContingencyTests& tests,
                 const std::function<void()>& poll);
  virtual ~CategoryGroups() = default;
  CategoryGroups(const CategoryGroups&) = delete;
  CategoryGroups& operator=(const CategoryGroups&) = delete;

  // The groups, by their first category; a floating category that is alone comes last.
  GroupMembers members() const;
  std::size_t n_groups() const { return n_groups_; }
  // [group * n_classes + class], in no special order; good until the next merger.
  virtual std::span<const double> table() = 0;
  // The categories of both groups.
  std::vector<std::uint32_t> joined(const GroupPair& pair) const;

  // The pair that is most alike; if a size is given, of those with a group below it. Its log p is -inf where
  // no pair may be merged.
  virtual GroupPair closest(const GroupSize* below = nullptr) = 0;
  // Makes the two groups one.
  virtual void merge(const GroupPair& pair) = 0;
  // Never offers this pair again, until one of the two is merged with another.
  virtual void bar(const GroupPair& pair) = 0;

 protected:
  double* row(std::size_t place) { return tables_.data() + place * tests_.n_classes(); }
  double log_p(std::size_t a, std::size_t b) { return tests_.log_p_of_pair(row(a), row(b)); }
  void add_to_first(const GroupPair& pair);

  ContingencyTests& tests_;
  const std::function<void()>& poll_;
  // By place; where a group was merged into another, there may be a gap: no members, and sums of 0.
  GroupMembers members_;
  std::vector<double> tables_;
  std::vector<GroupSize> sizes_;
  std::size_t n_groups_;
};

// The groups as these categories are to be kept.
std::unique_ptr<CategoryGroups> groups_of(const Categories& categories, const GroupMembers& members,
                                          ContingencyTests& tests, const std::function<void()>& poll);

// Bytes that the groups of so many unordered categories take, for each pair.
inline constexpr std::size_t kBytesPerPair = sizeof(double);

}  // namespace thriftree
