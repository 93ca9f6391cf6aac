#include "bindings/options.hpp"

#include <string>

#include "bindings/control.hpp"
#include "bindings/native_chooser.hpp"
#include "bindings/seams.hpp"
#include "bindings/set_functions.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace thriftree::bindings {

namespace {

constexpr const char* kGroups[] = {"scoring", "tests", "stopping", "pricing", "limits", "parts"};

// A group with these parameters set; `name` is the group's, for the error about one that it does not have.
template <class Group>
Group with_parameters(const nb::kwargs& parameters, const std::string& name) {
  const nb::object group = nb::cast(Group());
  for (auto [key, value] : parameters) {
    if (!nb::hasattr(group, key))
      throw nb::type_error((name + " has no parameter '" + nb::cast<std::string>(key) + "'").c_str());
    nb::setattr(group, key, value);
  }
  return nb::cast<Group>(group);
}

// A parameter goes to the group that has it; groups can be given whole.
GrowOptions options_of(const nb::kwargs& parameters) {
  const nb::object options = nb::cast(GrowOptions());
  for (auto [key, value] : parameters) {
    nb::object owner = options;
    for (const char* group : kGroups) {
      if (nb::hasattr(options.attr(group), key)) owner = options.attr(group);
    }
    if (!nb::hasattr(owner, key))
      throw nb::type_error(("GrowOptions has no parameter '" + nb::cast<std::string>(key) + "'").c_str());
    nb::setattr(owner, key, value);
  }
  return nb::cast<GrowOptions>(options);
}

template <class Group>
nb::class_<Group> group_class(nb::module_& m, const char* name, const char* doc) {
  return nb::class_<Group>(m, name, doc)
      .def(
          "__init__",
          [name](Group* self, const nb::kwargs& parameters) {
            new (self) Group(with_parameters<Group>(parameters, name));
          },
          nb::sig("def __init__(self, **parameters: object) -> None"));
}

bool is_function(const nb::object& object) { return PyCallable_Check(object.ptr()) != 0; }

}  // namespace

LearnOptions GrowOptions::for_core() const {
  LearnOptions made{scoring, tests, stopping, pricing, {}, start, {}};
  // Parts are made while the core runs, which it does without the interpreter's lock.
  const nb::handle criterion = scoring.criterion, set_function = scoring.set_function;
  if (nb::isinstance<nb::str>(criterion)) {
    made.scoring.criterion = nb::cast<std::string>(criterion);
  } else if (is_function(scoring.criterion)) {
    made.parts.score = [criterion](const TargetHeader& target) {
      nb::gil_scoped_acquire gil;
      return python_score(nb::borrow<nb::callable>(criterion), target);
    };
  } else {
    throw nb::type_error("criterion must be a name or a function");
  }
  made.parts.set_function = [set_function] {
    nb::gil_scoped_acquire gil;
    return set_function_of(set_function);
  };
  if (const nb::handle part = parts.chooser; !part.is_none()) {
    if (nb::isinstance<NativeChooser>(part)) {
      const NativeChooser& native = nb::cast<const NativeChooser&>(part);
      made.parts.chooser = [&native](std::span<const Column> columns, Control& control) {
        return native.made(columns, control);
      };
    } else {
      made.parts.chooser = [part](std::span<const Column> columns, Control&) {
        nb::gil_scoped_acquire gil;
        return python_chooser(nb::borrow(part), columns);
      };
    }
  }
  if (const nb::handle part = parts.grower; !part.is_none()) {
    made.parts.grower = [part] {
      nb::gil_scoped_acquire gil;
      return python_grower(nb::borrow(part));
    };
  }
  if (const nb::handle model = pricing.price_model; nb::isinstance<PriceRules>(model)) {
    made.pricing.rules = nb::cast<const PriceRules&>(model);
  } else if (!model.is_none()) {
    made.parts.price_model = [model, divide = pricing.cost_benefit] {
      nb::gil_scoped_acquire gil;
      return python_prices(nb::borrow(model), divide);
    };
  }
  if (const auto& costs = pricing.error_costs) {
    if (costs->shape(0) != costs->shape(1))
      throw BadInput("error_costs must be a matrix with a row and a column per class");
    made.error_costs.assign(costs->data(), costs->data() + costs->shape(0) * costs->shape(1));
  }
  return made;
}

std::unique_ptr<Control> GrowOptions::control() const {
  const bool in_python = !nb::isinstance<nb::str>(scoring.criterion) ||
                         (scoring.score == "worst_case" && is_function(scoring.set_function));
  auto control = make_control(in_python ? 1 : limits.n_threads, limits.time_limit_s, limits.memory_limit_mb);
  if (limits.keep_interrupted) keep_interrupted(*control);
  return control;
}

