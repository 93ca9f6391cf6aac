// The tests by which QUEST chooses a column, from the weight of each class at each value of it.
#pragma once

#include <span>
#include <vector>

namespace thriftree {

// Moves ascending values, the first below the last, to the scale from 0 to 1: no test and no split depends on
// the scale, and there the squares of large numbers do not overflow, nor those of small ones vanish.
void scale_to_one(std::vector<double>& values);

// log p of the F test that the mean of the values (from 0 to 1, ascending) is the same in all classes, by the
// weights counts[value * n_classes + class]. Where the rows are no more than the classes there is no test:
// log p is 0.
double log_p_of_means(std::span<const double> values, std::span<const double> counts, std::size_t n_classes);

// log p of Levene's test that the spread is the same in all classes: the analysis of variance of the absolute
// distances from the class means. Two rows are always equally far from their mean: where no class has more,
// there is no test.
double log_p_of_spreads(std::span<const double> values, std::span<const double> counts,
                        std::size_t n_classes);

// log p of Pearson's chi-squared test that the categories have one distribution of classes.
double log_p_of_categories(std::span<const double> counts, std::size_t n_classes);

}  // namespace thriftree
