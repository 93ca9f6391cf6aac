#include "tree/shape.hpp"

#include <algorithm>
#include <cmath>

namespace thriftree {
namespace {

bool equal_numbers(const std::vector<double>& a, const std::vector<double>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](double x, double y) { return x == y || (std::isnan(x) && std::isnan(y)); });
}

}  // namespace

std::vector<std::int32_t> depths(const Tree& tree) {
  std::vector<std::int32_t> depth(tree.n_nodes(), 0);
  for (std::size_t node = 1; node < depth.size(); ++node) depth[node] = depth[tree.parent[node]] + 1;
  return depth;
}

std::int32_t n_leaves(const Tree& tree) {
  return static_cast<std::int32_t>(std::count(tree.kind.begin(), tree.kind.end(), TestKind::leaf));
}

bool equal(const Tree& a, const Tree& b) {
  return a.n_columns == b.n_columns && a.n_classes == b.n_classes && a.parent == b.parent &&
         a.kind == b.kind && a.column == b.column && a.missing == b.missing && a.other == b.other &&
         a.child_begin == b.child_begin && a.children == b.children && a.key_begin == b.key_begin &&
         equal_numbers(a.keys, b.keys) && a.to_begin == b.to_begin && a.to == b.to && a.rows == b.rows &&
         a.objects == b.objects && equal_numbers(a.weight, b.weight) && equal_numbers(a.value, b.value) &&
         equal_numbers(a.impurity, b.impurity) && equal_numbers(a.score, b.score) && a.label == b.label;
}

}  // namespace thriftree