void register_options(nb::module_& m) {
  group_class<PythonScoring>(m, "Scoring", "What makes a test good.")
      .def_rw("criterion", &PythonScoring::criterion)
      .def_rw("score", &PythonScoring::score)
      .def_rw("trade_off", &PythonScoring::trade_off)
      .def_rw("discrimination_scale", &PythonScoring::discrimination_scale)
      .def_rw("weighted_pairs", &PythonScoring::weighted_pairs)
      .def_rw("set_function", &PythonScoring::set_function, nb::arg().none())
      .def_rw("tolerance", &PythonScoring::tolerance)
      .def_rw("objects", &PythonScoring::objects);
  group_class<TestParameters>(m, "Tests", "Which tests are on offer.")
      .def_rw("candidates", &TestParameters::candidates)
      .def_rw("min_leaf_rows", &TestParameters::min_leaf_rows)
      .def_rw("min_leaf_share", &TestParameters::min_leaf_share)
      .def_rw("threshold_penalty", &TestParameters::threshold_penalty)
      .def_rw("threshold_minimum", &TestParameters::threshold_minimum)
      .def_rw("average_gain_guard", &TestParameters::average_gain_guard)
      .def_rw("subset_smoothing", &TestParameters::subset_smoothing)
      .def_rw("subset_min_rows", &TestParameters::subset_min_rows)
      .def_rw("subset_max_categories", &TestParameters::subset_max_categories)
      .def_rw("subset_correction", &TestParameters::subset_correction);
  auto stopping = group_class<StopParameters>(m, "Stopping", "When a node stays a leaf.")
                      .def_rw("max_leaves", &StopParameters::max_leaves);
  for (const StopRuleEntry& entry : stop_rule_entries()) {
    stopping.def_prop_rw(
        entry.parameter.name.c_str(),
        [&entry](const StopParameters& s) {
          const auto found = s.rules.find(entry.parameter.name);
          return found == s.rules.end() ? entry.parameter.default_value : found->second;
        },
        [&entry](StopParameters& s, double value) { s.rules[entry.parameter.name] = value; });
  }
  nb::class_<DeclaredParameter>(m, "DeclaredParameter", "A number that a stop rule takes.")
      .def_ro("name", &DeclaredParameter::name)
      .def_ro("default", &DeclaredParameter::default_value, "May lie below `least`: then it means none.")
      .def_ro("least", &DeclaredParameter::least)
      .def_ro("most", &DeclaredParameter::most, "Infinity: there is none.")
      .def_ro("whole", &DeclaredParameter::whole);
  m.def(
      "stop_parameters",
      [] {
        std::vector<DeclaredParameter> parameters;
        for (const StopRuleEntry& entry : stop_rule_entries()) parameters.push_back(entry.parameter);
        return parameters;
      },
      "The parameters of the stop rules, as these declare them.");
  group_class<PythonPricing>(m, "Pricing", "What tests and mistakes cost.")
      .def_rw("prices", &PythonPricing::prices, nb::arg().none())
      .def_rw("price_model", &PythonPricing::price_model, nb::arg().none())
      .def_rw("cost_benefit", &PythonPricing::cost_benefit)
      .def_rw("error_costs", &PythonPricing::error_costs, nb::arg().none());
  group_class<Limits>(m, "Limits", "What a fit may use.")
      .def_rw("n_threads", &Limits::n_threads)
      .def_rw("time_limit_s", &Limits::time_limit_s, nb::arg().none())
      .def_rw("memory_limit_mb", &Limits::memory_limit_mb, nb::arg().none())
      .def_rw("keep_interrupted", &Limits::keep_interrupted);
  group_class<PythonParts>(m, "Parts", "Parts of the loop in Python, see docs/decisions/004-seams.md.")
      .def_rw("chooser", &PythonParts::chooser, nb::arg().none())
      .def_rw("grower", &PythonParts::grower, nb::arg().none());
  group_class<Start>(m, "Start", "The node of a larger tree at which a growth starts.")
      .def_rw("depth", &Start::depth)
      .def_rw("other_leaves", &Start::other_leaves)
      .def_rw("sample_share", &Start::sample_share)
      .def_rw("growth_share", &Start::growth_share)
      .def_rw("bought", &Start::bought, "What the path to the node has bought.")
      .def_rw("paid", &Start::paid, "And for how much: of a budget the rest is left.");
  nb::class_<GrowOptions>(
      m, "GrowOptions",
      "How to grow: groups of parameters, each with a default, see docs/defaults.md. A parameter "
      "that is given alone goes to its group.")
      .def(
          "__init__",
          [](GrowOptions* self, const nb::kwargs& parameters) {
            new (self) GrowOptions(options_of(parameters));
          },
          nb::sig("def __init__(self, **parameters: object) -> None"))
      .def_rw("scoring", &GrowOptions::scoring)
      .def_rw("tests", &GrowOptions::tests)
      .def_rw("stopping", &GrowOptions::stopping)
      .def_rw("pricing", &GrowOptions::pricing)
      .def_rw("limits", &GrowOptions::limits)
      .def_rw("parts", &GrowOptions::parts)
      .def_rw("start", &GrowOptions::start)
      .def_prop_ro(
          "objects_weigh", [](const GrowOptions& o) { return name_of(o.for_core().objects_weigh()); },
          "What objects weigh, where they are counted: see Target.objects.")
      .def_prop_ro(
          "members_matter", [](const GrowOptions& o) { return o.for_core().members_matter(); },
          "Whether it matters how many rows an object has.");
}

}  // namespace thriftree::bindings
