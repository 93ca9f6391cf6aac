// Growing a tree: targets, options and the call itself.
#include "grow/grow.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <optional>

#include "bindings/arrays.hpp"
#include "bindings/control.hpp"
#include "bindings/seams.hpp"
#include "bindings/set_functions.hpp"
#include "choose/score_chooser.hpp"
#include "criterion/score_registry.hpp"
#include "price/test_prices.hpp"
#include "rows/local_store.hpp"
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

// The words of GrowOptions, as Python sets them.
struct GrowOptions {
  nb::object criterion = nb::str("gini");
  std::string score = "impurity";
  double trade_off = 1;
  double discrimination_scale = 1;
  bool weighted_pairs = false;
  nb::object set_function = nb::none();
  double tolerance = 0;
  bool objects = false;
  std::vector<int> candidates;
  std::int64_t min_leaf_rows = 1;
  double min_leaf_share = 0;
  double min_mass = 0;
  int max_depth = -1;
  int max_leaves = -1;
  double min_decrease = 0;
  bool threshold_penalty = false;
  bool threshold_minimum = false;
  bool average_gain_guard = false;
  std::optional<std::vector<double>> prices;
  bool cost_benefit = false;
  std::optional<Matrix> error_costs;
  int n_threads = 1;
  std::optional<double> time_limit_s, memory_limit_mb;
  nb::object chooser = nb::none(), grower = nb::none(), price_model = nb::none(), row_store = nb::none();
};

// The result of a fit.
struct GrownTree {
  Tree tree;
  std::string stopped_by;
};

// The trees of several trade-offs.
struct GrownPath {
  std::vector<GrownTree> grown;
  std::int64_t rows_counted = 0, rows_of_distinct_nodes = 0;
};

bool is_function(const GrowOptions& options) {
  if (nb::isinstance<nb::str>(options.criterion)) return false;
  if (!PyCallable_Check(options.criterion.ptr()))
    throw nb::type_error("criterion must be a name or a function");
  return true;
}

// The score that candidates are chosen by, on the impurity that the tree reports.
std::unique_ptr<Score> score_of(const GrowOptions& options, double trade_off, const Target& target) {
  if (is_function(options)) {
    if (options.score != "impurity")
      throw BadInput("score '" + options.score + "' stands on an impurity by name, not on a function");
    return python_score(nb::borrow<nb::callable>(options.criterion), target);
  }
  ScoreRequest request;
  request.score = options.score;
  request.impurity = nb::cast<std::string>(options.criterion);
  request.values = {{"trade_off", trade_off},
                    {"discrimination_scale", options.discrimination_scale},
                    {"weighted_pairs", options.weighted_pairs},
                    {"tolerance", options.tolerance}};
  request.min_mass = options.min_mass;
  request.set_function = [&] { return set_function_of(options.set_function); };
  return make_score(request, target);
}

ScoreRules rules_of(const GrowOptions& options, const Table& table, const Target& target, double total) {
  ScoreRules rules;
  if (options.candidates.size() != table.columns.size())
    throw BadInput("candidates must have one mask per column");
  for (int mask : options.candidates) {
    if (mask < 0 || mask > 15) throw BadInput("a candidate mask must be between 0 and 15");
    rules.kinds.push_back(static_cast<std::uint8_t>(mask));
  }
  for (std::size_t j = 0; j < table.columns.size(); ++j) {
    if (table.columns[j].kind == ColumnKind::category && (rules.kinds[j] & kThreshold)) {
      throw BadInput("column " + std::to_string(j) + " holds categories: it has no thresholds");
    }
  }
  rules.candidates.limits.rows = options.min_leaf_rows;
  rules.candidates.limits.weight = options.min_leaf_share * total * (1 - 1e-12);
  if (!target.weighted() && options.min_leaf_share > 0) {  // whole rows decide sooner than sums of weights
    const auto rows = static_cast<std::int64_t>(std::ceil(rules.candidates.limits.weight));
    rules.candidates.limits.rows = std::max(rules.candidates.limits.rows, rows);
    rules.candidates.limits.weight = 0;
  }
  rules.candidates.threshold_penalty = options.threshold_penalty;
  rules.candidates.threshold_minimum = options.threshold_minimum;
  rules.average_gain_guard = options.average_gain_guard;
  rules.divide_by_price = options.cost_benefit;
  return rules;
}

