// Sets of nearly best trees: what their parts promise, for the sanitizers. tests/near_optimal compares whole
// sets with lists of all trees.
#include <random>
#include <set>

#include "search/near_cheapest.hpp"
#include "search/near_optimal.hpp"
#include "testing.hpp"

using namespace thriftree;

namespace {

struct MadeRows {
  std::vector<std::uint8_t> tests;
  std::vector<std::int32_t> feature, label;
  std::vector<std::int64_t> weight;
  SearchProblem problem;
};

void make(MadeRows& made, unsigned seed, std::size_t n_rows, std::size_t n_tests) {
  std::mt19937 random(seed);
  for (std::size_t i = 0; i < n_rows * n_tests; ++i)
    made.tests.push_back(static_cast<std::uint8_t>(random() % 2));
  for (std::size_t i = 0; i < n_tests; ++i) made.feature.push_back(static_cast<std::int32_t>(i * 2 / 3));
  for (std::size_t i = 0; i < n_rows; ++i) {
    const int learnt = made.tests[i] ^ made.tests[n_rows + i];
    made.label.push_back(random() % 4 == 0 ? static_cast<int>(random() % 3) : learnt);
    if (seed % 2) made.weight.push_back(static_cast<std::int64_t>(1 + random() % 1000));
  }
  made.problem = {n_rows, n_tests, made.tests, made.feature, made.label, 3, made.weight, {}};
}

std::uint64_t as_number(const Natural& natural) { return natural[0]; }

}  // namespace

TEST(naturals_divide_what_they_multiply) {
  std::mt19937_64 random(1);
  for (std::size_t n = 1; n < 6; ++n) {
    Natural a(n), b(n, 0), product(2 * n + 1);
    for (Limb& limb : a) limb = random();
    for (std::size_t i = 0; i < (n + 1) / 2; ++i) b[i] = random();
    add_product(product.data(), product.size(), a.data(), a.size(), b.data(), b.size());
    const Limb rest = 7;
    add_limbs(product.data(), product.size(), &rest, 1);
    const Division back = divided(product, b.data(), b.size());
    CHECK(!is_less(back.quotient, a) && !is_less(a, back.quotient));
    CHECK(bits_of(back.rest) == 3 && back.rest[0] == 7);
  }
}

TEST(every_rank_gives_another_tree_of_no_less_objective) {
  for (unsigned seed = 0; seed < 6; ++seed) {
    MadeRows made;
    make(made, seed, 60, 7);
    SearchOptions options;
    options.max_depth = 1 + static_cast<int>(seed % 4);
    options.leaf_penalty = seed % 3 ? 1.5 : 0;
    if (seed == 4) options.max_leaves = 5;
    const double slack = seed % 2 ? 400.0 : 2.0;
    Control control;
    NearOptimal near(made.problem, options, {slack, {}}, control, {});
    CHECK(near.status() == "optimal");
    NearTrees& trees = near.trees();
    const std::uint64_t n = std::min<std::uint64_t>(as_number(trees.count()), 300);
    std::set<std::vector<std::int32_t>> seen;
    double last = 0;
    for (std::uint64_t rank = 0; rank < n; ++rank) {
      const NearTree tree = trees.tree({rank});
      CHECK(seen.insert(tree.test).second);
      const double objective =
          static_cast<double>(near.cost(tree.key)) + options.leaf_penalty * tree.key.leaves;
      CHECK(objective >= last);
      last = objective;
    }
  }
}

TEST(the_cheapest_tree_costs_no_more_than_the_first) {
  MadeRows made;
  make(made, 1, 60, 7);
  SearchOptions options;
  options.max_depth = 3;
  options.leaf_penalty = 100;
  Control control;
  NearOptimal near(made.problem, options, {500.0, {}}, control, {});
  PriceRules rules;
  rules.own = {3, 1, 4, 1, 5};
  rules.group = {-1, 0, 0, -1, -1};
  rules.setup = {2};
  rules.known = std::vector<bool>(5);
  rules.delayed = {true, false, true, false, true};
  const Prices prices(rules);
  const std::vector<double> weight(made.problem.n_rows, 1.0);
  const auto price = [&](bool largest) {
    NearCheapest cheapest(near.rows(), near.graph(), prices, {weight, {}}, 1e9, [] {}, largest);
    return cheapest.find()->price;
  };
  CHECK(price(false) >= 0);
  CHECK(price(false) <= price(true));
}
