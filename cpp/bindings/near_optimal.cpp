// Sets of nearly best trees over given tests: _core.near_optimal. What it takes beside a slack is what
// _core.search_tree takes.
#include "search/near_optimal.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <random>
#include <vector>

#include "bindings/search_call.hpp"
#include "search/near_cheapest.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace thriftree::bindings {

namespace {

nb::object to_python(const Limb* limbs, std::size_t n) {
  const nb::bytes bytes(reinterpret_cast<const char*>(limbs), n * sizeof(Limb));
  return nb::module_::import_("builtins").attr("int").attr("from_bytes")(bytes, "little");
}
nb::object to_python(const Natural& number) { return to_python(number.data(), number.size()); }

Natural from_python(const nb::object& number) {
  const auto bits = nb::cast<std::size_t>(number.attr("bit_length")());
  const std::size_t n = bits / 64 + 1;
  const auto bytes = nb::cast<nb::bytes>(number.attr("to_bytes")(n * sizeof(Limb), "little"));
  Natural made(n);
  std::copy_n(bytes.c_str(), n * sizeof(Limb), reinterpret_cast<char*>(made.data()));
  return made;
}

// Trees one after the other: all tests in pre-order, where each tree begins, and cost and leaves of each.
nb::tuple arrays_of(const NearOptimal& near, const std::vector<NearTree>& trees) {
  std::vector<std::int32_t> tests, leaves;
  std::vector<std::int64_t> begins{0}, costs;
  for (const NearTree& tree : trees) {
    tests.insert(tests.end(), tree.test.begin(), tree.test.end());
    begins.push_back(static_cast<std::int64_t>(tests.size()));
    costs.push_back(near.cost(tree.key));
    leaves.push_back(static_cast<std::int32_t>((tree.test.size() + 1) / 2));
  }
  return nb::make_tuple(to_numpy(std::move(tests)), to_numpy(std::move(begins)), to_numpy(std::move(costs)),
                        to_numpy(std::move(leaves)));
}

// Makes trees of ranks without the GIL; Ctrl-C is heard between them.
template <class Ranks>
nb::tuple made_trees(NearOptimal& near, std::size_t n, Ranks next_rank) {
  const std::unique_ptr<Control> control = make_control(1);
  std::vector<NearTree> trees;
  {
    nb::gil_scoped_release unlocked;
    for (std::size_t i = 0; i < n; ++i) {
      control->poll_or_throw();
      trees.push_back(near.trees().tree(next_rank()));
    }
  }
  return arrays_of(near, trees);
}

nb::tuple trees_from(NearOptimal& near, const nb::object& rank, std::size_t n) {
  Natural next = from_python(rank);
  next.push_back(0);
  return made_trees(near, n, [&next] {
    Natural now = next;
    const Limb one = 1;
    add_limbs(next.data(), next.size(), &one, 1);
    return now;
  });
}

// Numbers below the count, each as likely as any other: those that are drawn too large are drawn again.
nb::tuple sampled_trees(NearOptimal& near, std::size_t n, const std::vector<std::uint32_t>& seed) {
  std::seed_seq words(seed.begin(), seed.end());
  std::mt19937_64 random(words);
  const Natural count = near.trees().count();
  const int bits = bits_of(count);
  return made_trees(near, n, [&] {
    Natural rank(count.size());
    do {
      for (std::size_t i = 0; i < limbs_for(bits); ++i) rank[i] = random();
      if (bits % 64 != 0) rank[limbs_for(bits) - 1] &= (Limb{1} << (bits % 64)) - 1;
    } while (!is_less(rank, count));
    return rank;
  });
}

nb::tuple histogram_of(NearOptimal& near) {
  const NearHistogram& all = near.trees().histogram();
  std::vector<std::int64_t> costs;
  std::vector<std::int32_t> leaves;
  nb::list counts;
  for (std::size_t i = 0; i < all.keys.size(); ++i) {
    costs.push_back(near.cost(all.keys[i]));
    leaves.push_back(all.keys[i].leaves);
    counts.append(to_python(all.count(i), all.limbs));
  }
  return nb::make_tuple(to_numpy(std::move(costs)), to_numpy(std::move(leaves)), counts);
}

nb::object cheapest_of(NearOptimal& near, const PriceRules& rules, const Vector<double>& weights,
                       const Table2<double>& outcome_prices, double most_price,
                       std::optional<double> time_limit_s, bool largest) {
  const std::unique_ptr<Control> control = make_control(1, time_limit_s);
  std::optional<PricedNearTree> found;
  near.trees();  // that there are any
  {
    nb::gil_scoped_release unlocked;
    control->watch_time();
    const Prices prices(rules);
    const NearPayers payers{span_of(weights), {outcome_prices.data(), outcome_prices.size()}};
    NearCheapest cheapest(
        near.rows(), near.graph(), prices, payers, most_price, [&control] { control->poll_or_throw(); },
        largest);
    found = cheapest.find();
  }
  if (!found) return nb::none();
  return nb::make_tuple(to_numpy(std::move(found->test)), found->price);
}

}  // namespace

