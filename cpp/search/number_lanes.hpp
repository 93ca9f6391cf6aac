// Four numbers at once, in whatever registers the CPU has. For sources that are compiled on their own.
#pragma once

#include <cstdint>

#include "run/cpu.hpp"

// All functions are compiled into their callers: no vector is ever handed over in a register or in memory.
#pragma GCC diagnostic ignored "-Wpsabi"

namespace thriftree::number_lanes {

typedef double Four __attribute__((vector_size(32), aligned(8), may_alias));
typedef std::int64_t FourWhole __attribute__((vector_size(32), aligned(8), may_alias));
typedef std::uint64_t FourWords __attribute__((vector_size(32), aligned(8), may_alias));

THRIFTREE_INLINE Four load(const double* at) { return *reinterpret_cast<const Four*>(at); }
THRIFTREE_INLINE void store(double* at, Four value) { *reinterpret_cast<Four*>(at) = value; }
THRIFTREE_INLINE FourWhole load(const std::int64_t* at) { return *reinterpret_cast<const FourWhole*>(at); }
THRIFTREE_INLINE void store(std::int64_t* at, FourWhole value) { *reinterpret_cast<FourWhole*>(at) = value; }
THRIFTREE_INLINE Four all_of(double value) { return Four{value, value, value, value}; }
THRIFTREE_INLINE Four larger(Four a, Four b) { return a > b ? a : b; }
THRIFTREE_INLINE void raise(double* at, Four value) { store(at, larger(load(at), value)); }

}  // namespace thriftree::number_lanes
