// Whether the core refuses what a test does.
#pragma once

#include "run/control.hpp"

namespace thriftree::testing {

template <class Act>
bool refused(const Act& act) {
  try {
    act();
  } catch (const BadInput&) {
    return true;
  }
  return false;
}

}  // namespace thriftree::testing