void register_near_optimal(nb::module_& m) {
  nb::class_<NearOptimal>(m, "NearOptimal", "All trees within some slack of the best one.")
      .def_prop_ro("best", &NearOptimal::best, nb::rv_policy::reference_internal)
      .def_prop_ro("status", &NearOptimal::status)
      .def_prop_ro("has_trees", &NearOptimal::has_trees)
      .def_prop_ro("cost_unit", &NearOptimal::cost_unit,
                   "Of the costs of trees: 1 but for prices, which are then part of costs.")
      .def_prop_ro("slack", &NearOptimal::slack, "That was done: less than was asked for after a limit.")
      .def_prop_ro("n_nodes",
                   [](const NearOptimal& near) { return near.has_trees() ? near.graph().nodes.size() : 0; })
      .def_prop_ro("n_bytes",
                   [](const NearOptimal& near) { return near.has_trees() ? near.graph().bytes() : 0; })
      .def(
          "count", [](NearOptimal& near) { return to_python(near.trees().count()); },
          nb::sig("def count(self) -> int"))
      .def("histogram", &histogram_of,
           nb::sig("def histogram(self) -> tuple[numpy.typing.NDArray, numpy.typing.NDArray, list[int]]"),
           "Costs, leaves (0 where they are not told apart) and numbers of trees, by rising objective.")
      .def(
          "tests_asked",
          [](NearOptimal& near) {
            const std::unique_ptr<Control> control = make_control(1);
            std::vector<std::int32_t> asked;
            {
              nb::gil_scoped_release unlocked;
              asked = near.trees().tests_asked([&control] { control->poll_or_throw(); });
            }
            return to_numpy(std::move(asked));
          },
          "The tests that trees of the set ask; perhaps some that only larger trees do.")
      .def("cheapest", &cheapest_of, "prices"_a, "weights"_a, "outcome_prices"_a, "most_price"_a,
           "time_limit_s"_a = nb::none(), "largest"_a = false,
           "The tree of the lowest (or the highest) expected price that is no higher than this, and the "
           "price; None: there is "
           "none.")
      .def("trees", &trees_from, "rank"_a, "n"_a,
           "Trees of these ranks: tests in pre-order (-1 at leaves), where each tree begins, costs, leaves.")
      .def("sample", &sampled_trees, "n"_a, "seed"_a, "The same of trees drawn with replacement.");

  m.def(
      "near_optimal",
      [](const Table2<std::uint8_t>& tests, const Vector<std::int32_t>& features,
         const Vector<std::int32_t>& labels, int n_classes, double slack, std::optional<double> objective,
         const std::optional<Vector<std::int64_t>>& weights,
         const std::optional<Table2<std::int64_t>>& error_costs, double leaf_penalty,
         std::optional<int> max_depth, std::optional<int> max_leaves, std::int64_t min_leaf,
         std::int64_t min_leaf_weight, int n_threads, const std::optional<Limits>& limits,
         const nb::object& progress, const std::optional<PriceRules>& prices, double price_weight,
         const std::optional<Vector<std::int64_t>>& payers,
         const std::optional<Table2<double>>& outcome_prices) {
        SearchCall call = call_of(tests, features, labels, n_classes, weights, error_costs, max_depth,
                                  max_leaves, min_leaf, min_leaf_weight, std::nullopt, 1, std::nullopt,
                                  n_threads, limits, progress, std::nullopt, 16.0);
        take_prices(prices, price_weight, payers, outcome_prices, call);
        call.options.leaf_penalty = leaf_penalty;
        nb::gil_scoped_release unlocked;
        return std::make_unique<NearOptimal>(call.problem, call.options, NearSlack{slack, objective},
                                             *call.control, call.progress);
      },
      "tests"_a, "features"_a, "labels"_a, "n_classes"_a, "slack"_a, "objective"_a = nb::none(),
      "weights"_a = nb::none(), "error_costs"_a = nb::none(), "leaf_penalty"_a = 0.0,
      "max_depth"_a.none() = 4, "max_leaves"_a = nb::none(), "min_leaf"_a = 1, "min_leaf_weight"_a = 0,
      "n_threads"_a = 1, "limits"_a = nb::none(), "progress"_a = nb::none(), "prices"_a = nb::none(),
      "price_weight"_a = 0.0, "payers"_a = nb::none(), "outcome_prices"_a = nb::none(),
      "All trees whose weighted error cost + leaf_penalty * leaves is at most `slack` above the least or, if "
      "it is given, at most `objective`; with prices, which must have no delayed tests, as in search_tree.");
}

}  // namespace thriftree::bindings
