// QUEST's part of the loop: a variable by tests, then a split of it in two.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "choose/chooser.hpp"
#include "run/control.hpp"
#include "table/table.hpp"

namespace thriftree {

struct QuestRules {
  double alpha = 0.05;  // level of the tests, before it is divided by their number
  // Factors of the classes in the tree's weights; empty: all 1. Tests count rows by their sample weight,
  // without these, which are a matter of what errors cost and not of how much was seen.
  std::vector<double> class_factors;
  std::int64_t min_leaf_rows = 1;  // what both branches must keep of the rows that know the value
  double min_leaf_share = 0;
  std::optional<std::int64_t> subset_min_rows;        // a category of fewer rows goes with the heavier side
  std::optional<std::int64_t> subset_max_categories;  // on the side of fewer
};

// Chooses a variable by tests of significance, and divides its values by discriminant analysis.
std::unique_ptr<Chooser> make_quest_chooser(std::span<const Column> columns, const QuestRules& rules,
                                            Control& control);

// A column with the log p that it was chosen by.
struct QuestCandidate {
  std::uint32_t column = 0;
  double log_p = 0;
};

// Loh and Shih's choice among the columns of a node: the one selected with the log p that decided; then the
// others, the most significant first.
//
// The variable of least p, by analysis of variance or chi-squared, is taken if p is significant for so many
// tests (Bonferroni). Otherwise the number whose spread differs most between the classes, if that is
// significant for all tests so far. Otherwise the variable of least p all the same. `tested` has the columns,
// ascending, one at least; `spreads` gives those of numbers with log p of Levene's test.
std::vector<QuestCandidate> quest_order(const std::vector<QuestCandidate>& tested, double alpha,
                                        const std::function<std::vector<QuestCandidate>()>& spreads);

}  // namespace thriftree
