// The larger of two numbers as one instruction, also in vectors: std::max hands references on, which keeps
// some compilers from it.
#pragma once

#include "run/cpu.hpp"

namespace thriftree {

THRIFTREE_INLINE double larger(double a, double b) { return a > b ? a : b; }

}  // namespace thriftree
