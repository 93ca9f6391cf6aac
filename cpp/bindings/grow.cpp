// Growing a tree: targets, prices and the call itself.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <map>
#include <optional>

#include "bindings/arrays.hpp"
#include "bindings/control.hpp"
#include "bindings/options.hpp"
#include "bindings/seams.hpp"
#include "choose/candidates.hpp"
#include "learn/learn.hpp"
#include "price/test_prices.hpp"
#include "table/objects.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace thriftree::bindings {

namespace {

std::vector<double> optional_vector(const std::optional<Vector<double>>& array) {
  if (!array) return {};
  return {array->data(), array->data() + array->size()};
}

Target class_target(const Vector<std::int32_t>& labels, std::int32_t n_classes,
                    const std::optional<Vector<double>>& sample_weight,
                    const std::optional<Vector<double>>& class_weight,
                    const std::optional<Vector<double>>& priors, const std::optional<TargetHeader>& agreed) {
  const auto samples = optional_vector(sample_weight), classes = optional_vector(class_weight),
             prior = optional_vector(priors);
  nb::gil_scoped_release unlocked;
  return make_class_target(labels.data(), labels.size(), n_classes, samples, classes, prior,
                           agreed ? &*agreed : nullptr);
}

Target number_target(const Vector<double>& y, const std::optional<Vector<double>>& sample_weight,
                     const std::optional<Vector<std::int32_t>>& bins, std::int32_t n_bins,
                     const std::optional<TargetHeader>& agreed) {
  const auto samples = optional_vector(sample_weight);
  for (std::size_t i = 0; i < y.size(); ++i) {
    if (!(y.data()[i] - y.data()[i] == 0))
      throw BadInput("the target holds NaN or infinity: drop or fill these rows");
  }
  nb::gil_scoped_release unlocked;
  Target target = make_number_target(y.data(), y.size(), samples, agreed ? &*agreed : nullptr);
  if (bins) set_bins(target, span_of(*bins), n_bins);
  return target;
}

LearntTree grow_tree(const Table& table, const Target& target, const GrowOptions& options) {
  const auto control = options.control();
  const LearnOptions learning = options.for_core();
  nb::gil_scoped_release unlocked;
  return learn(table, target, learning, *control);
}

LearntPath grow_path(const Table& table, const Target& target, const GrowOptions& options,
                     const std::vector<double>& trade_offs) {
  const auto control = options.control();
  const LearnOptions learning = options.for_core();
  nb::gil_scoped_release unlocked;
  return learn_path(table, target, learning, trade_offs, *control);
}

LearntTree grow_elsewhere(nb::object store, const std::vector<Column>& columns, const TargetHeader& target,
                          const std::optional<TargetHeader>& rows, const GrowOptions& options) {
  const auto control = options.control();
  const LearnOptions learning = options.for_core();
  const auto source = python_sums(std::move(store));
  nb::gil_scoped_release unlocked;
  return learn({columns, target, rows, *source}, learning, *control);
}

LearntPath grow_path_elsewhere(nb::object store, const std::vector<Column>& columns,
                               const TargetHeader& target, const std::optional<TargetHeader>& rows,
                               const GrowOptions& options, const std::vector<double>& trade_offs) {
  const auto control = options.control();
  const LearnOptions learning = options.for_core();
  const auto source = python_sums(std::move(store));
  nb::gil_scoped_release unlocked;
  return learn_path({columns, target, rows, *source}, learning, trade_offs, *control);
}

// The target of the objects, and the object of each row; none where each row is one and weighs as it did.
nb::tuple objects_of(const Target& target, const Table& table, const std::string& weigh) {
  if (target.n_rows != table.n_rows) throw BadInput("the target must have one entry per row of the table");
  if (target.labels.empty()) throw BadInput("objects need classes, or a target with bins");
  Objects objects;
  std::vector<std::uint32_t> object_of_row(table.n_rows);
  {
    const auto control = make_control(1);
    Team team(*control);
    nb::gil_scoped_release unlocked;
    objects = coalesce(table, target, *control, team, objects_weigh_of(weigh));
    for (std::size_t i = 0; i + 1 < objects.begin.size(); ++i) {
      for (std::size_t at = objects.begin[i]; at < objects.begin[i + 1]; ++at)
        object_of_row[objects.rows[at]] = static_cast<std::uint32_t>(i);
    }
  }
  if (objects.rows.empty()) return nb::make_tuple(std::move(objects.target), nb::none());
  return nb::make_tuple(std::move(objects.target), to_numpy(std::move(object_of_row)));
}

}  // namespace