std::vector<double> error_costs_of(const GrowOptions& options, const Target& target) {
  if (!options.error_costs) return {};
  const auto n = static_cast<std::size_t>(target.n_classes);
  if (options.error_costs->shape(0) != n || options.error_costs->shape(1) != n) {
    throw BadInput("error_costs must be a matrix with a row and a column per class");
  }
  return {options.error_costs->data(), options.error_costs->data() + n * n};
}

double total_weight(const Target& target) {
  if (!target.weighted()) return static_cast<double>(target.n_rows);
  std::int64_t sum = 0;
  for (std::int64_t w : target.growth) sum += w;
  return static_cast<double>(sum) * target.growth_unit;
}

std::unique_ptr<PriceModel> price_model_of(const GrowOptions& options, const Table& table,
                                           const std::vector<double>& prices) {
  if (options.price_model.is_none()) return std::make_unique<FlatPrices>(prices);
  if (!nb::isinstance<PriceRules>(options.price_model))
    return python_prices(options.price_model, options.cost_benefit);
  const auto& rules = nb::cast<const PriceRules&>(options.price_model);
  if (rules.own.size() != table.columns.size()) throw BadInput("price rules must have one entry per column");
  for (std::size_t j = 0; j < rules.by_code.size(); ++j) {
    if (!rules.by_code[j].empty() && rules.by_code[j].size() != table.columns[j].n_codes)
      throw BadInput("by_code[" + std::to_string(j) + "] must have a price for each of the column's codes");
  }
  if (options.cost_benefit && rules.some_may_be_free()) {
    throw BadInput(
        "a question may be free on a path, and scores are divided by prices: let asking be more than 0, or "
        "leave it out");
  }
  return std::make_unique<TestPrices>(rules);
}

void check_options(const Table& table, const Target& target, const GrowOptions& options) {
  if (table.n_rows == 0 || table.columns.empty()) throw BadInput("the table has no rows or no columns");
  if (target.n_rows != table.n_rows) throw BadInput("the target must have one entry per row of the table");
  if (!options.row_store.is_none() && (options.objects || options.score != "impurity"))
    throw BadInput("a row store of your own keeps plain sums only: leave `objects` and `score` as they are");
  if (options.objects && target.labels.empty()) throw BadInput("objects need classes, or a target with bins");
}

std::unique_ptr<Grower> grower_of(const GrowOptions& options) {
  if (!options.grower.is_none()) return python_grower(options.grower);
  if (options.max_leaves >= 0) return std::make_unique<BestFirst>(options.max_leaves);
  return std::make_unique<DepthFirst>();
}

