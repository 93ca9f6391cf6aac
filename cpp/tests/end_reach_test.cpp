// Columns of few codes from afar, and nodes that a test leaves nothing to gain at, against all their
// thresholds.
#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "choose/chooser.hpp"
#include "criterion/impurity_registry.hpp"
#include "rows/reach.hpp"
#include "testing.hpp"

using namespace thriftree;

namespace {

// Some columns of a node, by class, each of which has all rows of the node.
struct CountedColumns {
  std::size_t n_classes;
  std::vector<EndColumn> columns;
  std::size_t stride = 0;
  std::vector<std::uint32_t> counts;
  std::vector<double> sums;
  double total = 0;

  explicit CountedColumns(std::mt19937& random) : n_classes(2 + random() % 11), sums(n_classes) {
    for (std::size_t j = 0; j < 5; ++j) {
      columns.push_back({static_cast<std::uint32_t>(stride), 1 + static_cast<std::uint32_t>(random() % 32)});
      stride += columns.back().n_codes;
    }
    counts.resize(n_classes * stride + EndCounts::padding);
    const std::size_t n_rows = 2 + random() % (random() % 2 ? 20 : 5000), n_there = 1 + random() % n_classes;
    for (std::size_t i = 0; i < n_rows; ++i) {
      const std::size_t label = random() % n_there;
      sums[label] += 1;
      total += 1;
      for (std::size_t j = 0; j < columns.size(); ++j) {
        std::size_t code = random() % columns[j].n_codes;
        if (j == 1) code = std::min<std::size_t>(label, columns[j].n_codes - 1);  // says much
        if (j == 2) code = columns[j].n_codes / 2;                                // is constant
        ++counts[label * stride + columns[j].slot + code];
      }
    }
  }
  NodeSums node() const { return {sums, total}; }
  std::uint32_t count(std::size_t j, std::size_t k, std::size_t code) const {
    return counts[k * stride + columns[j].slot + code];
  }
};

struct Ends {
  double most = -1;  // that a threshold gains, in the units of filters
  bool constant = true;
};

Ends ends_of(const Impurity& impurity, const CountedColumns& counted, std::size_t j, double least) {
  Ends ends;
  std::vector<double> left(counted.n_classes);
  double total = 0;
  for (std::size_t code = 0; code + 1 < counted.columns[j].n_codes; ++code) {
    for (std::size_t k = 0; k < counted.n_classes; ++k) {
      left[k] += counted.count(j, k, code);
      total += counted.count(j, k, code);
    }
    if (total == 0 || total == counted.total) continue;
    ends.constant = false;
    if (total < least || counted.total - total < least) continue;
    std::vector<double> both = left;
    for (std::size_t k = 0; k < counted.n_classes; ++k) both.push_back(counted.sums[k] - left[k]);
    const double totals[2] = {total, counted.total - total};
    const double decrease = impurity.decrease(counted.node(), {both, totals});
    CHECK(decrease <= impurity.largest_decrease(counted.node()));
    ends.most = std::max(ends.most, counted.total * decrease);
  }
  return ends;
}

}  // namespace

TEST(no_end_of_a_code_gains_more_than_is_seen_from_afar_of_all_columns_at_once) {
  std::mt19937 random(23);
  int skipped = 0;
  for (const std::string name : {"gini", "entropy"}) {
    const auto impurity = make_impurity(name);
    for (int trial = 0; trial < 1500; ++trial) {
      const CountedColumns counted(random);
      const double least = random() % 2 == 0 ? 0 : std::floor(counted.total * 0.2);
      const auto bound = impurity->bound()->from_afar(counted.node());
      if (!bound) continue;
      ReachScratch scratch;
      std::vector<EndReach> seen;
      CHECK(reach_of_ends({counted.counts.data(), counted.stride, counted.columns},
                          {*bound, counted.total, least, 0}, scratch, seen));
      double most = -1;
      for (std::size_t j = 0; j < counted.columns.size(); ++j) {
        const Ends ends = ends_of(*impurity, counted, j, least);
        CHECK(seen[j].constant == ends.constant);
        CHECK(ends.most <= std::max(seen[j].reach, -1.0));
        CHECK((ends.most >= 0) == (seen[j].reach >= 0));
        if (name == "gini" && ends.most >= 0) CHECK(seen[j].reach <= ends.most * 1.001 + 0.001);
        most = std::max(most, ends.most);
      }
      for (const EndReach& one : seen) skipped += one.reach < most;
    }
  }
  CHECK(skipped > 1000);
}

TEST(nothing_is_clearly_better_than_a_test_whose_branches_are_pure) {
  std::mt19937 random(29);
  for (const std::string name : {"gini", "entropy", "misclassification"}) {
    const auto impurity = make_impurity(name);
    for (int trial = 0; trial < 2000; ++trial) {
      const std::size_t n_classes = 2 + random() % 9;
      std::vector<double> sums(n_classes), both(2 * n_classes);
      const std::size_t a = random() % n_classes, b = (a + 1 + random() % (n_classes - 1)) % n_classes;
      const double weight = random() % 2 ? 1 : 0.1 * static_cast<double>(1 + random() % 30);
      const double on_left = weight * static_cast<double>(1 + random() % 20),
                   on_right = weight * static_cast<double>(1 + random() % 20);
      both[a] = sums[a] = on_left;
      both[n_classes + b] = sums[b] = on_right;
      const double totals[2] = {on_left, on_right};
      const NodeSums node{sums, on_left + on_right};
      const double decrease = impurity->decrease(node, {both, totals});
      CHECK(decrease <= impurity->largest_decrease(node));
      // Of a node that is nearly pure, rounding is no longer small.
      if (impurity->of(node) > 0.1) CHECK(!clearly_better(impurity->largest_decrease(node), decrease));
    }
  }
}
