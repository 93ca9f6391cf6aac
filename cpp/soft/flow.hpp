// How a block of rows flows through a soft tree, and how its loss flows back.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "soft/soft_rows.hpp"
#include "soft/soft_shape.hpp"

namespace thriftree::soft {

// The parameters of a tree as the flow reads them.
struct SoftModel {
  SoftModel(const SoftShape& shape, std::span<const double> parameters, double sharpness);

  const SoftShape& shape;
  std::span<const double> parameters;
  double sharpness;                 // > 0; infinite: left where the sum is >= 0, else right
  std::vector<std::size_t> begins;  // per gate: where its weights begin
  std::vector<double> shares;       // per leaf and output: the class's probability, or the number
};

// What the rows are to become; one entry a row of the table.
struct SoftTargets {
  std::span<const std::int32_t> labels;  // classes; empty for numbers
  std::span<const double> numbers;
  std::span<const double> weights;  // empty: 1 each
};

// Works on one block at a time; one for each thread.
class Flow {
 public:
  explicit Flow(const SoftShape& shape);
  static std::size_t bytes(const SoftShape& shape);

  // Probability of going left at every gate, and of reaching every gate and leaf.
  void forward(const SoftModel& model, const double* block);
  // The sum of weight × loss over the block's rows. Adds its gradient by the gates' weights and offsets, and
  // by `shares` of the leaves, to `gradient`, which lies as the parameters do. forward comes first.
  double backward(const SoftModel& model, const SoftTargets& targets, std::size_t begin, std::size_t n,
                  const double* block, std::span<double> gradient);

  const double* reach_of_gate(std::size_t g) const { return reach_.data() + g * kBlock; }
  const double* reach_of_leaf(std::size_t l) const { return reach_.data() + (n_gates_ + l) * kBlock; }

 private:
  double* reach_of(std::int32_t child);
  double* answer_of(std::int32_t child);
  double losses(const SoftModel& model, const SoftTargets& targets, std::size_t begin, std::size_t n);

  std::size_t n_gates_;
  std::vector<double> left_;    // gates × rows: probability of going left
  std::vector<double> reach_;   // gates, then leaves × rows
  std::vector<double> answer_;  // gates, then leaves × rows: expected answer below, of the row's own class
  std::vector<double> slope_;   // rows: weight × derivative of the loss by the root's answer
};

}  // namespace thriftree::soft
