// CHAID: its chooser, and the steps that it is made of.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <map>
#include <mutex>
#include <string>
#include <tuple>

#include "bindings/arrays.hpp"
#include "bindings/control.hpp"
#include "bindings/native_chooser.hpp"
#include "choose/chaid_chooser.hpp"
#include "choose/log_tails.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace thriftree::bindings {

namespace {

constexpr const char* kScaleNames[] = {"ordered", "unordered", "floating"};

const char* name_of_scale(CategoryScale scale) { return kScaleNames[static_cast<std::size_t>(scale)]; }

// A function in Python, whose answers are remembered: it is asked anew at every column of every node.
class RememberedMultiplier {
 public:
  explicit RememberedMultiplier(nb::callable function) : function_(std::move(function)) {}
  ~RememberedMultiplier() {
    nb::gil_scoped_acquire gil;
    function_.reset();
  }
  RememberedMultiplier(const RememberedMultiplier&) = delete;
  RememberedMultiplier& operator=(const RememberedMultiplier&) = delete;

  double of(CategoryScale scale, std::size_t n_categories, std::size_t n_groups) {
    const std::lock_guard lock(mutex_);
    const auto [found, is_new] = known_.try_emplace({scale, n_categories, n_groups}, 0.0);
    if (is_new) {
      try {
        nb::gil_scoped_acquire gil;
        found->second = nb::cast<double>(function_(name_of_scale(scale), n_categories, n_groups));
      } catch (...) {
        known_.erase(found);
        throw;
      }
    }
    return found->second;
  }

 private:
  nb::callable function_;
  std::mutex mutex_;  // taken before the interpreter's lock, never while it is held
  std::map<std::tuple<CategoryScale, std::size_t, std::size_t>, double> known_;
};

struct ChaidParts {
  ChaidRules rules;
  ChaidSplits splits;
};

struct PythonChaid : NativeChooser {
  std::shared_ptr<ChaidParts> parts;
};

ChiSquared statistic_of(const std::string& name) {
  if (name == "pearson") return ChiSquared::pearson;
  if (name == "likelihood_ratio") return ChiSquared::likelihood_ratio;
  throw BadInput("statistic must be 'pearson' or 'likelihood_ratio'");
}

PythonChaid chaid_of(double alpha_split, double alpha_merge, std::optional<double> alpha_resplit,
                     bool exhaustive, const std::string& statistic, std::pair<double, double> least,
                     std::optional<nb::callable> log_multiplier) {
  PythonChaid made;
  made.parts = std::make_shared<ChaidParts>();
  ChaidRules& rules = made.parts->rules;
  rules = {alpha_split,
           alpha_merge,
           alpha_resplit,
           exhaustive,
           statistic_of(statistic),
           {least.first, least.second},
           {}};
  if (log_multiplier) {
    auto remembered = std::make_shared<RememberedMultiplier>(std::move(*log_multiplier));
    rules.log_multiplier = [remembered](CategoryScale scale, std::size_t n, std::size_t n_groups) {
      return remembered->of(scale, n, n_groups);
    };
  }
  made.make = [parts = made.parts](std::span<const Column> columns, Control& control) {
    return make_chaid_chooser(columns, parts->rules, parts->splits, control);
  };
  return made;
}

// Categories from Python, and what they refer to.
struct GivenCategories {
  std::vector<GroupSize> sizes;
  Categories categories;
  ContingencyTests tests;

  GivenCategories(const ChaidRules& rules, const Matrix& table, const Vector<double>& rows, bool ordered,
                  bool floating)
      : tests(rules.statistic, table.shape(1)) {
    if (rows.size() != table.shape(0) || rows.size() < 1 || table.shape(1) < 1)
      throw BadInput("a table of categories has a row for each, with its number of rows");
    check_amounts({table.data(), table.size()});
    check_amounts({rows.data(), rows.size()});
    for (std::size_t i = 0; i < rows.size(); ++i) {
      double weight = 0;
      for (std::size_t k = 0; k < table.shape(1); ++k) weight += table.data()[i * table.shape(1) + k];
      if (!(weight > 0)) throw BadInput("every category of a table must have some weight");
      sizes.push_back({rows.data()[i], weight});
    }
    categories = {{table.data(), table.size()}, sizes, ordered, floating};
  }
};

std::optional<Grouping> grouping_of(const PythonChaid& chaid, const Matrix& table, const Vector<double>& rows,
                                    bool ordered, bool floating, std::optional<double> time_limit_s) {
  GivenCategories given(chaid.parts->rules, table, rows, ordered, floating);
  const auto control = make_control(1, time_limit_s);
  control->watch_time();
  ChaidLimits limits;
  limits.poll = [&] { control->poll_or_throw(); };
  nb::gil_scoped_release release;
  return group_categories(given.categories, chaid.parts->rules, given.tests, limits);
}

double bound_of(const PythonChaid& chaid, const Matrix& table, const Vector<double>& rows, bool ordered,
                bool floating) {
  GivenCategories given(chaid.parts->rules, table, rows, ordered, floating);
  nb::gil_scoped_release release;
  return least_log_p(given.categories, chaid.parts->rules, given.tests);
}

template <class Test, class... Freedom>
Array<double> log_p_of_each(Test test, const Vector<double>& statistic, const Freedom&... freedom) {
  if (((freedom.size() != statistic.size()) || ...))
    throw BadInput("give as many degrees of freedom as statistics");
  (check_amounts({freedom.data(), freedom.size()}), ...);
  for (std::size_t i = 0; i < statistic.size(); ++i) {
    if (!(statistic.data()[i] >= 0)) throw BadInput("statistics are numbers of at least 0");
  }
  std::vector<double> found(statistic.size());
  for (std::size_t i = 0; i < found.size(); ++i) found[i] = test(statistic.data()[i], freedom.data()[i]...);
  return to_numpy(std::move(found));
}

}  // namespace

