// What a tree asks and where answers lead, read from Python's arrays.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>

#include "bindings/buffers.hpp"
#include "tree/tree.hpp"

namespace thriftree::bindings {

struct StructureArrays {
  nanobind::object parent, kind, column, missing, other, child_begin, children, key_begin, keys, to_begin, to,
      weight;
};

// A tree of which only these arrays are filled; nothing is checked but types.
inline Tree read_structure(const StructureArrays& arrays) {
  using I = std::int32_t;
  Tree tree;
  tree.parent = read_vector<I>(arrays.parent.ptr(), "parent");
  for (const std::uint8_t kind : read_vector<std::uint8_t>(arrays.kind.ptr(), "kind"))
    tree.kind.push_back(static_cast<TestKind>(kind));
  tree.column = read_vector<I>(arrays.column.ptr(), "column");
  tree.missing = read_vector<I>(arrays.missing.ptr(), "missing");
  tree.other = read_vector<I>(arrays.other.ptr(), "other");
  tree.child_begin = read_vector<I>(arrays.child_begin.ptr(), "child_begin");
  tree.children = read_vector<I>(arrays.children.ptr(), "children");
  tree.key_begin = read_vector<I>(arrays.key_begin.ptr(), "key_begin");
  tree.keys = read_vector<double>(arrays.keys.ptr(), "keys");
  tree.to_begin = read_vector<I>(arrays.to_begin.ptr(), "to_begin");
  tree.to = read_vector<I>(arrays.to.ptr(), "to");
  tree.weight = read_vector<double>(arrays.weight.ptr(), "weight");
  return tree;
}

}  // namespace thriftree::bindings