// One tree per trade-off, in the order given.
GrownPath grow_each(const Table& rows, const Target& row_target, const GrowOptions& options,
                    const std::vector<double>& trade_offs) {
  check_options(rows, row_target, options);
  const bool python_rows = !options.row_store.is_none();
  const bool in_python = is_function(options) || python_rows ||
                         (options.score == "worst_case" && PyCallable_Check(options.set_function.ptr()));
  const auto control =
      make_control(in_python ? 1 : options.n_threads, options.time_limit_s, options.memory_limit_mb);
  score_of(options, trade_offs[0], row_target);  // what is wrong with it is said before any work
  const auto error_costs = error_costs_of(options, row_target);
  const auto prices = options.prices.value_or(std::vector<double>(rows.columns.size(), 1.0));
  if (prices.size() != rows.columns.size()) throw BadInput("prices must have one entry per column");
  check_prices(prices, options.cost_benefit);
  const auto price_model = price_model_of(options, rows, prices);

  Team team(*control);
  std::optional<Objects> objects;
  if (options.objects) {
    nb::gil_scoped_release unlocked;
    // What counts objects can let all weigh 1, which is quicker, unless a limit asks for weights.
    const bool alike = options.score == "worst_case" && options.min_leaf_share == 0;
    objects = coalesce(rows, row_target, *control, team, alike);
    if (options.min_leaf_rows <= 1) objects->target.multiplicity.clear();
  }
  const Table& table = objects && objects->table ? *objects->table : rows;
  const Target& target = objects ? objects->target : row_target;
  std::vector<std::unique_ptr<Score>> own_scores;
  std::vector<const Score*> scores;
  for (double trade_off : trade_offs) {
    own_scores.push_back(score_of(options, trade_off, target));
    own_scores.back()->prepare(table.n_rows, !target.weighted());
    scores.push_back(own_scores.back().get());
  }
  Channels channels = scores[0]->channels();
  channels.members = !target.multiplicity.empty();
  ScoreChooser score_chooser(table, scores, rules_of(options, table, target, total_weight(target)),
                             *price_model);
  const auto own_chooser = options.chooser.is_none() ? nullptr : python_chooser(options.chooser, table);
  std::unique_ptr<RowStore> own_rows;
  if (python_rows) own_rows = python_store(options.row_store, table, target);
  std::vector<std::unique_ptr<Grower>> growers;
  for (std::size_t v = 0; v < trade_offs.size(); ++v) growers.push_back(grower_of(options));
  const StopRules stop = make_stop_rules({{"max_depth", options.max_depth},
                                          {"min_mass", options.min_mass},
                                          {"min_decrease", options.min_decrease}},
                                         *scores[0]);

  nb::gil_scoped_release unlocked;
  control->reserve(table.bytes(), "the table");
  std::unique_ptr<LocalStore> local;
  if (!python_rows) {
    local = std::make_unique<LocalStore>(table, target, channels, *control, team);
    if (objects && !objects->rows.empty()) local->know_rows_behind(*objects, row_target);
  }
  ChoiceMemory memory(score_chooser, static_cast<int>(trade_offs.size()));
  GrownPath path;
  for (std::size_t v = 0; v < trade_offs.size(); ++v) {
    Loop loop{table,
              target,
              *scores[v],
              stop,
              python_rows ? *own_rows : *local,
              own_chooser ? *own_chooser : static_cast<Chooser&>(score_chooser),
              *growers[v]};
    if (trade_offs.size() > 1) {
      loop.memory = &memory;
      loop.variant = static_cast<int>(v);
    }
    Grown grown = grow(loop, *control, team);
    keep_plain_totals(grown.growth, channels, scores[v]->impurity());
    path.grown.push_back({make_tree(grown.growth, rows, row_target, error_costs), grown.stopped_by});
  }
  path.rows_counted = memory.rows_counted;
  path.rows_of_distinct_nodes = memory.rows_of_distinct_nodes();
  return path;
}

GrownTree grow_tree(const Table& table, const Target& target, const GrowOptions& options) {
  return std::move(grow_each(table, target, options, {options.trade_off}).grown[0]);
}

GrownPath grow_path(const Table& table, const Target& target, const GrowOptions& options,
                    const std::vector<double>& trade_offs) {
  if (trade_offs.empty()) throw BadInput("trade_offs is empty: name at least one");
  if (options.score != "enhanced") throw BadInput("a path of trade-offs needs score 'enhanced'");
  if (!options.chooser.is_none() || !options.grower.is_none())
    throw BadInput("a path of trade-offs is grown by the built-in chooser and grower");
  return grow_each(table, target, options, trade_offs);
}

