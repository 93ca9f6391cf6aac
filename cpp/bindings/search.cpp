// The search for the best tree over given tests: _core.search_tree and _core.search_path.
//
// For callers: the sum over rows of weight x largest error cost must leave room for the leaves, 2^(58 - bits
// of the sum) > number of leaves that the limits allow, else ValueError ("coarser units"); sums up to 2^40
// always do for trees of up to 2^17 leaves. Threads are the larger of n_threads and limits.n_threads. Status
// "memory_limit" means that there was room for the rows but not for a search; without room for the rows it is
// MemoryError. An interrupt is "interrupted" where limits.keep_interrupted, else KeyboardInterrupt.
#include "search/search.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <cmath>
#include <string>
#include <utility>

#include "bindings/search_call.hpp"
#include "bindings/search_history.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace thriftree::bindings {

namespace {

// Sums of weight x target in fixed point, and the unit of costs: in place of labels.
using NumberTarget = std::pair<Vector<std::int64_t>, double>;

constexpr std::pair<const char*, bool SearchSwitches::*> kSwitches[] = {
    {"leaf_budget", &SearchSwitches::leaf_budget},
    {"after_kernel", &SearchSwitches::after_kernel},
    {"one_side_four", &SearchSwitches::one_side_four},
    {"similarity", &SearchSwitches::similarity},
    {"cache", &SearchSwitches::cache},
    {"one_split", &SearchSwitches::one_split},
    {"cancel", &SearchSwitches::cancel},
    {"duplicates", &SearchSwitches::duplicates},
    {"support", &SearchSwitches::support},
    {"triples", &SearchSwitches::triples},
    {"rough", &SearchSwitches::rough},
    {"rising", &SearchSwitches::rising},
    {"patience", &SearchSwitches::patience},
    {"first_trees", &SearchSwitches::first_trees}};

SearchSwitches switches_of(const std::optional<nb::dict>& given) {
  SearchSwitches made;
  if (!given) return made;
  for (auto [key, value] : *given) {
    const auto name = nb::cast<std::string>(key);
    bool found = false;
    for (const auto& [known, member] : kSwitches) {
      if (name != known) continue;
      made.*member = nb::cast<bool>(value);
      found = true;
    }
    if (!found) throw BadInput("switches: there is no technique '" + name + "'");
  }
  return made;
}

std::vector<std::int32_t> copy_of(const Vector<std::int32_t>& array) {
  return {array.data(), array.data() + array.size()};
}

}  // namespace

void take_prices(const std::optional<PriceRules>& prices, double price_weight,
                 const std::optional<Vector<std::int64_t>>& payers,
                 const std::optional<Table2<double>>& outcome_prices, SearchCall& call) {
  if (!prices) return;
  call.prices = *prices;
  call.problem.prices = &call.prices;
  call.options.price_weight = price_weight;
  if (payers) call.problem.payers = span_of(*payers);
  if (outcome_prices) call.problem.outcome_price = {outcome_prices->data(), outcome_prices->size()};
}

SearchCall call_of(const Table2<std::uint8_t>& tests, const Vector<std::int32_t>& features,
                   const Vector<std::int32_t>& labels, int n_classes,
                   const std::optional<Vector<std::int64_t>>& weights,
                   const std::optional<Table2<std::int64_t>>& error_costs, std::optional<int> max_depth,
                   std::optional<int> max_leaves, std::int64_t min_leaf, std::int64_t min_leaf_weight,
                   std::optional<int> lookahead, std::optional<int> beam,
                   const std::optional<Tree4>& warm_start, int n_threads, const std::optional<Limits>& limits,
                   const nb::object& progress, const std::optional<nb::dict>& switches, double cache_mb) {
  SearchCall call;
  call.problem.n_tests = tests.shape(0);
  call.problem.n_rows = tests.shape(1);
  call.problem.tests = {tests.data(), tests.size()};
  call.problem.feature = span_of(features);
  call.problem.label = span_of(labels);
  call.problem.n_classes = n_classes;
  if (weights) call.problem.weight = span_of(*weights);
  if (weights && weights->size() != tests.shape(1)) throw BadInput("weights must have one entry per row");
  if (error_costs) {
    if (error_costs->shape(0) != error_costs->shape(1) ||
        static_cast<int>(error_costs->shape(0)) != n_classes)
      throw BadInput("error_costs must be a matrix with a row and a column per class");
    call.problem.error_costs = {error_costs->data(), error_costs->size()};
  }
  call.options.max_depth = max_depth;
  call.options.max_leaves = max_leaves;
  call.options.min_leaf = min_leaf;
  call.options.min_leaf_weight = min_leaf_weight;
  call.options.lookahead = lookahead;
  call.options.beam = beam;
  call.options.switches = switches_of(switches);
  call.options.cache_bytes = bytes_of(cache_mb);
  if (warm_start) {
    call.warm_start = {copy_of(std::get<0>(*warm_start)), copy_of(std::get<1>(*warm_start)),
                       copy_of(std::get<2>(*warm_start)), copy_of(std::get<3>(*warm_start))};
  }
  const Limits given = limits.value_or(Limits{});
  call.control =
      make_control(std::max(n_threads, given.n_threads), given.time_limit_s, given.memory_limit_mb);
  if (given.keep_interrupted) keep_interrupted(*call.control);
  if (!progress.is_none()) {
    const nb::handle function = progress;
    call.progress = [function](const SearchMoment& moment) {
      nb::gil_scoped_acquire gil;
      function(moment.seconds, moment.objective, moment.lower_bound);
    };
  }
  return call;
}

