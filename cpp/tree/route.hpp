// Where one value goes at one node: the definition that every faster form must agree with.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "tree/inputs.hpp"
#include "tree/tree.hpp"

namespace thriftree {

// The branch of a number `x` at `node`, which has a test; `found` is the node's first key >= x, or the end.
inline std::int32_t branch_at(const Tree& tree, std::int32_t node, const double* found, double x) {
  const double* begin = tree.keys.data() + tree.key_begin[node];  // found - begin = #{keys < x}
  const double* end = tree.keys.data() + tree.key_begin[node + 1];
  if (tree.kind[node] == TestKind::category && (found == end || *found != x)) return tree.other[node];
  return tree.to[tree.to_begin[node] + (found - begin)];
}

// The branch that `x` takes at `node`, which has a test. `code`: the value comes from a code column, where
// kOther means "not in the code book" and is no number.
inline std::int32_t route(const Tree& tree, std::int32_t node, double x, bool code) {
  if (std::isnan(x)) return tree.missing[node];
  if (code && x == InputColumn::kOther) return tree.other[node];
  const double* begin = tree.keys.data() + tree.key_begin[node];
  const double* end = tree.keys.data() + tree.key_begin[node + 1];
  return branch_at(tree, node, std::lower_bound(begin, end, x), x);
}

}  // namespace thriftree
