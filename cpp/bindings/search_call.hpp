// What all searches over given tests take from Python, and as what the core takes it.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>

#include <memory>
#include <optional>
#include <tuple>

#include "bindings/arrays.hpp"
#include "bindings/control.hpp"
#include "bindings/options.hpp"
#include "search/search.hpp"

namespace thriftree::bindings {

template <typename T>
using Table2 =
    ArrayArgument<nanobind::ndarray<const T, nanobind::ndim<2>, nanobind::c_contig, nanobind::device::cpu>>;
using Tree4 =
    std::tuple<Vector<std::int32_t>, Vector<std::int32_t>, Vector<std::int32_t>, Vector<std::int32_t>>;

struct SearchCall {
  SearchProblem problem;
  PriceRules prices;  // that the problem points to, if it has any
  SearchOptions options;
  WarmStart warm_start;
  std::unique_ptr<Control> control;
  SearchProgress progress;
};

SearchCall call_of(const Table2<std::uint8_t>& tests, const Vector<std::int32_t>& features,
                   const Vector<std::int32_t>& labels, int n_classes,
                   const std::optional<Vector<std::int64_t>>& weights,
                   const std::optional<Table2<std::int64_t>>& error_costs, std::optional<int> max_depth,
                   std::optional<int> max_leaves, std::int64_t min_leaf, std::int64_t min_leaf_weight,
                   std::optional<int> lookahead, std::optional<int> beam,
                   const std::optional<Tree4>& warm_start, int n_threads, const std::optional<Limits>& limits,
                   const nanobind::object& progress, const std::optional<nanobind::dict>& switches,
                   double cache_mb);

// What tests cost in a search, as Python gives it; the call must stay where it is.
void take_prices(const std::optional<PriceRules>& prices, double price_weight,
                 const std::optional<Vector<std::int64_t>>& payers,
                 const std::optional<Table2<double>>& outcome_prices, SearchCall& call);

}  // namespace thriftree::bindings
