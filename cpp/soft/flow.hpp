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
  // Per leaf and output: the class's probability, or the number. Empty where leaves are linear: then they
  // are the row's.
  std::vector<double> shares;
  std::vector<double> costs;  // per gate, then per leaf: what arriving there costs; empty: nothing does
};

// What the rows are to become; one entry a row of the table.
struct SoftTargets {
  std::span<const std::int32_t> labels;  // classes; empty for numbers
  std::span<const double> numbers;
  std::span<const double> weights;  // empty: 1 each
  std::span<const double> payers;   // weights of the rows in the price; empty: 1 each
  double price_weight = 0;          // of a row's price beside its loss
};

// Works on one block at a time; one for each thread.
class Flow {
 public:
  explicit Flow(const SoftShape& shape);
  static std::size_t bytes(const SoftShape& shape);

  // Probability of going left at every gate, and of reaching every gate and leaf.
  void forward(const SoftModel& model, const double* block);
  // Of linear leaves: what each answers to the rows. forward needs not come first.
  void open_leaves(const SoftModel& model, const double* block);
  // The sum of weight × loss over the block's rows. Adds its gradient by the gates' weights and offsets, and
  // by `shares` of constant leaves or by the parameters of linear ones, to `gradient`, which lies as the
  // parameters do. forward comes first and, of linear leaves, open_leaves. `next` is the block that will be
  // asked for after this one, or null.
  double backward(const SoftModel& model, const SoftTargets& targets, std::size_t begin, std::size_t n,
                  const double* block, const double* next, std::span<double> gradient);
  // The sum of payer × price_weight × price over the block's rows; adds to `reached`, per gate and then per
  // leaf, its derivative by the model's costs. It comes between forward and backward, which then has the
  // slopes of both.
  double pay(const SoftModel& model, const SoftTargets& targets, std::size_t begin, std::size_t n,
             std::span<double> reached);

  const double* reach_of_gate(std::size_t g) const { return reach_.data() + g * kBlock; }
  const double* reach_of_leaf(std::size_t l) const { return reach_.data() + (n_gates_ + l) * kBlock; }
  // Of linear leaves: per row the class's probability, or the number. `output` counts over all leaves.
  const double* share_of(std::size_t output) const { return shares_.data() + output * kBlock; }

 private:
  double* reach_of(std::int32_t child);
  double* answer_of(std::int32_t child);
  double* cost_of(std::int32_t child);
  double losses(const SoftModel& model, const SoftTargets& targets, std::size_t begin, std::size_t n);
  void slopes_of_constant(const SoftModel& model, const SoftTargets& targets, std::size_t begin,
                          std::size_t n, double* gradient) const;
  void slopes_of_linear(const SoftModel& model, const SoftTargets& targets, std::size_t begin, std::size_t n,
                        const double* block, double* gradient);

  std::size_t n_gates_;
  std::vector<double> left_;    // gates × rows: probability of going left
  std::vector<double> reach_;   // gates, then leaves × rows
  std::vector<double> answer_;  // gates, then leaves × rows: expected answer below, of the row's own class
  std::vector<double> slope_;   // rows: weight × derivative of the loss by the root's answer
  std::vector<double> shares_;  // of linear leaves: outputs × rows
  std::vector<double> cost_;    // gates, then leaves × rows: expected cost from here on; empty: not priced
  std::vector<double> payer_;   // rows: payer × price_weight
};

}  // namespace thriftree::soft