void register_grow(nb::module_& m) {
  m.attr("THRESHOLD") = static_cast<int>(kThreshold);
  m.attr("ONE_VS_REST") = static_cast<int>(kOneVsRest);
  m.attr("SUBSET") = static_cast<int>(kSubset);
  m.attr("MULTIWAY") = static_cast<int>(kMultiway);
  nb::class_<Target>(m, "Target", "What is to be predicted, with the weight of each row.")
      .def_static(
          "classes", &class_target, "labels"_a, "n_classes"_a, "sample_weight"_a = nb::none(),
          "class_weight"_a = nb::none(), "priors"_a = nb::none(), "agreed"_a = nb::none(),
          "Classes 0 .. n_classes - 1. Priors count in growing only; the tree stores weights without them. "
          "`agreed`: what the rows of all parts of a table have in common, where these are one of them.")
      .def_static("numbers", &number_target, "y"_a, "sample_weight"_a = nb::none(), "bins"_a = nb::none(),
                  "n_bins"_a = 0, "agreed"_a = nb::none(),
                  "Numbers; rows of the same bin agree where a score asks who agrees.")
      .def_ro("n_rows", &Target::n_rows)
      .def_ro("n_classes", &Target::n_classes)
      .def_prop_ro("header", [](const Target& t) { return TargetHeader(t); })
      .def("objects", &objects_of, "table"_a, "weigh"_a = "growth",
           nb::sig("def objects(self, table: Table, weigh: str = 'growth') -> "
                   "tuple[Target, numpy.typing.NDArray[numpy.uint32] | None]"),
           "Rows of equal codes as one object: their target, and the object of each row; None where each row "
           "is one and weighs as it did. What an object weighs in growing: \"growth\", as its rows; "
           "\"samples\", their sample weight, while class weights are left to impurities; \"alike\", 1.")
      .def_prop_ro(
          "labels", [](const Target& t) { return to_numpy(t.labels); }, nb::rv_policy::move)
      .def_prop_ro(
          "growth", [](const Target& t) { return to_numpy(t.growth); }, nb::rv_policy::move,
          "Growth weights in fixed point; empty: every row weighs 1.")
      .def_prop_ro(
          "sample", [](const Target& t) { return to_numpy(t.sample); }, nb::rv_policy::move)
      .def_prop_ro(
          "moment", [](const Target& t) { return to_numpy(t.moment); }, nb::rv_policy::move)
      .def_prop_ro(
          "square", [](const Target& t) { return to_numpy(t.square); }, nb::rv_policy::move)
      .def_prop_ro(
          "values", [](const Target& t) { return to_numpy(t.values); }, nb::rv_policy::move)
      .def_prop_ro(
          "multiplicity", [](const Target& t) { return to_numpy(t.multiplicity); }, nb::rv_policy::move);

  nb::class_<TargetHeader>(m, "TargetHeader", "A target in brief, where its rows are elsewhere.")
      .def(nb::init<>())
      .def_rw("n_rows", &TargetHeader::n_rows)
      .def_rw("n_classes", &TargetHeader::n_classes)
      .def_rw("n_bins", &TargetHeader::n_bins)
      .def_rw("priors", &TargetHeader::priors)
      .def_rw("class_factors", &TargetHeader::class_factors)
      .def_rw("factors_apart", &TargetHeader::factors_apart)
      .def_rw("growth_unit", &TargetHeader::growth_unit)
      .def_rw("sample_unit", &TargetHeader::sample_unit)
      .def_rw("growth_floor", &TargetHeader::growth_floor)
      .def_rw("sample_floor", &TargetHeader::sample_floor)
      .def_rw("unit_samples", &TargetHeader::unit_samples)
      .def_rw("center", &TargetHeader::center)
      .def_rw("moment_unit", &TargetHeader::moment_unit)
      .def_rw("square_unit", &TargetHeader::square_unit)
      .def_rw("weighted", &TargetHeader::weighted)
      .def_rw("samples", &TargetHeader::samples)
      .def_rw("members", &TargetHeader::members)
      .def_rw("total", &TargetHeader::total)
      .def_rw("lightest", &TargetHeader::lightest)
      .def_rw("heaviest", &TargetHeader::heaviest)
      .def(
          "set_moment_units",
          [](TargetHeader& self, double most, double most_squared) {
            set_moment_units(most, most_squared, self);
          },
          "most"_a, "most_squared"_a,
          "From the largest weight * |y - center| and weight * (y - center)^2 of all rows.");
  m.def("weight_floor", &weight_floor, "total"_a, "What weights of this sum are lifted to if they are less.");
  m.def("weight_unit", &weight_unit, "total"_a, "The unit of the fixed point of weights of this sum.");
  m.def("refuse_weights_to_lift", &refuse_weights_to_lift, "least"_a, "most"_a, "total"_a,
        "Raises where a numeric target's weights differ too much.");

  nb::class_<LearntTree>(
      m, "GrownTree",
      "A grown tree, and what ended its growth early, if anything did: \"time_limit\" or \"interrupt\".")
      .def_ro("tree", &LearntTree::tree)
      .def_prop_ro(
          "pairs_seen", [](const LearntTree& g) { return g.pairs.seen; },
          "Rows times columns counted by ranges of values, over all nodes looked at.")
      .def_prop_ro(
          "pairs_opened", [](const LearntTree& g) { return g.pairs.opened; },
          "Of these, how many were opened to find the exact threshold.")
      .def_prop_ro("stopped_by",
                   [](const LearntTree& g) -> std::optional<std::string> {
                     if (g.stopped_by.empty()) return {};
                     return g.stopped_by;
                   })
      .def_prop_ro(
          "seconds",
          [](const LearntTree& g) {
            return std::map<std::string, double>{{"counting", g.seconds.counting},
                                                 {"choosing", g.seconds.choosing},
                                                 {"dividing", g.seconds.dividing}};
          },
          "Where the time of growing went.");

  nb::class_<LearntPath>(m, "GrownPath",
                         "The trees of several trade-offs, and how much was counted for them.")
      .def_ro("grown", &LearntPath::trees)
      .def_ro("rows_counted", &LearntPath::rows_counted)
      .def_ro("rows_of_distinct_nodes", &LearntPath::rows_of_distinct_nodes);

  m.def("grow_path", &grow_path, "table"_a, "target"_a, "options"_a, "trade_offs"_a,
        "One tree per trade-off. What a node that several share counts is counted once.");
  m.def("grow", &grow_tree, "table"_a, "target"_a, "options"_a,
        "Grows a tree: count, choose, divide, until no leaf wants to split.");
  m.def("grow_elsewhere", &grow_elsewhere, "store"_a, "columns"_a, "target"_a, "rows"_a.none(), "options"_a,
        "Grows a tree of rows that `store` counts: the columns' code books, the target of what is counted "
        "and, where that is objects, the target of the rows behind them.");
  m.def(
      "opens_spans",
      [](const std::vector<Column>& columns, const TargetHeader& target, const GrowOptions& options) {
        const LearnOptions learning = options.for_core();
        return opens_spans(columns, target, learning, {learning.scoring.trade_off});
      },
      "columns"_a, "target"_a, "options"_a,
      "Whether `grow_elsewhere` can open columns of spans in such a fit; else every value needs a code.");
  m.def("grow_path_elsewhere", &grow_path_elsewhere, "store"_a, "columns"_a, "target"_a, "rows"_a.none(),
        "options"_a, "trade_offs"_a, "The same for one tree per trade-off.");
}

}  // namespace thriftree::bindings
