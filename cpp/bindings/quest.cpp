// QUEST: its chooser, and the steps that it is made of.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include <cmath>

#include "bindings/arrays.hpp"
#include "bindings/native_chooser.hpp"
#include "choose/quest_chooser.hpp"
#include "choose/quest_split.hpp"
#include "choose/quest_tests.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace thriftree::bindings {

namespace {

struct PythonQuest : NativeChooser {};

PythonQuest quest_of(double alpha, std::optional<Vector<double>> class_factors, std::int64_t min_leaf_rows,
                     double min_leaf_share, std::optional<std::int64_t> subset_min_rows,
                     std::optional<std::int64_t> subset_max_categories) {
  auto rules = std::make_shared<QuestRules>();
  *rules = {alpha, {}, min_leaf_rows, min_leaf_share, subset_min_rows, subset_max_categories};
  if (class_factors)
    rules->class_factors.assign(class_factors->data(), class_factors->data() + class_factors->size());
  PythonQuest made;
  made.make = [rules](std::span<const Column> columns, Control& control) {
    return make_quest_chooser(columns, *rules, control);
  };
  return made;
}

void check_values(const Vector<double>& values, const Matrix& counts) {
  if (values.size() != counts.shape(0) || values.size() < 2)
    throw BadInput("give two ascending values or more, and a row of counts for each");
  for (std::size_t i = 1; i < values.size(); ++i) {
    if (!(values.data()[i] > values.data()[i - 1]) || !std::isfinite(values.data()[i]) ||
        !std::isfinite(values.data()[0]))
      throw BadInput("values must be finite and ascend");
  }
  check_amounts({counts.data(), counts.size()});
  std::size_t n_seen = 0;
  for (std::size_t k = 0; k < counts.shape(1); ++k) {
    double seen = 0;
    for (std::size_t i = 0; i < values.size(); ++i) seen += counts.data()[i * counts.shape(1) + k];
    n_seen += seen > 0;
  }
  if (n_seen < 2) throw BadInput("two classes or more must have some weight");
}

}  // namespace

void register_quest(nb::module_& m) {
  nb::class_<PythonQuest, NativeChooser>(
      m, "QuestChooser",
      "QUEST's part of the loop: chooses a column by tests of significance, and divides its values by "
      "discriminant analysis.")
      .def(
          "__init__",
          [](PythonQuest* self, double alpha, std::optional<Vector<double>> class_factors,
             std::int64_t min_leaf_rows, double min_leaf_share, std::optional<std::int64_t> subset_min_rows,
             std::optional<std::int64_t> subset_max_categories) {
            new (self) PythonQuest(quest_of(alpha, std::move(class_factors), min_leaf_rows, min_leaf_share,
                                            subset_min_rows, subset_max_categories));
          },
          nb::kw_only(), "alpha"_a = 0.05, "class_factors"_a.none() = nb::none(), "min_leaf_rows"_a = 1,
          "min_leaf_share"_a = 0.0, "subset_min_rows"_a.none() = nb::none(),
          "subset_max_categories"_a.none() = nb::none());
  m.def(
      "quest_log_p",
      [](const Vector<double>& values, const Matrix& counts, bool spreads) {
        check_values(values, counts);
        std::vector<double> scaled(values.data(), values.data() + values.size());
        scale_to_one(scaled);
        const std::span<const double> table(counts.data(), counts.size());
        return spreads ? log_p_of_spreads(scaled, table, counts.shape(1))
                       : log_p_of_means(scaled, table, counts.shape(1));
      },
      "values"_a, "counts"_a, "spreads"_a = false,
      "log p of the test that ascending values have the same mean, or spread, in all classes: "
      "counts[value, class].");
  m.def(
      "quest_order",
      [](const std::vector<std::pair<std::uint32_t, double>>& tested, double alpha,
         const std::vector<std::pair<std::uint32_t, double>>& spreads) {
        const auto candidates = [](const std::vector<std::pair<std::uint32_t, double>>& pairs) {
          std::vector<QuestCandidate> all;
          for (const auto& [column, log_p] : pairs) all.push_back({column, log_p});
          return all;
        };
        if (tested.empty()) throw BadInput("a choice needs a column");
        std::vector<std::pair<std::uint32_t, double>> order;
        for (const auto& [column, log_p] :
             quest_order(candidates(tested), alpha, [&] { return candidates(spreads); }))
          order.emplace_back(column, log_p);
        return order;
      },
      "tested"_a, "alpha"_a, "spreads"_a,
      "The column that is chosen among (column, log p), with the log p that decided; then the others, the "
      "most\nsignificant first.");
  m.def(
      "quest_n_left",
      [](const Vector<double>& values, const Matrix& counts) {
        check_values(values, counts);
        return quest_n_left(span_of(values), {counts.data(), counts.size()}, counts.shape(1));
      },
      "values"_a, "counts"_a,
      "How many of the ascending values (from 0 to 1) go left, by counts[value, class] of two classes or "
      "more.");
  m.def("crossing_of_normals", &crossing_of_normals, "narrow"_a, "wide"_a, "apart"_a, "log_odds"_a,
        "How far from the mean of the narrower normal distribution both cross; None if nowhere.");
}

}  // namespace thriftree::bindings
