// The parameters of a fit as Python gives them: the core's groups, and what only Python can hold.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <optional>
#include <vector>

#include "bindings/arrays.hpp"
#include "learn/options.hpp"
#include "run/control.hpp"

namespace thriftree::bindings {

struct PythonScoring : ScoringParameters {
  nanobind::object criterion = nanobind::str("gini");  // a name, or a function
  nanobind::object set_function = nanobind::none();
};

struct PythonPricing : PriceParameters {
  nanobind::object price_model = nanobind::none();  // PriceRules, or a part
  std::optional<Matrix> error_costs;
};

struct Limits {
  int n_threads = 1;
  std::optional<double> time_limit_s, memory_limit_mb;
  bool keep_interrupted = false;  // whether Ctrl-C gives the tree so far instead of KeyboardInterrupt
};

struct PythonParts {
  nanobind::object chooser = nanobind::none(), grower = nanobind::none();
};

struct GrowOptions {
  PythonScoring scoring;
  TestParameters tests;
  StopParameters stopping;
  PythonPricing pricing;
  Limits limits;
  PythonParts parts;
  Start start;

  // As the core takes them; these must outlive the result.
  LearnOptions for_core() const;
  // On one thread where a function in Python would be called from all.
  std::unique_ptr<Control> control() const;
};

}  // namespace thriftree::bindings
