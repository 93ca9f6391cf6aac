// The best tree over all thresholds, and the polish of a tree in hand.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <functional>
#include <memory>
#include <optional>

#include "bindings/arrays.hpp"
#include "bindings/control.hpp"
#include "bindings/options.hpp"
#include "bindings/search_history.hpp"
#include "search/sweep_polish.hpp"
#include "search/sweep_tree.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace thriftree::bindings {

namespace {

template <typename T>
using SweepMatrix = ArrayArgument<nb::ndarray<const T, nb::ndim<2>, nb::c_contig, nb::device::cpu>>;
using Progress = std::function<void(const SearchMoment&)>;

SweepOptions sweep_options(std::int32_t n_classes,
                           const std::optional<SweepMatrix<std::int64_t>>& error_costs, double leaf_penalty,
                           std::int32_t max_depth, std::optional<std::int64_t> max_leaves,
                           std::int64_t min_leaf, std::int64_t min_leaf_weight) {
  SweepOptions options;
  options.n_classes = n_classes;
  if (error_costs) {
    if (error_costs->shape(0) != static_cast<std::size_t>(n_classes) ||
        error_costs->shape(1) != error_costs->shape(0))
      throw BadInput("error_costs must be a matrix with a row and a column per class");
    options.error_costs.assign(error_costs->data(), error_costs->data() + error_costs->size());
  }
  options.leaf_penalty = leaf_penalty;
  options.max_depth = max_depth;
  if (max_leaves && *max_leaves < 1) throw BadInput("max_leaves must be 1 or more, or None");
  options.max_leaves = max_leaves.value_or(0);
  if (min_leaf < 1) throw BadInput("min_leaf must be 1 or more");
  if (min_leaf_weight < 0) throw BadInput("min_leaf_weight must be 0 or more");
  options.min_leaf = min_leaf;
  options.min_leaf_weight = min_leaf_weight;
  return options;
}

SweepTable sweep_table(const SweepMatrix<std::int32_t>& ranks, const Vector<std::int32_t>& labels,
                       const std::optional<Vector<std::int64_t>>& weights, const SweepOptions& options) {
  return SweepTable({ranks.data(), ranks.size()}, ranks.shape(1), span_of(labels),
                    weights ? span_of(*weights) : std::span<const std::int64_t>(), options);
}

std::unique_ptr<Control> sweep_control(int n_threads, const std::optional<Limits>& limits) {
  const Limits given = limits.value_or(Limits{});
  auto control = make_control(n_threads, given.time_limit_s, given.memory_limit_mb);
  if (given.keep_interrupted) keep_interrupted(*control);
  return control;
}

// Calls the caller's function with seconds, objective and lower bound. It must outlive the call.
Progress progress_of(nb::handle progress) {
  if (progress.is_none()) return {};
  return [progress](const SearchMoment& moment) {
    nb::gil_scoped_acquire gil;
    progress(moment.seconds, moment.objective, moment.lower_bound);
  };
}

SweepResult best_tree(const SweepMatrix<std::int32_t>& ranks, const Vector<std::int32_t>& labels,
                      std::int32_t n_classes, const std::optional<Vector<std::int64_t>>& weights,
                      const std::optional<SweepMatrix<std::int64_t>>& error_costs, double leaf_penalty,
                      std::int32_t max_depth, std::optional<std::int64_t> max_leaves, std::int64_t min_leaf,
                      std::int64_t min_leaf_weight, std::optional<double> upper_bound, int n_threads,
                      const std::optional<Limits>& limits, nb::object progress, int lanes) {
  if (max_depth < 1 || max_depth > 3) throw BadInput("max_depth must be 1, 2 or 3: a sweep goes no deeper");
  SweepOptions options =
      sweep_options(n_classes, error_costs, leaf_penalty, max_depth, max_leaves, min_leaf, min_leaf_weight);
  if (lanes < 1 || lanes > kLanes) throw BadInput("lanes must be between 1 and 32");
  options.lanes = lanes;
  const auto control = sweep_control(n_threads, limits);
  const Progress told = progress_of(progress);
  nb::gil_scoped_release unlocked;
  return sweep_tree(sweep_table(ranks, labels, weights, options), options, upper_bound, *control, told);
}

SweepResult polished(const SweepMatrix<std::int32_t>& ranks, const Vector<std::int32_t>& column,
                     const Vector<std::int32_t>& cut, const Vector<std::int32_t>& left,
                     const Vector<std::int32_t>& right, const Vector<std::int32_t>& label,
                     const Vector<std::int32_t>& labels, std::int32_t n_classes,
                     const std::optional<Vector<std::int64_t>>& weights,
                     const std::optional<SweepMatrix<std::int64_t>>& error_costs, double leaf_penalty,
                     std::int64_t min_leaf, std::int64_t min_leaf_weight, bool depth2,
                     std::int64_t depth2_work, int max_passes, int n_threads,
                     const std::optional<Limits>& limits) {
  const SweepOptions options =
      sweep_options(n_classes, error_costs, leaf_penalty, 2, {}, min_leaf, min_leaf_weight);
  if (depth2_work < 0) throw BadInput("depth2_work must be 0 or more");
  if (max_passes < 0) throw BadInput("max_passes must be 0 or more");
  const auto control = sweep_control(n_threads, limits);
  const auto copy = [](const Vector<std::int32_t>& values) {
    return std::vector<std::int32_t>(values.data(), values.data() + values.size());
  };
  const SweepTree tree{copy(column), copy(cut), copy(left), copy(right), copy(label)};
  nb::gil_scoped_release unlocked;
  return polish_tree(sweep_table(ranks, labels, weights, options), options, tree,
                     {depth2, depth2_work, max_passes}, *control);
}

template <std::vector<std::int32_t> SweepTree::* member>
Array<std::int32_t> array_of(const SweepResult& result) {
  return to_numpy(result.tree.*member);
}

}  // namespace

