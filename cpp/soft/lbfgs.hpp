// L-BFGS (Nocedal 1980) with a line search for the weak Wolfe conditions: every iterate is lower than the
// one before it.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "run/control.hpp"

namespace thriftree::soft {

// Writes the gradient and gives the value. Infinite or NaN: too far.
using Slope = std::function<double(std::span<const double> at, std::span<double> gradient)>;

struct DescentOptions {
  int max_iter = 200;
  double tol =
      1e-6;  // the descent ends where it gains less, relative to the value, or where no slope is larger
};

struct Descent {
  std::vector<double> at;
  std::vector<double> values;  // at the start and after every iteration; never rising
  // "converged", "max_iter", "time_limit" or "interrupt". Empty values: not even the start was valued.
  std::string ended_by;
  std::int64_t evaluations = 0;  // of the value and its gradient, that of the start included
};

Descent descend(const Slope& slope, std::vector<double> start, const DescentOptions& options,
                Control& control);

}  // namespace thriftree::soft
