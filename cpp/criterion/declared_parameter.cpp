#include "criterion/declared_parameter.hpp"

#include "run/control.hpp"

namespace thriftree {

bool is_flag(double x) { return x == 0 || x == 1; }
bool is_at_least_0(double x) { return x >= 0; }
bool is_any_number(double x) { return x == x; }

ParameterValues checked_values(const std::vector<DeclaredParameter>& declared, const ParameterValues& given) {
  ParameterValues values;
  for (const DeclaredParameter& parameter : declared) {
    const auto found = given.find(parameter.name);
    const double value = found == given.end() ? parameter.default_value : found->second;
    if (!parameter.valid(value))
      throw BadInput(parameter.name + " " + parameter.must + ", not " + std::to_string(value));
    values[parameter.name] = value;
  }
  return values;
}

}  // namespace thriftree
