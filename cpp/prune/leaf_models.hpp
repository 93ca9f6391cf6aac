// Linear models of a tree's nodes: what each would lose as a leaf with one, and the models themselves.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "prune/ridge.hpp"
#include "run/control.hpp"
#include "tree/tree.hpp"

namespace thriftree {

// Which columns the model of each node may read: n_nodes x n_columns, not 0 where it may. Empty: all.
using AllowedColumns = std::span<const std::uint8_t>;

// penalties x nodes: the sum of weight * (target - answer)^2 over the rows that pass the node.
struct ModelErrors {
  std::vector<double> training;     // of the rows that make the models
  std::vector<double> held;         // of other rows, which may be none
  std::vector<std::uint8_t> reads;  // nodes x columns: 1 where the model of a node reads the column
};

// The models are those of `training`, whose leaves are `leaf`. Throws BadInput for arrays that do not fit
// together, OutOfTime where the control's limit passes.
ModelErrors model_errors(const Tree& tree, const ModelRows& training, std::span<const std::int32_t> leaf,
                         const ModelRows& held, std::span<const std::int32_t> held_leaf,
                         AllowedColumns allowed, std::span<const double> penalties, Control& control);

// The models of the tree's leaves, by node; a leaf has none where no column varies, or no coefficient differs
// from 0.
struct LeafModels {
  std::vector<std::int32_t> node;    // ascending
  std::vector<std::int32_t> begin;   // one longer: model i owns [begin[i], begin[i + 1])
  std::vector<std::int32_t> column;  // ascending in a model
  std::vector<double> coefficient, mean;
  std::vector<double> lowest, highest;  // by model: the range of the target in the leaf
};

LeafModels leaf_models(const Tree& tree, const ModelRows& training, std::span<const std::int32_t> leaf,
                       AllowedColumns allowed, double penalty, Control& control);

}  // namespace thriftree
