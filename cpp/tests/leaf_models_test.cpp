// Linear models of leaves: the equations hold, whichever way they are solved, and limits are kept.
#include "prune/leaf_models.hpp"

#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "refused.hpp"
#include "testing.hpp"
#include "tree/builder.hpp"

using namespace thriftree;
using thriftree::testing::refused;

namespace {

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

// Numbers that repeat for the same seed.
struct RepeatedNumbers {
  std::uint64_t state;
  double next() {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return static_cast<double>(state >> 11) / 9007199254740992.0 - 0.5;
  }
};

struct ModelTable {
  std::vector<double> values, target, weight;
  std::size_t n_columns;
  ModelRows rows() const { return {values, n_columns, target, weight}; }
};

ModelTable model_table(std::size_t n_rows, std::size_t n_columns) {
  ModelTable made{{}, {}, {}, n_columns};
  RepeatedNumbers numbers{n_rows * 31 + n_columns};
  for (std::size_t i = 0; i < n_rows; ++i) {
    for (std::size_t j = 0; j < n_columns; ++j)
      made.values.push_back(numbers.next() < -0.4 ? kMissing : 100 * numbers.next() + 7);
    made.target.push_back(3 * numbers.next());
    made.weight.push_back(1 + (i % 3));
  }
  return made;
}

double mean_of(const ModelTable& table) {
  double sum = 0, weight = 0;
  for (std::size_t i = 0; i < table.target.size(); ++i) {
    sum += table.weight[i] * table.target[i];
    weight += table.weight[i];
  }
  return sum / weight;
}

// Half the derivative of what is minimised by each coefficient, as a share of its largest term: 0 at the
// solution.
double largest_slope(const ModelTable& table, const NodeColumns& known, const std::vector<double>& found,
                     double base, double penalty) {
  double worst = 0;
  for (std::size_t j = 0; j < known.columns.size(); ++j) {
    double slope = penalty * found[j] * known.scale[j] * known.scale[j], size = std::abs(slope);
    for (std::size_t i = 0; i < table.target.size(); ++i) {
      const double* const row = table.values.data() + i * table.n_columns;
      double off = table.target[i] - base;
      for (std::size_t k = 0; k < known.columns.size(); ++k) {
        const double x = row[known.columns[k]];
        if (!std::isnan(x)) off -= found[k] * (x - known.mean[k]);
      }
      const double x = row[known.columns[j]];
      if (std::isnan(x)) continue;
      const double term = table.weight[i] * off * (x - known.mean[j]);
      slope -= term;
      size = std::max(size, std::abs(term));
    }
    worst = std::max(worst, std::abs(slope) / size);
  }
  return worst;
}

std::vector<std::uint32_t> first_numbers(std::size_t n) {
  std::vector<std::uint32_t> numbers(n);
  std::iota(numbers.begin(), numbers.end(), 0u);
  return numbers;
}

TEST(ridge_solves_its_equations_with_more_rows_or_more_columns) {
  for (const auto& [n_rows, n_columns] : {std::pair{40, 5}, {6, 9}, {2, 4}, {9, 9}}) {
    const ModelTable table = model_table(n_rows, n_columns);
    const auto rows = first_numbers(n_rows), allowed = first_numbers(n_columns);
    const NodeColumns known = node_columns(table.rows(), rows, allowed);
    for (const double penalty : {0.1, 1.0, 100.0}) {
      const std::vector<double> found =
          ridge_coefficients(table.rows(), rows, known, mean_of(table), std::vector{penalty}, [] {});
      CHECK(found.size() == known.columns.size());
      CHECK(largest_slope(table, known, found, mean_of(table), penalty) < 1e-9);
    }
  }
}

TEST(a_column_that_does_not_vary_is_not_read) {
  ModelTable table{{0.1, 1, kMissing, 0.1, 2, kMissing, 0.1, 4, kMissing}, {1, 2, 3}, {1, 1, 1}, 3};
  const NodeColumns known = node_columns(table.rows(), first_numbers(3), first_numbers(3));
  CHECK((known.columns == std::vector<std::uint32_t>{1}));
  CHECK(known.lowest == 1 && known.highest == 3);
}

TEST(answers_stay_in_the_range_and_missing_values_add_nothing) {
  const NodeColumns known{{0, 1}, {2.0, 5.0}, {1.0, 1.0}, -1.0, 4.0};
  const double coefficients[] = {1.0, -10.0};
  const double far[] = {2.5, 50.0}, near[] = {3.0, kMissing};
  CHECK(model_answer(known, coefficients, 2.0, far) == -1.0);
  CHECK(model_answer(known, coefficients, 2.0, near) == 3.0);
}

Tree two_leaves() {
  TreeBuilder builder(1, 0);
  const double value[] = {1.0, 1.0};
  const NodeStats seen{4, 4, 4.0, 1.0, 0, value};
  builder.set_test(builder.add_node(-1, 0, seen), Test{TestKind::ordered, 0, {0.0}, {0, 1}, 0, 0});
  builder.add_node(0, 0, seen);
  builder.add_node(0, 1, seen);
  return builder.finish();
}

TEST(errors_of_models_are_those_of_the_nodes_rows) {
  const Tree tree = two_leaves();
  const ModelTable table = model_table(12, 2), other = model_table(7, 2), none{{}, {}, {}, 2};
  std::vector<std::int32_t> leaf(12), held(7);
  for (std::size_t i = 0; i < 12; ++i) leaf[i] = 1 + static_cast<std::int32_t>(i % 2);
  for (std::size_t i = 0; i < 7; ++i) held[i] = 1 + static_cast<std::int32_t>(i % 2);
  const std::vector penalties{1.0, 10.0};
  Control control;
  const ModelErrors errors =
      model_errors(tree, table.rows(), leaf, other.rows(), held, {}, penalties, control);
  CHECK(errors.training.size() == 6 && errors.held.size() == 6 && errors.reads.size() == 6);
  Control two;
  two.n_threads = 2;
  const ModelErrors again = model_errors(tree, table.rows(), leaf, other.rows(), held, {}, penalties, two);
  CHECK(errors.training == again.training && errors.held == again.held);
  const std::vector<std::uint8_t> nothing(6);
  const ModelErrors constant =
      model_errors(tree, table.rows(), leaf, none.rows(), {}, nothing, penalties, control);
  CHECK(constant.training[0] == constant.training[3]);
  CHECK(leaf_models(tree, table.rows(), leaf, nothing, 1.0, control).node.empty());
  CHECK(leaf_models(tree, table.rows(), leaf, {}, 1.0, control).node.size() == 2);
}

TEST(what_does_not_fit_together_is_refused) {
  const Tree tree = two_leaves();
  const ModelTable table = model_table(4, 2);
  Control control;
  const auto models = [&](std::vector<std::int32_t> leaf, std::vector<std::uint8_t> allowed, double penalty) {
    leaf_models(tree, table.rows(), leaf, allowed, penalty, control);
  };
  CHECK(refused([&] { models({1, 2, 1}, {}, 1.0); }));
  CHECK(refused([&] { models({1, 2, 1, 3}, {}, 1.0); }));
  CHECK(refused([&] { models({1, 2, 1, -1}, {}, 1.0); }));
  CHECK(refused([&] { models({1, 2, 1, 2}, {1}, 1.0); }));
  CHECK(refused([&] { models({1, 2, 1, 2}, {}, 0.0); }));
}

}  // namespace
