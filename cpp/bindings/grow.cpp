// Growing a tree: targets, prices and the call itself.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <limits>
#include <optional>

#include "bindings/arrays.hpp"
#include "bindings/options.hpp"
#include "choose/candidates.hpp"
#include "criterion/registry.hpp"
#include "learn/learn.hpp"
#include "price/test_prices.hpp"

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
                    const std::optional<Vector<double>>& priors) {
  const auto samples = optional_vector(sample_weight), classes = optional_vector(class_weight),
             prior = optional_vector(priors);
  nb::gil_scoped_release unlocked;
  return make_class_target(labels.data(), labels.size(), n_classes, samples, classes, prior);
}

Target number_target(const Vector<double>& y, const std::optional<Vector<double>>& sample_weight,
                     const std::optional<Vector<std::int32_t>>& bins, std::int32_t n_bins) {
  const auto samples = optional_vector(sample_weight);
  for (std::size_t i = 0; i < y.size(); ++i) {
    if (!(y.data()[i] - y.data()[i] == 0))
      throw BadInput("the target holds NaN or infinity: drop or fill these rows");
  }
  nb::gil_scoped_release unlocked;
  Target target = make_number_target(y.data(), y.size(), samples);
  if (bins) set_bins(target, span_of(*bins), n_bins);
  return target;
}

LearntTree grow_tree(const Table& table, const Target& target, const GrowOptions& options) {
  const auto control = options.control();
  const LearnOptions words = options.words();
  nb::gil_scoped_release unlocked;
  return learn(table, target, words, *control);
}

LearntPath grow_path(const Table& table, const Target& target, const GrowOptions& options,
                     const std::vector<double>& trade_offs) {
  const auto control = options.control();
  const LearnOptions words = options.words();
  nb::gil_scoped_release unlocked;
  return learn_path(table, target, words, trade_offs, *control);
}

}  // namespace

void register_grow(nb::module_& m) {
  m.attr("THRESHOLD") = static_cast<int>(kThreshold);
  m.attr("ONE_VS_REST") = static_cast<int>(kOneVsRest);
  m.attr("SUBSET") = static_cast<int>(kSubset);
  m.attr("MULTIWAY") = static_cast<int>(kMultiway);
  m.def(
      "criteria",
      [] {
        std::vector<std::tuple<std::string, bool, std::string>> all;
        for (const std::string& name : criterion_names()) {
          const auto criterion = make_criterion(name);
          all.emplace_back(name, criterion->for_numbers(), criterion->summary());
        }
        return all;
      },
      "The registry of criteria: name, whether it is for numbers, and what it measures.");

  nb::class_<Target>(m, "Target", "What is to be predicted, with the weight of each row.")
      .def_static(
          "classes", &class_target, "labels"_a, "n_classes"_a, "sample_weight"_a = nb::none(),
          "class_weight"_a = nb::none(), "priors"_a = nb::none(),
          "Classes 0 .. n_classes - 1. Priors count in growing only; the tree stores weights without them.")
      .def_static("numbers", &number_target, "y"_a, "sample_weight"_a = nb::none(), "bins"_a = nb::none(),
                  "n_bins"_a = 0, "Numbers; rows of the same bin agree where a score asks who agrees.")
      .def_ro("n_rows", &Target::n_rows)
      .def_ro("n_classes", &Target::n_classes);

  nb::class_<PriceRules>(m, "PriceRules", "Prices of tests that depend on what a path has paid for.")
      .def(
          "__init__",
          [](PriceRules* self, std::vector<double> own, std::vector<std::int32_t> group,
             std::vector<double> setup, std::vector<bool> known, bool pay_once, double asking, bool read,
             bool free_first, std::vector<std::vector<double>> by_code, double budget) {
            PriceRules rules{std::move(own),
                             std::move(group),
                             std::move(setup),
                             std::move(known),
                             pay_once,
                             asking,
                             read,
                             free_first,
                             std::move(by_code),
                             budget};
            TestPrices check(rules);
            new (self) PriceRules(std::move(rules));
          },
          "own"_a, "group"_a, "setup"_a, "known"_a, "pay_once"_a, "asking"_a, "read"_a = false,
          "free_first"_a = false, "by_code"_a = std::vector<std::vector<double>>(),
          "budget"_a = std::numeric_limits<double>::infinity())
      .def(
          "marginal",
          [](const PriceRules& rules, const std::vector<std::uint32_t>& path) {
            std::vector<PathStep> steps;
            for (std::uint32_t column : path) {
              if (column >= rules.own.size()) throw nb::index_error("no such column");
              steps.push_back({column, 0});
            }
            std::vector<double> prices(rules.own.size());
            TestPrices(rules).marginal(steps, prices);
            return prices;
          },
          "path"_a, "What each column costs after the columns of `path` have been tested.");

  nb::class_<LearntTree>(m, "GrownTree", "A grown tree, and the limit that ended its growth, if one did.")
      .def_ro("tree", &LearntTree::tree)
      .def_prop_ro("stopped_by", [](const LearntTree& g) -> std::optional<std::string> {
        if (g.stopped_by.empty()) return {};
        return g.stopped_by;
      });

  nb::class_<LearntPath>(m, "GrownPath",
                         "The trees of several trade-offs, and how much was counted for them.")
      .def_ro("grown", &LearntPath::trees)
      .def_ro("rows_counted", &LearntPath::rows_counted)
      .def_ro("rows_of_distinct_nodes", &LearntPath::rows_of_distinct_nodes);

  m.def("grow_path", &grow_path, "table"_a, "target"_a, "options"_a, "trade_offs"_a,
        "One tree per trade-off. What a node that several share counts is counted once.");
  m.def("grow", &grow_tree, "table"_a, "target"_a, "options"_a,
        "Grows a tree: count, choose, divide, until no leaf wants to split.");
}

}  // namespace thriftree::bindings
