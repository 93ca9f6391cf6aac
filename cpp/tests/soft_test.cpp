#include <algorithm>
#include <cmath>
#include <vector>

#include "soft/bought.hpp"
#include "soft/elementary.hpp"
#include "soft/lbfgs.hpp"
#include "soft/objective.hpp"
#include "testing.hpp"

using namespace thriftree;
using namespace thriftree::soft;

namespace {

SoftShape five_gates(bool numbers,
                     bool linear) {  // the last gate looks at one column: a tile of four, and one
  SoftShape shape;
  shape.left = {1, 2, ~0, ~3, ~4};
  shape.right = {3, ~2, ~1, 4, ~5};
  shape.first = {0, 0, 0, 0, 2};
  shape.count = {3, 3, 3, 3, 1};
  shape.n_columns = 3;
  shape.numbers = numbers;
  shape.n_outputs = numbers ? 1 : 2;
  shape.linear = linear;
  shape.check();
  return shape;
}

double wave(std::size_t i) { return std::sin(1.7 * static_cast<double>(i)); }

struct Fixture {
  explicit Fixture(std::size_t n_rows) : columns(3 * n_rows), labels(n_rows), numbers(n_rows) {
    for (std::size_t i = 0; i < columns.size(); ++i) columns[i] = wave(i);
    for (std::size_t r = 0; r < n_rows; ++r) {
      labels[r] = wave(7 * r) > 0.2;
      numbers[r] = wave(5 * r);
    }
  }
  SoftTargets targets(bool of_numbers) const {
    SoftTargets targets;
    if (of_numbers) targets.numbers = numbers;
    if (!of_numbers) targets.labels = labels;
    return targets;
  }
  std::vector<double> columns;
  std::vector<std::int32_t> labels;
  std::vector<double> numbers;
};

}  // namespace

TEST(exp_and_log_are_those_of_the_library_but_for_the_last_digits) {
  for (double x = -700; x < 700; x += 0.37) {
    CHECK(std::abs(exp_of(x) - std::exp(x)) <= 2e-15 * std::exp(x));
    CHECK(std::abs(log_of(std::exp(x)) - x) <= 1e-15 * std::max(1.0, std::abs(x)));
  }
  CHECK(exp_of(0) == 1);
  CHECK(log_of(1) == 0);
  CHECK(exp_of(-1e300) > 0);
  CHECK(std::isfinite(exp_of(1e300)));
}

TEST(a_soft_tree_has_the_slopes_of_its_differences_in_every_thread_count) {
  const Fixture fixture(kBlock * 3 + 17);
  const Prices prices({.own = {2.0, 3.0}, .group = {0, 0}, .setup = {5.0}, .known = {false, false}});
  for (const int kind : {0, 1, 2, 3}) {
    const bool numbers = kind % 2 == 1;
    const SoftShape shape = five_gates(numbers, kind >= 2);
    const PriceTerm term(shape, prices, {0, 2, 3}, 0.5);
    SoftTargets targets = fixture.targets(numbers);
    targets.price_weight = 0.1;
    std::vector<double> at(shape.n_parameters()), slopes(at.size()), other(at.size());
    for (std::size_t i = 0; i < at.size(); ++i) at[i] = wave(3 * i + 1);
    Control control, threaded;
    threaded.n_threads = 3;
    const std::vector<double> centres(3, 0.0), scales(3, 1.0);
    const SoftRows rows(fixture.columns, fixture.numbers.size(), centres, scales, control);
    Objective objective(shape, rows, targets, 1.5, {0.01, 0.02, 0.03}, &term, control);
    Objective in_threads(shape, rows, targets, 1.5, {0.01, 0.02, 0.03}, &term, threaded);
    const double value = objective.evaluate(at, slopes);
    CHECK(value == in_threads.evaluate(at, other));
    CHECK(slopes == other);
    for (std::size_t i = 0; i < at.size(); ++i) {
      std::vector<double> near = at;
      near[i] = at[i] + 1e-5;
      const double above = objective.evaluate(near, other);
      near[i] = at[i] - 1e-5;
      CHECK(std::abs((above - objective.evaluate(near, other)) / 2e-5 - slopes[i]) < 1e-8);
    }
  }
}

TEST(a_descent_ends_at_the_bottom_of_a_bowl_and_never_rises) {
  Control control;
  const Slope bowl = [](std::span<const double> at, std::span<double> gradient) {
    double value = 0;
    for (std::size_t i = 0; i < at.size(); ++i) {
      const double steep = std::pow(10.0, static_cast<double>(i)), away = at[i] - static_cast<double>(i);
      value += steep * away * away / 2;
      gradient[i] = steep * away;
    }
    return value;
  };
  const Descent found = descend(bowl, std::vector<double>(5, -3.0), {1000, 1e-13}, control);
  CHECK(found.ended_by == "converged");
  for (std::size_t i = 0; i < 5; ++i) CHECK(std::abs(found.at[i] - static_cast<double>(i)) < 1e-5);
  for (std::size_t i = 1; i < found.values.size(); ++i) CHECK(found.values[i] < found.values[i - 1]);
  const Descent none = descend(bowl, std::vector<double>(5, -3.0), {0, 1e-9}, control);
  CHECK(none.ended_by == "max_iter" && none.values.size() == 1 && none.at == std::vector<double>(5, -3.0));
}

TEST(parts_of_a_price_sum_to_what_paths_pay) {
  for (const bool once : {true, false}) {
    const Prices prices({.own = {2, 3, 0, 7, 1},
                         .group = {0, 0, -1, 1, 1},
                         .setup = {5, 4},
                         .known = {false, false, false, true, false},
                         .pay_once = once});
    for (int walk = 0; walk < 125; ++walk) {  // every path of three tests
      const std::size_t tests[] = {static_cast<std::size_t>(walk % 5), static_cast<std::size_t>(walk / 5 % 5),
                                   static_cast<std::size_t>(walk / 25)};
      PathState path;
      double paid = 0, summed = 0;
      for (const std::size_t column : tests) {
        paid += prices.marginal(path, column);
        prices.visit(path, column);
      }
      for (const PricePart& part : price_parts(prices)) {
        int met = 0;
        for (const std::size_t column : tests)
          met += std::count(part.columns.begin(), part.columns.end(), column) > 0;
        summed += part.price * (part.once ? met > 0 : met);
      }
      CHECK(std::abs(paid - summed) < 1e-12);
    }
  }
}

TEST(a_soft_tree_pays_once_on_a_path_and_orders_what_it_may_need) {
  const SoftShape shape = five_gates(false, false);
  const std::vector<std::vector<std::uint32_t>> bought = {{0}, {0, 1}, {2}, {}, {1}, {}, {}, {}, {}, {}, {}};
  const Prices plain({.own = {2, 3, 10}, .group = {-1, 0, 0}, .setup = {5}, .known = {false, false, false}});
  CHECK(price_nodes(shape, plain, bought).fixed == std::vector<double>({2, 8, 10, 0, 8, 0, 0, 0, 0, 0, 0}));
  PriceRules late = plain.rules();
  late.delayed = {true, true, false};
  CHECK(price_nodes(shape, Prices(late), bought).fixed ==
        std::vector<double>({10, 0, 10, 0, 0, 0, 0, 0, 0, 0, 0}));
}
