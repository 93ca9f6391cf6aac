#include "criterion/declared_parameter.hpp"

#include <cmath>

#include "run/control.hpp"

namespace thriftree {

bool DeclaredParameter::valid(double value) const {
  if (value == default_value) return true;
  return value >= least && value <= most && (!whole || value == std::floor(value));
}

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
