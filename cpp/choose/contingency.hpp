// Chi-squared tests of tables of counts: categories in rows, classes in columns.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace thriftree {

enum class ChiSquared { pearson, likelihood_ratio };

// A statistic and its degrees of freedom.
struct TableTest {
  double statistic = 0;
  std::size_t freedom = 0;
  double log_p() const;
};

// A test of tables with so many classes, and the scratch that it takes.
class ContingencyTests {
 public:
  ContingencyTests(ChiSquared statistic, std::size_t n_classes)
      : statistic_(statistic), n_classes_(n_classes), parts_(n_classes) {}

  std::size_t n_classes() const { return n_classes_; }

  // Of a table [category * n_classes + class]. Empty rows and columns count for nothing.
  TableTest of_table(std::span<const double> table);
  // Of two rows of n_classes each; the statistic is 0 where one is empty.
  TableTest of_pair(const double* a, const double* b);
  double log_p_of_pair(const double* a, const double* b) { return of_pair(a, b).log_p(); }

 private:
  double statistic_of(std::span<const double> table);

  ChiSquared statistic_;
  std::size_t n_classes_;
  std::vector<double> parts_, of_class_, of_category_;
};

}  // namespace thriftree