void register_sweep(nb::module_& m) {
  nb::class_<SweepResult>(
      m, "SweepResult",
      "A tree over ranks, in pre-order, and how far it is from the best. Rows of a rank up to "
      "`cut` go left; column -1 is a leaf.")
      .def_prop_ro("column", &array_of<&SweepTree::column>, nb::rv_policy::move)
      .def_prop_ro("cut", &array_of<&SweepTree::cut>, nb::rv_policy::move)
      .def_prop_ro("left", &array_of<&SweepTree::left>, nb::rv_policy::move)
      .def_prop_ro("right", &array_of<&SweepTree::right>, nb::rv_policy::move)
      .def_prop_ro("label", &array_of<&SweepTree::label>, nb::rv_policy::move)
      .def_ro("cost", &SweepResult::cost, "Weights × error costs, summed over the rows.")
      .def_prop_ro("leaves", [](const SweepResult& r) { return r.tree.leaves(); })
      .def_ro("objective", &SweepResult::objective, "cost + leaf_penalty × leaves")
      .def_ro("lower_bound", &SweepResult::lower_bound, "No tree within the limits has a lower objective.")
      .def_ro(
          "status", &SweepResult::status,
          "\"optimal\", \"time_limit\", \"memory_limit\" or \"interrupted\"; \"heuristic\" after a polish.")
      .def_prop_ro("history", &history_of<SweepResult>,
                   nb::sig("def history(self) -> list[tuple[float, float, float]]"),
                   "Seconds, objective and lower bound, whenever one has changed.");
  m.def("sweep_tree", &best_tree, "ranks"_a, "labels"_a, "n_classes"_a, "weights"_a = nb::none(),
        "error_costs"_a = nb::none(), "leaf_penalty"_a = 0.0, "max_depth"_a = 2, "max_leaves"_a = nb::none(),
        "min_leaf"_a = 1, "min_leaf_weight"_a = 0, "upper_bound"_a = nb::none(), "n_threads"_a = 1,
        "limits"_a = nb::none(), "progress"_a = nb::none(), "lanes"_a = kLanes,
        "The best tree of depth 1, 2 or 3 over every threshold of every column: the least cost + "
        "leaf_penalty × "
        "leaves; of equals the one with fewer leaves, less depth, then the smallest column and cut in "
        "pre-order. "
        "`ranks` is column by column. `upper_bound`, the objective of any tree in hand, only saves time; "
        "`lanes`, thresholds a look, changes nothing but the time.");
  const PolishOptions polish;
  m.def("polish_tree", &polished, "ranks"_a, "column"_a, "cut"_a, "left"_a, "right"_a, "label"_a, "labels"_a,
        "n_classes"_a, "weights"_a = nb::none(), "error_costs"_a = nb::none(), "leaf_penalty"_a = 0.0,
        "min_leaf"_a = 1, "min_leaf_weight"_a = 0, "depth2"_a = polish.depth_two,
        "depth2_work"_a = polish.depth_two_work, "max_passes"_a = polish.max_passes, "n_threads"_a = 1,
        "limits"_a = nb::none(),
        "A tree of the same shape or a smaller one that is never worse: each test anew, given the others, "
        "and bottom "
        "subtrees of depth 2 as a whole where columns² × rows are at most `depth2_work`, until nothing "
        "improves. Its "
        "status is \"heuristic\".");
}

}  // namespace thriftree::bindings
