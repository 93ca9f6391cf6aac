#include "soft/flow.hpp"

#include <algorithm>
#include <cmath>

#include "run/cpu.hpp"
#include "soft/elementary.hpp"
#include "soft/gate_sums.hpp"

namespace thriftree::soft {

namespace {

constexpr std::size_t kLeaves = 8;  // whose sums by class go on together
constexpr double kLeast = 1e-300;   // a probability below it counts as it

THRIFTREE_BY_CPU(void, open_softly, (double* sums, double sharpness), (sums, sharpness)) {
  for (std::size_t r = 0; r < kBlock; ++r) sums[r] = 1 / (1 + exp_of(-(sharpness * sums[r])));
}

void open_hard(double* sums) {
  for (std::size_t r = 0; r < kBlock; ++r) sums[r] = sums[r] >= 0 ? 1 : 0;
}

THRIFTREE_BY_CPU(void, divide, (const double* reach, const double* left, double* to_left, double* to_right),
                 (reach, left, to_left, to_right)) {
  for (std::size_t r = 0; r < kBlock; ++r) {
    to_left[r] = reach[r] * left[r];
    to_right[r] = reach[r] * (1 - left[r]);
  }
}

THRIFTREE_BY_CPU(void, mix, (const double* left, const double* of_left, const double* of_right, double* out),
                 (left, of_left, of_right, out)) {
  for (std::size_t r = 0; r < kBlock; ++r) out[r] = left[r] * of_left[r] + (1 - left[r]) * of_right[r];
}

// slopes by the gates' sums, written over the probabilities of going left.
THRIFTREE_BY_CPU(void, slopes_of,
                 (const double* root, const double* reach, const double* of_left, const double* of_right,
                  double sharpness, double* left),
                 (root, reach, of_left, of_right, sharpness, left)) {
  for (std::size_t r = 0; r < kBlock; ++r)
    left[r] = root[r] * reach[r] * (left[r] * (1 - left[r])) * (of_left[r] - of_right[r]) * sharpness;
}

// The same where a row's price has slopes, too.
THRIFTREE_BY_CPU(void, priced_slopes_of,
                 (const double* root, const double* of_left, const double* of_right, const double* payer,
                  const double* cost_left, const double* cost_right, const double* reach, double sharpness,
                  double* left),
                 (root, of_left, of_right, payer, cost_left, cost_right, reach, sharpness, left)) {
  for (std::size_t r = 0; r < kBlock; ++r) {
    const double gained = root[r] * (of_left[r] - of_right[r]) + payer[r] * (cost_left[r] - cost_right[r]);
    left[r] = reach[r] * (left[r] * (1 - left[r])) * gained * sharpness;
  }
}

// Per row the weight becomes weight × loss; `slope` is weight × the loss's derivative by the answer.
THRIFTREE_BY_CPU(void, losses_of_numbers,
                 (std::size_t n, const double* answer, const double* number, double* weight, double* slope),
                 (n, answer, number, weight, slope)) {
  for (std::size_t r = 0; r < n; ++r) {
    const double away = answer[r] - number[r];
    slope[r] = weight[r] * away;
    weight[r] *= 0.5 * away * away;
  }
}

THRIFTREE_BY_CPU(void, losses_of_classes,
                 (std::size_t n, const double* answer, double* weight, double* slope),
                 (n, answer, weight, slope)) {
  for (std::size_t r = 0; r < n; ++r) {
    const double share = answer[r] > kLeast ? answer[r] : kLeast;
    slope[r] = -weight[r] / share;
    weight[r] *= -log_of(share);
  }
}

// Calls work(first gate, how many) so that each gate is met once; those of a tile have the same columns.
template <typename Work>
void by_tiles(const SoftShape& shape, const Work& work) {
  for (std::size_t g = 0; g < shape.n_gates();) {
    std::size_t same = 1;
    while (same < kTile && g + same < shape.n_gates() && shape.first[g + same] == shape.first[g] &&
           shape.count[g + same] == shape.count[g])
      ++same;
    work(g, same);
    g += same;
  }
}

// Calls work(first, how many) for the outputs of all leaves.
template <typename Work>
void by_outputs(const SoftShape& shape, const Work& work) {
  for (std::size_t o = 0; o < shape.all_outputs(); o += kTile)
    work(o, std::min(kTile, shape.all_outputs() - o));
}

// Of every row: logits, n of them one block after the other, to probabilities.
THRIFTREE_BY_CPU(void, share_rows, (double* logits, std::size_t n), (logits, n)) {
  for (std::size_t r = 0; r < kBlock; ++r) {
    double top = logits[r], sum = 0;
    for (std::size_t k = 1; k < n; ++k) top = logits[k * kBlock + r] > top ? logits[k * kBlock + r] : top;
    for (std::size_t k = 0; k < n; ++k) {
      logits[k * kBlock + r] = exp_of(logits[k * kBlock + r] - top);
      sum += logits[k * kBlock + r];
    }
    for (std::size_t k = 0; k < n; ++k) logits[k * kBlock + r] /= sum;
  }
}

void write_shares(const double* logits, std::size_t n, double* shares) {
  const double top = *std::max_element(logits, logits + n);
  double sum = 0;
  for (std::size_t k = 0; k < n; ++k) sum += shares[k] = exp_of(logits[k] - top);
  for (std::size_t k = 0; k < n; ++k) shares[k] /= sum;
}

}  // namespace

SoftModel::SoftModel(const SoftShape& shape_, std::span<const double> parameters_, double sharpness_)
    : shape(shape_), parameters(parameters_), sharpness(sharpness_), begins(shape_.gate_begins()) {
  const double* leaves = parameters.data() + shape.leaf_begin();
  const std::size_t n = static_cast<std::size_t>(shape.n_outputs);
  if (shape.linear) return;
  shares.assign(leaves, leaves + shape.n_leaves() * n);
  if (shape.numbers) return;
  for (std::size_t l = 0; l < shape.n_leaves(); ++l) write_shares(leaves + l * n, n, shares.data() + l * n);
}

Flow::Flow(const SoftShape& shape)
    : n_gates_(shape.n_gates()),
      left_(shape.n_gates() * kBlock),
      reach_((shape.n_gates() + shape.n_leaves()) * kBlock),
      answer_(reach_.size()),
      slope_(kBlock),
      shares_(shape.linear ? shape.all_outputs() * kBlock : 0) {}

std::size_t Flow::bytes(const SoftShape& shape) {
  const std::size_t of_leaves = 2 * shape.n_leaves() + (shape.linear ? shape.all_outputs() : 0);
  const std::size_t of_prices = shape.n_gates() + shape.n_leaves() + 1;
  return (3 * shape.n_gates() + of_leaves + 1 + of_prices) * kBlock * sizeof(double);
}

double* Flow::reach_of(std::int32_t child) {
  const std::size_t node =
      child >= 0 ? static_cast<std::size_t>(child) : n_gates_ + static_cast<std::size_t>(~child);
  return reach_.data() + node * kBlock;
}

double* Flow::answer_of(std::int32_t child) { return answer_.data() + (reach_of(child) - reach_.data()); }

double* Flow::cost_of(std::int32_t child) { return cost_.data() + (reach_of(child) - reach_.data()); }

void Flow::forward(const SoftModel& model, const double* block) {
  const SoftShape& shape = model.shape;
  by_tiles(shape, [&](std::size_t g, std::size_t n) {
    const double* weights[kTile];
    double* out[kTile];
    for (std::size_t t = 0; t < n; ++t) {
      weights[t] = model.parameters.data() + model.begins[g + t];
      out[t] = left_.data() + (g + t) * kBlock;
    }
    weigh_tile(n, weights, block + static_cast<std::size_t>(shape.first[g]) * kBlock,
               static_cast<std::size_t>(shape.count[g]), out);
  });
  std::fill_n(reach_.begin(), kBlock, 1.0);  // of the root, gate or leaf
  for (std::size_t g = 0; g < n_gates_; ++g) {
    double* left = left_.data() + g * kBlock;
    std::isinf(model.sharpness) ? open_hard(left) : open_softly(left, model.sharpness);
    divide(reach_of_gate(g), left, reach_of(shape.left[g]), reach_of(shape.right[g]));
  }
}

void Flow::open_leaves(const SoftModel& model, const double* block) {
  const SoftShape& shape = model.shape;
  const double* parameters = model.parameters.data() + shape.leaf_begin();
  const std::size_t width = shape.output_width();
  by_outputs(shape, [&](std::size_t o, std::size_t n) {
    const double* weights[kTile];
    double* out[kTile];
    for (std::size_t t = 0; t < n; ++t) {
      weights[t] = parameters + (o + t) * (width + 1);
      out[t] = shares_.data() + (o + t) * kBlock;
    }
    weigh_tile(n, weights, block, width, out);
  });
  const std::size_t n_outputs = static_cast<std::size_t>(shape.n_outputs);
  for (std::size_t o = 0; !shape.numbers && o < shape.all_outputs(); o += n_outputs)
    share_rows(shares_.data() + o * kBlock, n_outputs);
}

double Flow::losses(const SoftModel& model, const SoftTargets& targets, std::size_t begin, std::size_t n) {
  std::fill(slope_.begin(), slope_.end(), 0.0);
  double of_row[kBlock];
  if (targets.weights.empty())
    std::fill_n(of_row, n, 1.0);
  else
    std::copy_n(targets.weights.data() + begin, n, of_row);
  if (model.shape.numbers)
    losses_of_numbers(n, answer_.data(), targets.numbers.data() + begin, of_row, slope_.data());
  else
    losses_of_classes(n, answer_.data(), of_row, slope_.data());
  double sum = 0;
  for (std::size_t r = 0; r < n; ++r) sum += of_row[r];
  return sum;
}

double Flow::pay(const SoftModel& model, const SoftTargets& targets, std::size_t begin, std::size_t n,
                 std::span<double> reached) {
  const SoftShape& shape = model.shape;
  cost_.resize(reach_.size());
  payer_.assign(kBlock, 0.0);
  for (std::size_t r = 0; r < n; ++r)
    payer_[r] = targets.price_weight * (targets.payers.empty() ? 1.0 : targets.payers[begin + r]);
  for (std::size_t node = reach_.size() / kBlock; node-- > 0;) {
    double *cost = cost_.data() + node * kBlock, *reach = reach_.data() + node * kBlock;
    if (node < n_gates_)
      mix(left_.data() + node * kBlock, cost_of(shape.left[node]), cost_of(shape.right[node]), cost);
    else
      std::fill(cost, cost + kBlock, 0.0);
    double sum = 0;
    for (std::size_t r = 0; r < kBlock; ++r) {
      cost[r] += model.costs[node];
      sum += payer_[r] * reach[r];
    }
    reached[node] += sum;
  }
  double paid = 0;
  for (std::size_t r = 0; r < n; ++r) paid += payer_[r] * cost_[r];
  return paid;
}

// By the classes' probabilities, or by the numbers.
void Flow::slopes_of_constant(const SoftModel& model, const SoftTargets& targets, std::size_t begin,
                              std::size_t n, double* gradient) const {
  const SoftShape& shape = model.shape;
  const std::size_t n_outputs = static_cast<std::size_t>(shape.n_outputs);
  // The next row of a class waits for the last one's sum to be stored: leaves side by side do not wait.
  for (std::size_t l = 0; l < shape.n_leaves(); l += kLeaves) {
    const std::size_t together = std::min(kLeaves, shape.n_leaves() - l);
    const double* reach = reach_of_leaf(l);
    for (std::size_t r = 0; r < n; ++r) {
      const std::size_t k = shape.numbers ? 0 : static_cast<std::size_t>(targets.labels[begin + r]);
      double* of_leaf = gradient + l * n_outputs + k;
      const double slope = slope_[r];
      for (std::size_t t = 0; t < together; ++t) of_leaf[t * n_outputs] += slope * reach[t * kBlock + r];
    }
  }
}

// By the outputs' weights and offsets. The slopes by the outputs are written over what they are.
void Flow::slopes_of_linear(const SoftModel& model, const SoftTargets& targets, std::size_t begin,
                            std::size_t n, const double* block, double* gradient) {
  const SoftShape& shape = model.shape;
  const std::size_t n_outputs = static_cast<std::size_t>(shape.n_outputs), width = shape.output_width();
  for (std::size_t l = 0; l < shape.n_leaves(); ++l) {
    const double *reach = reach_of_leaf(l), *answer = answer_of(~static_cast<std::int32_t>(l));
    for (std::size_t k = 0; k < n_outputs; ++k) {
      double* shares = shares_.data() + (l * n_outputs + k) * kBlock;
      if (shape.numbers) {
        for (std::size_t r = 0; r < kBlock; ++r) shares[r] = slope_[r] * reach[r];
        continue;
      }
      for (std::size_t r = 0; r < n; ++r) {
        const double own = static_cast<std::size_t>(targets.labels[begin + r]) == k ? 1.0 : 0.0;
        shares[r] = slope_[r] * reach[r] * answer[r] * (own - shares[r]);
      }
      std::fill(shares + n, shares + kBlock, 0.0);
    }
  }
  by_outputs(shape, [&](std::size_t o, std::size_t tile) {
    const double* slopes[kTile];
    double* out[kTile];
    for (std::size_t t = 0; t < tile; ++t) {
      slopes[t] = shares_.data() + (o + t) * kBlock;
      out[t] = gradient + (o + t) * (width + 1);
    }
    sum_tile(tile, slopes, block, width, out, {});
  });
}

double Flow::backward(const SoftModel& model, const SoftTargets& targets, std::size_t begin, std::size_t n,
                      const double* block, const double* next, std::span<double> gradient) {
  const SoftShape& shape = model.shape;
  const std::size_t n_outputs = static_cast<std::size_t>(shape.n_outputs);
  const auto label = [&](std::size_t r) {
    return shape.numbers ? 0 : static_cast<std::size_t>(targets.labels[begin + r]);
  };
  for (std::size_t l = 0; l < shape.n_leaves(); ++l) {
    double* answer = answer_.data() + (n_gates_ + l) * kBlock;
    for (std::size_t r = 0; r < n; ++r) {
      const std::size_t output = l * n_outputs + label(r);
      answer[r] = shape.linear ? share_of(output)[r] : model.shares[output];
    }
    std::fill(answer + n, answer + kBlock, 0.0);
  }
  for (std::size_t g = n_gates_; g-- > 0;)
    mix(left_.data() + g * kBlock, answer_of(shape.left[g]), answer_of(shape.right[g]),
        answer_.data() + g * kBlock);
  const double loss = losses(model, targets, begin, n);
  double* leaves = gradient.data() + shape.leaf_begin();
  if (shape.linear)
    slopes_of_linear(model, targets, begin, n, block, leaves);
  else
    slopes_of_constant(model, targets, begin, n, leaves);
  if (std::isinf(model.sharpness)) return loss;  // a step has no slope
  for (std::size_t g = 0; g < n_gates_; ++g) {
    const double *of_left = answer_of(shape.left[g]), *of_right = answer_of(shape.right[g]);
    double* left = left_.data() + g * kBlock;
    if (model.costs.empty())
      slopes_of(slope_.data(), reach_of_gate(g), of_left, of_right, model.sharpness, left);
    else
      priced_slopes_of(slope_.data(), of_left, of_right, payer_.data(), cost_of(shape.left[g]),
                       cost_of(shape.right[g]), reach_of_gate(g), model.sharpness, left);
  }
  by_tiles(shape, [&](std::size_t g, std::size_t tile) {
    const double* slopes[kTile];
    double* out[kTile];
    for (std::size_t t = 0; t < tile; ++t) {
      slopes[t] = left_.data() + (g + t) * kBlock;
      out[t] = gradient.data() + model.begins[g + t];
    }
    const std::size_t first = static_cast<std::size_t>(shape.first[g]) * kBlock;
    const auto share = [&](std::size_t gate) { return gate * kBlock / n_gates_ / kLine * kLine; };
    sum_tile(tile, slopes, block + first, static_cast<std::size_t>(shape.count[g]), out,
             {next ? next + first : nullptr, share(g), share(g + tile)});
  });
  return loss;
}

}  // namespace thriftree::soft
