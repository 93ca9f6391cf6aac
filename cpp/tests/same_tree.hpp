// Whether two trees are the same, node by node.
#pragma once

#include "tree/tree.hpp"

namespace thriftree::testing {

inline bool same(const Tree& a, const Tree& b) {
  return a.parent == b.parent && a.column == b.column && a.keys == b.keys && a.to == b.to &&
         a.missing == b.missing && a.rows == b.rows && a.value == b.value && a.impurity == b.impurity;
}

}  // namespace thriftree::testing
