// Prediction: from rows to leaves, labels, means and paths. Native, multi-threaded, the same answer on any
// number of threads.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "run/control.hpp"
#include "run/team.hpp"
#include "tree/inputs.hpp"
#include "tree/tree.hpp"

namespace thriftree {

// Rows that one task of the team takes: more threads than tasks are of no use.
constexpr std::size_t kRowsPerTask = 8192;

// Rows of a sparse 0/1 matrix [rows, nodes]: row i passes the nodes indices[indptr[i] .. indptr[i + 1]), root
// first.
struct Paths {
  std::vector<std::int64_t> indptr;
  std::vector<std::int64_t> indices;
};

// All take a valid tree and throw BadInput if the inputs do not have the tree's number of columns. `out` has
// one entry a row.
void apply(const Tree& tree, const Inputs& inputs, Team& team, std::span<std::int32_t> out);  // leaf's node
void predict_labels(const Tree& tree, const Inputs& inputs, Team& team,
                    std::span<std::int32_t> out);  // classification
void predict_means(const Tree& tree, const Inputs& inputs, Team& team, std::span<double> out);  // regression
// out[i] = at_node[leaf that row i reaches]: any answer of 8 bytes, without an array of leaves between.
void values_at_leaves(const Tree& tree, const Inputs& inputs, Team& team,
                      const std::vector<std::int64_t>& at_node, std::span<std::int64_t> out);
Paths decision_path(const Tree& tree, const Inputs& inputs, Team& team);

}  // namespace thriftree
