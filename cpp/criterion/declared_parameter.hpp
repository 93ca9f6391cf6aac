// A number that a score or a stop rule takes, as its registration declares it.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace thriftree {

struct DeclaredParameter {
  std::string name;
  double default_value = 0;  // flags are 0 or 1
  bool (*valid)(double) = nullptr;
  std::string must;  // completes the error: "must be ..."
};

// Values by name; what is not there has its default.
using ParameterValues = std::map<std::string, double>;

bool is_flag(double x);
bool is_at_least_0(double x);  // infinity is
bool is_any_number(double x);

// The values of these parameters. Throws BadInput, which names the parameter, for one that is not valid.
ParameterValues checked_values(const std::vector<DeclaredParameter>& declared, const ParameterValues& given);

}  // namespace thriftree