namespace {

void take_numbers(const std::optional<NumberTarget>& numbers, SearchCall& call) {
  if (!numbers) return;
  call.problem.number_sum = span_of(numbers->first);
  call.problem.number_unit = numbers->second;
}

nb::dict statistics_of(const SearchResult& result) {
  const SearchStatistics& from = result.statistics;
  nb::dict made;
  made["nodes"] = from.nodes;
  made["triple_kernels"] = from.triple_kernels;
  made["rough_kernels"] = from.rough_kernels;
  made["pair_kernels"] = from.pair_kernels;
  made["cache_hits"] = from.cache_hits;
  made["cache_entries"] = from.cache_entries;
  made["cache_evictions"] = from.cache_evictions;
  made["cache_bytes"] = from.cache_bytes;
  made["rows_searched"] = from.rows_searched;
  made["tests_searched"] = from.tests_searched;
  return made;
}

}  // namespace

void register_search(nb::module_& m) {
  nb::class_<SearchResult>(m, "SearchResult",
                           "The best tree that a search found, and how far that is proved.")
      .def_prop_ro(
          "test", [](const SearchResult& r) { return to_numpy(r.tree.test); }, nb::rv_policy::move,
          "Pre-order; -1 at leaves.")
      .def_prop_ro(
          "left", [](const SearchResult& r) { return to_numpy(r.tree.left); }, nb::rv_policy::move,
          "Rows with test 1; -1 at leaves.")
      .def_prop_ro(
          "right", [](const SearchResult& r) { return to_numpy(r.tree.right); }, nb::rv_policy::move)
      .def_prop_ro(
          "label", [](const SearchResult& r) { return to_numpy(r.tree.label); }, nb::rv_policy::move,
          "The cheapest label of each node's rows; ties go to the smallest.")
      .def_ro("cost", &SearchResult::cost)
      .def_ro("leaves", &SearchResult::leaves)
      .def_ro("price", &SearchResult::price, "What all payers pay together.")
      .def_ro("objective", &SearchResult::objective)
      .def_ro("lower_bound", &SearchResult::lower_bound)
      .def_ro("status", &SearchResult::status)
      .def_prop_ro("history", &history_of<SearchResult>,
                   nb::sig("def history(self) -> list[tuple[float, float, float]]"))
      .def_prop_ro("statistics", &statistics_of, nb::sig("def statistics(self) -> dict[str, int]"));

  m.def(
      "search_tree",
      [](const Table2<std::uint8_t>& tests, const Vector<std::int32_t>& features,
         const Vector<std::int32_t>& labels, int n_classes,
         const std::optional<Vector<std::int64_t>>& weights,
         const std::optional<Table2<std::int64_t>>& error_costs, double leaf_penalty,
         std::optional<int> max_depth, std::optional<int> max_leaves, std::int64_t min_leaf,
         std::int64_t min_leaf_weight, std::optional<int> lookahead, std::optional<int> beam,
         const std::optional<Tree4>& warm_start, int n_threads, const std::optional<Limits>& limits,
         const nb::object& progress, const std::optional<nb::dict>& switches, double cache_mb,
         const std::optional<PriceRules>& prices, double price_weight,
         const std::optional<Vector<std::int64_t>>& payers,
         const std::optional<Table2<double>>& outcome_prices, const std::optional<NumberTarget>& numbers) {
        SearchCall call = call_of(tests, features, labels, n_classes, weights, error_costs, max_depth,
                                  max_leaves, min_leaf, min_leaf_weight, lookahead, beam, warm_start,
                                  n_threads, limits, progress, switches, cache_mb);
        take_prices(prices, price_weight, payers, outcome_prices, call);
        take_numbers(numbers, call);
        call.options.leaf_penalty = leaf_penalty;
        nb::gil_scoped_release unlocked;
        return search_tree(call.problem, call.options, call.warm_start, *call.control, call.progress);
      },
      "tests"_a, "features"_a, "labels"_a, "n_classes"_a, "weights"_a = nb::none(),
      "error_costs"_a = nb::none(), "leaf_penalty"_a = 0.0, "max_depth"_a.none() = 4,
      "max_leaves"_a = nb::none(), "min_leaf"_a = 1, "min_leaf_weight"_a = 0, "lookahead"_a = nb::none(),
      "beam"_a.none() = 1, "warm_start"_a = nb::none(), "n_threads"_a = 1, "limits"_a = nb::none(),
      "progress"_a = nb::none(), "switches"_a = nb::none(), "cache_mb"_a = 48.0, "prices"_a = nb::none(),
      "price_weight"_a = 0.0, "payers"_a = nb::none(), "outcome_prices"_a = nb::none(),
      "numbers"_a = nb::none(),
      "The tree of the least weighted error cost + leaf_penalty * leaves over these tests, within the "
      "limits. With prices (rules by feature, their budget that of a path) + price_weight * what all payers "
      "pay; outcome_prices has a row for each of the rules' outcomes.");
  m.def(
      "evaluate_tree",
      [](const Table2<std::uint8_t>& tests, const Vector<std::int32_t>& features,
         const Vector<std::int32_t>& labels, int n_classes, const Tree4& tree,
         const std::optional<Vector<std::int64_t>>& weights,
         const std::optional<Table2<std::int64_t>>& error_costs, double leaf_penalty,
         std::optional<int> max_depth, std::optional<int> max_leaves, std::int64_t min_leaf,
         std::int64_t min_leaf_weight, bool cut, const std::optional<PriceRules>& prices, double price_weight,
         const std::optional<Vector<std::int64_t>>& payers,
         const std::optional<Table2<double>>& outcome_prices) {
        SearchCall call =
            call_of(tests, features, labels, n_classes, weights, error_costs, max_depth, max_leaves, min_leaf,
                    min_leaf_weight, std::nullopt, 1, tree, 1, std::nullopt, nb::none(), std::nullopt, 0);
        take_prices(prices, price_weight, payers, outcome_prices, call);
        call.options.leaf_penalty = leaf_penalty;
        return evaluate_tree(call.problem, call.options, call.warm_start, cut);
      },
      "tests"_a, "features"_a, "labels"_a, "n_classes"_a, "tree"_a, "weights"_a = nb::none(),
      "error_costs"_a = nb::none(), "leaf_penalty"_a = 0.0, "max_depth"_a.none() = 4,
      "max_leaves"_a = nb::none(), "min_leaf"_a = 1, "min_leaf_weight"_a = 0, "cut"_a = false,
      "prices"_a = nb::none(), "price_weight"_a = 0.0, "payers"_a = nb::none(),
      "outcome_prices"_a = nb::none(),
      "What a tree over these tests costs; infinity beyond the budget. With `cut` it is first cut to the "
      "limits and pruned for the objective.");
  m.def(
      "search_path",
      [](const Table2<std::uint8_t>& tests, const Vector<std::int32_t>& features,
         const Vector<std::int32_t>& labels, int n_classes, const std::vector<double>& leaf_penalties,
         const std::optional<Vector<std::int64_t>>& weights,
         const std::optional<Table2<std::int64_t>>& error_costs, std::optional<int> max_depth,
         std::optional<int> max_leaves, std::int64_t min_leaf, std::int64_t min_leaf_weight,
         std::optional<int> lookahead, std::optional<int> beam, const std::optional<Tree4>& warm_start,
         int n_threads, const std::optional<Limits>& limits, const nb::object& progress,
         const std::optional<nb::dict>& switches, double cache_mb, const std::optional<PriceRules>& prices,
         double price_weight, const std::optional<Vector<std::int64_t>>& payers,
         const std::optional<Table2<double>>& outcome_prices, const std::optional<NumberTarget>& numbers) {
        SearchCall call = call_of(tests, features, labels, n_classes, weights, error_costs, max_depth,
                                  max_leaves, min_leaf, min_leaf_weight, lookahead, beam, warm_start,
                                  n_threads, limits, progress, switches, cache_mb);
        take_prices(prices, price_weight, payers, outcome_prices, call);
        take_numbers(numbers, call);
        nb::gil_scoped_release unlocked;
        return search_path(call.problem, call.options, leaf_penalties, call.warm_start, *call.control,
                           call.progress);
      },
      "tests"_a, "features"_a, "labels"_a, "n_classes"_a, "leaf_penalties"_a, "weights"_a = nb::none(),
      "error_costs"_a = nb::none(), "max_depth"_a.none() = 4, "max_leaves"_a = nb::none(), "min_leaf"_a = 1,
      "min_leaf_weight"_a = 0, "lookahead"_a = nb::none(), "beam"_a.none() = 1, "warm_start"_a = nb::none(),
      "n_threads"_a = 1, "limits"_a = nb::none(), "progress"_a = nb::none(), "switches"_a = nb::none(),
      "cache_mb"_a = 48.0, "prices"_a = nb::none(), "price_weight"_a = 0.0, "payers"_a = nb::none(),
      "outcome_prices"_a = nb::none(), "numbers"_a = nb::none(),
      "The best tree for each leaf penalty; what one search learns the next ones use.");
}

}  // namespace thriftree::bindings
