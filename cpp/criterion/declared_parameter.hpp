// A number that a score or a stop rule takes, as its registration declares it.
#pragma once

#include <limits>
#include <map>
#include <string>
#include <vector>

namespace thriftree {

struct DeclaredParameter {
  std::string name;
  double default_value = 0;  // may lie outside the range, where that means "none"
  double least = 0, most = std::numeric_limits<double>::infinity();  // both included
  bool whole = false;                                                // flags are whole, from 0 to 1
  std::string must;                                                  // completes the error: "must be ..."

  bool valid(double value) const;
};

// Values by name; what is not there has its default.
using ParameterValues = std::map<std::string, double>;

inline constexpr double kNoMost = std::numeric_limits<double>::infinity();

// The values of these parameters. Throws BadInput, which names the parameter, for one that is not valid.
ParameterValues checked_values(const std::vector<DeclaredParameter>& declared, const ParameterValues& given);

}  // namespace thriftree
