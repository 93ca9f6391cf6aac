#include "bindings/set_functions.hpp"

#include <nanobind/stl/vector.h>

#include <cmath>
#include <string>
#include <variant>

#include "bindings/arrays.hpp"
#include "run/control.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace thriftree::bindings {

namespace {

struct PairsName {
  std::unique_ptr<SetFunction> make() const { return make_pairs(); }
};
struct PowersName {
  int l;
  std::unique_ptr<SetFunction> make() const { return make_powers(l); }
};
struct HingedPairsName {
  double alpha;
  bool offset;
  std::unique_ptr<SetFunction> make() const { return make_hinged_pairs(alpha, offset); }
};
struct PolynomialName {
  std::vector<double> coefficients;
  std::vector<std::vector<int>> exponents;
  std::unique_ptr<SetFunction> make() const { return make_polynomial(coefficients, exponents); }
};

class PythonSetFunction final : public SetFunction {
 public:
  explicit PythonSetFunction(nb::callable function) : function_(std::move(function)) {}
  ~PythonSetFunction() override {
    nb::gil_scoped_acquire gil;
    function_.reset();
  }

  double value(std::span<const double> counts) const override {
    double result = 0;
    values(counts, {&result, 1});
    return result;
  }
  bool in_batches() const override { return true; }
  void values(std::span<const double> counts, std::span<double> out) const override {
    nb::gil_scoped_acquire gil;
    const nb::object answer = function_(to_numpy(std::vector<double>(counts.begin(), counts.end()),
                                                 {out.size(), counts.size() / out.size()}));
    const auto answered = to_vector<double>(answer, "float64");
    if (answered.size() != out.size()) {
      throw BadInput("the impurity returned " + std::to_string(answered.size()) + " values for " +
                     std::to_string(out.size()) + " sets: return one value per row of counts");
    }
    for (std::size_t i = 0; i < out.size(); ++i) {
      if (!(answered[i] >= 0) || !std::isfinite(answered[i]))
        throw BadInput("the impurity returned " + std::to_string(answered[i]) +
                       ": it must be finite and not negative");
      out[i] = answered[i];
    }
  }

 private:
  nb::callable function_;
};

template <class Name>
std::unique_ptr<SetFunction> made_of(nb::handle function) {
  return nb::isinstance<Name>(function) ? nb::cast<const Name&>(function).make() : nullptr;
}

// The same function, once it is known to be valid.
template <class Name>
Name checked(Name name) {
  name.make();
  return name;
}

Array<double> set_values(nb::handle function, const Matrix& counts) {
  const auto made = set_function_of(function);
  std::vector<double> values(counts.shape(0));
  if (!values.empty()) made->values({counts.data(), counts.shape(0) * counts.shape(1)}, values);
  return to_numpy(std::move(values));
}

}  // namespace

std::unique_ptr<SetFunction> set_function_of(nb::handle function) {
  if (auto made = made_of<PairsName>(function)) return made;
  if (auto made = made_of<PowersName>(function)) return made;
  if (auto made = made_of<HingedPairsName>(function)) return made;
  if (auto made = made_of<PolynomialName>(function)) return made;
  if (!PyCallable_Check(function.ptr()))
    throw nb::type_error("set_function must be Pairs, Powers, HingedPairs, Polynomial or a function");
  return std::make_unique<PythonSetFunction>(nb::borrow<nb::callable>(function));
}

void register_set_functions(nb::module_& m) {
  nb::class_<PairsName>(m, "Pairs", "The pairs of objects of different classes.").def(nb::init<>());
  nb::class_<PowersName>(m, "Powers", "Paper 001, Eq. (9).")
      .def("__init__", [](PowersName* self, int l) { new (self) PowersName(checked(PowersName{l})); }, "l"_a);
  nb::class_<HingedPairsName>(m, "HingedPairs", "Paper 001, Eq. (10); without offset, without alpha^2.")
      .def(
          "__init__",
          [](HingedPairsName* self, double alpha, bool offset) {
            new (self) HingedPairsName(checked(HingedPairsName{alpha, offset}));
          },
          "alpha"_a, "offset"_a = true);
  nb::class_<PolynomialName>(m, "Polynomial", "Paper 001, Eq. (8): exponents by term and class.")
      .def(
          "__init__",
          [](PolynomialName* self, std::vector<double> coefficients,
             std::vector<std::vector<int>> exponents) {
            new (self) PolynomialName(checked(PolynomialName{std::move(coefficients), std::move(exponents)}));
          },
          "coefficients"_a, "exponents"_a);
  m.def("set_values", &set_values, "function"_a, "counts"_a,
        "F of each row of counts[sets, classes]: one of the functions above, or a Python function.");
}

}  // namespace thriftree::bindings