void register_chaid(nb::module_& m) {
  nb::class_<NativeChooser>(m, "NativeChooser",
                            "A chooser of the core: a part of a fit, as one in Python is.")
      .def(
          "only",
          [](const NativeChooser& self, std::uint32_t column) {
            NativeChooser narrowed = self;
            narrowed.one_column = column;
            return narrowed;
          },
          "column"_a, "The same, of tests of one column. Both tell the same of their choices.");

  nb::class_<Grouping>(m, "Grouping", "A predictor's groups, and the test of their table.")
      .def_ro("groups", &Grouping::groups, "Of each group its categories, by their place, ascending.")
      .def_prop_ro("scale", [](const Grouping& g) { return name_of_scale(g.scale); })
      .def_ro("n_categories", &Grouping::n_categories)
      .def_ro("statistic", &Grouping::statistic)
      .def_ro("freedom", &Grouping::freedom)
      .def_ro("log_p", &Grouping::log_p)
      .def_ro("log_adjusted", &Grouping::log_adjusted,
              "Log of p-value times multiplier; above 0 the adjusted p-value is 1.");

  nb::class_<ChaidSplit>(m, "ChaidSplit", "What decided a split.")
      .def_ro("column", &ChaidSplit::column)
      .def_ro("codes", &ChaidSplit::codes, "Seen at the node, ascending; the missing code too.")
      .def_ro("missing_seen", &ChaidSplit::missing_seen, "Whether the last code is that of missing values.")
      .def_ro("grouping", &ChaidSplit::grouping, "Its groups are positions in `codes`.");

  nb::class_<PythonChaid, NativeChooser>(
      m, "ChaidChooser",
      "CHAID's part of the loop: groups the categories of every column and takes the column of the smallest "
      "adjusted p-value.")
      .def(
          "__init__",
          [](PythonChaid* self, double alpha_split, double alpha_merge, std::optional<double> alpha_resplit,
             bool exhaustive, const std::string& statistic, std::pair<double, double> least,
             std::optional<nb::callable> log_multiplier) {
            new (self) PythonChaid(chaid_of(alpha_split, alpha_merge, alpha_resplit, exhaustive, statistic,
                                            least, std::move(log_multiplier)));
          },
          nb::kw_only(), "alpha_split"_a = 0.05, "alpha_merge"_a = 0.05, "alpha_resplit"_a.none() = 0.05,
          "exhaustive"_a = false, "statistic"_a = "pearson", "least"_a = std::pair<double, double>(0, 0),
          "log_multiplier"_a.none() = nb::none(),
          "least: rows and weight that a group must have; log_multiplier(scale, n_categories, n_groups): of "
          "p-values,\nNone: they are not adjusted.")
      .def_prop_ro(
          "splits",
          [](const PythonChaid& self) {
            nb::dict found;
            for (const auto& [path, split] : self.parts->splits) {
              nb::list steps;
              for (const auto& step : path) steps.append(nb::make_tuple(step.first, step.second));
              found[nb::tuple(steps)] = nb::cast(split);
            }
            return found;
          },
          nb::for_getter(nb::sig("def splits(self) -> dict[tuple[tuple[int, int], ...], ChaidSplit]")),
          "What decided each choice, by the path to its node: (column, branch) from the root.")
      .def("group", &grouping_of, "table"_a, "rows"_a, "ordered"_a, "floating"_a,
           "time_limit_s"_a = nb::none(),
           "The groups of categories with table[category, class] and so many rows each; None if all are one "
           "group. floating: the last has no place in the order.")
      .def("least_log_p", &bound_of, "table"_a, "rows"_a, "ordered"_a, "floating"_a,
           "A log p-value, adjusted, that no grouping of the categories goes below.");

  m.def(
      "table_test",
      [](const Matrix& table, const std::string& statistic) {
        if (table.shape(1) < 1) throw BadInput("a table has a class");
        check_amounts({table.data(), table.size()});
        const TableTest test =
            ContingencyTests(statistic_of(statistic), table.shape(1)).of_table({table.data(), table.size()});
        return std::make_pair(test.statistic, test.freedom);
      },
      "table"_a, "statistic"_a,
      "Chi-squared and degrees of freedom of table[category, class]; empty rows and columns count for "
      "nothing.");
  m.def(
      "pair_test",
      [](const Vector<double>& a, const Vector<double>& b, const std::string& statistic) {
        if (a.size() != b.size()) throw BadInput("two rows of a table are equally long");
        check_amounts({a.data(), a.size()});
        check_amounts({b.data(), b.size()});
        const TableTest test =
            ContingencyTests(statistic_of(statistic), a.size()).of_pair(a.data(), b.data());
        return std::make_pair(test.statistic, test.freedom);
      },
      "a"_a, "b"_a, "statistic"_a, "The same, of a table of two rows that are not empty.");
  m.def(
      "log_p_of_chi2",
      [](const Vector<double>& statistic, const Vector<double>& freedom) {
        return log_p_of_each(log_p_of_chi2, statistic, freedom);
      },
      "statistic"_a, "freedom"_a, "log P(chi-squared > statistic) of each.");
  m.def(
      "log_p_of_f",
      [](const Vector<double>& statistic, const Vector<double>& between, const Vector<double>& within) {
        return log_p_of_each(log_p_of_f, statistic, between, within);
      },
      "statistic"_a, "between"_a, "within"_a, "log P(F > statistic) of each, by its degrees of freedom.");
}

}  // namespace thriftree::bindings