GrowOptions make_options(const nb::kwargs& words) {
  const nb::object options = nb::cast(GrowOptions());
  for (auto [key, value] : words) {
    if (!nb::hasattr(options, key)) {
      throw nb::type_error(("GrowOptions has no word '" + nb::cast<std::string>(key) + "'").c_str());
    }
    nb::setattr(options, key, value);
  }
  return nb::cast<GrowOptions>(options);
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
          "class_weight"_a = nb::none(), "priors"_a = nb::none(),
          "Classes 0 .. n_classes - 1. Priors count in growing only; the tree stores weights without them.")
      .def_static("numbers", &number_target, "y"_a, "sample_weight"_a = nb::none(), "bins"_a = nb::none(),
                  "n_bins"_a = 0, "Numbers; rows of the same bin agree where a score asks who agrees.")
      .def_ro("n_rows", &Target::n_rows)
      .def_ro("n_classes", &Target::n_classes);

  nb::class_<GrowOptions>(m, "GrowOptions", "How to grow; every word has a default, see docs/defaults.md.")
      .def(
          "__init__",
          [](GrowOptions* self, const nb::kwargs& words) { new (self) GrowOptions(make_options(words)); },
          nb::sig("def __init__(self, **words: object) -> None"))
      .def_rw("criterion", &GrowOptions::criterion)
      .def_rw("score", &GrowOptions::score)
      .def_rw("trade_off", &GrowOptions::trade_off)
      .def_rw("discrimination_scale", &GrowOptions::discrimination_scale)
      .def_rw("weighted_pairs", &GrowOptions::weighted_pairs)
      .def_rw("set_function", &GrowOptions::set_function, nb::arg().none())
      .def_rw("tolerance", &GrowOptions::tolerance)
      .def_rw("objects", &GrowOptions::objects)
      .def_rw("candidates", &GrowOptions::candidates)
      .def_rw("min_leaf_rows", &GrowOptions::min_leaf_rows)
      .def_rw("min_leaf_share", &GrowOptions::min_leaf_share)
      .def_rw("min_mass", &GrowOptions::min_mass)
      .def_rw("max_depth", &GrowOptions::max_depth)
      .def_rw("max_leaves", &GrowOptions::max_leaves)
      .def_rw("min_decrease", &GrowOptions::min_decrease)
      .def_rw("threshold_penalty", &GrowOptions::threshold_penalty)
      .def_rw("threshold_minimum", &GrowOptions::threshold_minimum)
      .def_rw("average_gain_guard", &GrowOptions::average_gain_guard)
      .def_rw("prices", &GrowOptions::prices, nb::arg().none())
      .def_rw("cost_benefit", &GrowOptions::cost_benefit)
      .def_rw("error_costs", &GrowOptions::error_costs, nb::arg().none())
      .def_rw("n_threads", &GrowOptions::n_threads)
      .def_rw("time_limit_s", &GrowOptions::time_limit_s, nb::arg().none())
      .def_rw("memory_limit_mb", &GrowOptions::memory_limit_mb, nb::arg().none())
      .def_rw("chooser", &GrowOptions::chooser, nb::arg().none())
      .def_rw("grower", &GrowOptions::grower, nb::arg().none())
      .def_rw("price_model", &GrowOptions::price_model, nb::arg().none())
      .def_rw("row_store", &GrowOptions::row_store, nb::arg().none());

  nb::class_<GrownTree>(m, "GrownTree", "A grown tree, and the limit that ended its growth, if one did.")
      .def_ro("tree", &GrownTree::tree)
      .def_prop_ro("stopped_by", [](const GrownTree& g) -> std::optional<std::string> {
        if (g.stopped_by.empty()) return {};
        return g.stopped_by;
      });

  nb::class_<GrownPath>(m, "GrownPath", "The trees of several trade-offs, and how much was counted for them.")
      .def_ro("grown", &GrownPath::grown)
      .def_ro("rows_counted", &GrownPath::rows_counted)
      .def_ro("rows_of_distinct_nodes", &GrownPath::rows_of_distinct_nodes);

  m.def("grow_path", &grow_path, "table"_a, "target"_a, "options"_a, "trade_offs"_a,
        "One tree per trade-off. What a node that several share counts is counted once.");
  m.def("grow", &grow_tree, "table"_a, "target"_a, "options"_a,
        "Grows a tree: count, choose, divide, until no leaf wants to split.");
}

}  // namespace thriftree::bindings
