#include "soft/objective.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

namespace thriftree::soft {

namespace {

constexpr std::size_t kMostParts = 32;

void check_rows(const SoftShape& shape, const SoftRows& rows) {
  if (rows.n_columns() != static_cast<std::size_t>(shape.n_columns))
    throw BadInput("the rows have " + std::to_string(rows.n_columns()) + " columns, the soft tree " +
                   std::to_string(shape.n_columns));
}

void check_penalty(double penalty, const std::string& name) {
  if (!(penalty >= 0) || std::isinf(penalty)) throw BadInput(name + " must be finite and 0 or more");
}

double total_of(std::span<const double> weights, std::size_t n_rows) {
  double total = weights.empty() ? static_cast<double>(n_rows) : 0.0;
  for (const double weight : weights) total += weight;
  if (!(total > 0) || std::isinf(total)) throw BadInput("the weights must have a finite sum above 0");
  return total;
}

void check_targets(const SoftShape& shape, const SoftTargets& targets, std::size_t n_rows) {
  if ((shape.numbers ? targets.numbers.size() : targets.labels.size()) != n_rows || n_rows == 0)
    throw BadInput("a soft tree needs one target a row, and at least one row");
  if (!targets.weights.empty() && targets.weights.size() != n_rows)
    throw BadInput("weights must have one entry a row");
  if (!targets.payers.empty() && targets.payers.size() != n_rows)
    throw BadInput("payers must have one entry a row");
  for (const auto& weights : {targets.weights, targets.payers})
    for (const double weight : weights)
      if (!(weight >= 0) || std::isinf(weight)) throw BadInput("weights must be finite and not negative");
  check_penalty(targets.price_weight, "price_weight");
  for (const double number : targets.numbers)
    if (!std::isfinite(number)) throw BadInput("numeric targets must be finite");
  for (const std::int32_t label : targets.labels)
    if (label < 0 || label >= shape.n_outputs) throw BadInput("a label is not among the classes");
}

void check_model(const SoftModel& model, const SoftRows& rows) {
  check_rows(model.shape, rows);
  if (model.parameters.size() != model.shape.n_parameters())
    throw BadInput("a soft tree of this shape has " + std::to_string(model.shape.n_parameters()) +
                   " parameters");
}

// Calls write(flow, block) for every block after its rows have flowed down.
void for_blocks(const SoftModel& model, const SoftRows& rows, Control& control,
                const std::function<void(const Flow&, std::size_t)>& write) {
  Team team(control);
  control.reserve(Flow::bytes(model.shape) * static_cast<std::size_t>(team.size()), "a soft prediction");
  std::vector<Flow> flows(static_cast<std::size_t>(team.size()), Flow(model.shape));
  team.run(rows.n_blocks(), [&](std::size_t b, int worker) {
    Flow& flow = flows[static_cast<std::size_t>(worker)];
    flow.forward(model, rows.block(b));
    if (model.shape.linear) flow.open_leaves(model, rows.block(b));
    write(flow, b);
  });
}

}  // namespace

Objective::Objective(const SoftShape& shape, const SoftRows& rows, const SoftTargets& targets,
                     double sharpness, Penalty penalty, const PriceTerm* prices, Control& control)
    : shape_(shape),
      rows_(rows),
      targets_(targets),
      sharpness_(sharpness),
      penalty_(penalty),
      prices_(targets.price_weight > 0 ? prices : nullptr),
      control_(control),
      team_(control),
      n_parts_(std::min(rows.n_blocks(), kMostParts)) {
  check_rows(shape, rows);
  check_targets(shape, targets, rows.n_rows());
  if (!(sharpness > 0)) throw BadInput("sharpness must be greater than 0");
  check_penalty(penalty.l2, "l2");
  check_penalty(penalty.leaf_l2, "leaf_l2");
  check_penalty(penalty.output_l2, "output_l2");
  if (!penalty.shares.empty() && penalty.shares.size() != shape.n_parameters())
    throw BadInput("shares must have one entry a parameter");
  for (const double share : penalty.shares) check_penalty(share, "shares");
  total_ = total_of(targets.weights, rows.n_rows());
  if (prices_) targets_.price_weight *= total_ / total_of(targets.payers, rows.n_rows());
  const std::size_t n_flows = static_cast<std::size_t>(team_.size());
  control.reserve(n_parts_ * n_slopes() * sizeof(double) + Flow::bytes(shape) * n_flows,
                  "a soft tree's gradient");
  flows_.assign(n_flows, Flow(shape));
  losses_.resize(n_parts_);
  gradients_.resize(n_parts_ * n_slopes());
}

void Objective::evaluate_part(const SoftModel& model, std::size_t part, int worker) {
  const auto poll = control_.poll_on(worker);
  Flow& flow = flows_[static_cast<std::size_t>(worker)];
  const std::span<double> slopes(gradients_.data() + part * n_slopes(), n_slopes());
  std::fill(slopes.begin(), slopes.end(), 0.0);
  const auto gradient = slopes.first(size()), reached = slopes.subspan(size());
  double loss = 0;
  const std::size_t end = (part + 1) * rows_.n_blocks() / n_parts_;
  for (std::size_t b = part * rows_.n_blocks() / n_parts_; b < end; ++b) {
    poll();
    flow.forward(model, rows_.block(b));
    if (shape_.linear) flow.open_leaves(model, rows_.block(b));
    if (prices_) loss += flow.pay(model, targets_, b * kBlock, rows_.rows_in(b), reached);
    const double* next = b + 1 < end ? rows_.block(b + 1) : nullptr;
    loss += flow.backward(model, targets_, b * kBlock, rows_.rows_in(b), rows_.block(b), next, gradient);
  }
  losses_[part] = loss;
}

double Objective::evaluate(std::span<const double> parameters, std::span<double> gradient) {
  SoftModel model(shape_, parameters, sharpness_);
  if (prices_) model.costs = prices_->costs(parameters);
  team_.run(n_parts_, [&](std::size_t part, int worker) { evaluate_part(model, part, worker); });
  double loss = 0;
  std::vector<double> slopes(n_slopes());
  for (std::size_t part = 0; part < n_parts_; ++part) {
    loss += losses_[part];
    const double* of_part = gradients_.data() + part * slopes.size();
    for (std::size_t i = 0; i < slopes.size(); ++i) slopes[i] += of_part[i];
  }
  for (double& slope : slopes) slope /= total_;
  std::copy_n(slopes.begin(), size(), gradient.begin());
  through_softmax(model, gradient);
  if (prices_) prices_->add_gradient(parameters, std::span(slopes).subspan(size()), gradient);
  const double value = loss / total_ + penalise(parameters, gradient);
  // A step has no slope: gates stay as they are, whatever their weights cost.
  if (std::isinf(sharpness_)) std::fill_n(gradient.begin(), shape_.leaf_begin(), 0.0);
  return value;
}

// From the derivatives by the classes' probabilities to those by their logits.
void Objective::through_softmax(const SoftModel& model, std::span<double> gradient) const {
  if (shape_.numbers || shape_.linear) return;
  const std::size_t n = static_cast<std::size_t>(shape_.n_outputs);
  for (std::size_t l = 0; l < shape_.n_leaves(); ++l) {
    double* slopes = gradient.data() + shape_.leaf_begin() + l * n;
    const double* shares = model.shares.data() + l * n;
    double mean = 0;
    for (std::size_t k = 0; k < n; ++k) mean += shares[k] * slopes[k];
    for (std::size_t k = 0; k < n; ++k) slopes[k] = shares[k] * (slopes[k] - mean);
  }
}

double Objective::penalise(std::span<const double> parameters, std::span<double> gradient) const {
  double value = 0;
  const auto add = [&](std::size_t begin, std::size_t end, double l2) {
    for (std::size_t i = begin; i < end; ++i) {
      const double of_this = penalty_.shares.empty() ? l2 : l2 * penalty_.shares[i];
      value += of_this / 2 * (parameters[i] * parameters[i]);
      gradient[i] += of_this * parameters[i];
    }
  };
  const std::vector<std::size_t> begins = shape_.gate_begins();
  for (std::size_t g = 0; g < begins.size(); ++g)
    add(begins[g], begins[g] + static_cast<std::size_t>(shape_.count[g]), penalty_.l2);
  const std::size_t width = shape_.output_width(), end = size();
  for (std::size_t at = shape_.leaf_begin(); at < end; at += width + 1) {
    add(at, at + width, penalty_.leaf_l2);
    add(at + width, at + width + 1, penalty_.output_l2);
  }
  return value;
}

std::vector<double> soft_answers(const SoftModel& model, const SoftRows& rows, Control& control) {
  check_model(model, rows);
  const std::size_t n = static_cast<std::size_t>(model.shape.n_outputs);
  control.reserve(rows.n_rows() * n * sizeof(double), "soft answers");
  std::vector<double> answers(rows.n_rows() * n);
  for_blocks(model, rows, control, [&](const Flow& flow, std::size_t b) {
    for (std::size_t o = 0; o < model.shape.all_outputs(); ++o) {
      const double* reach = flow.reach_of_leaf(o / n);
      double* out = answers.data() + b * kBlock * n + o % n;
      for (std::size_t r = 0; r < rows.rows_in(b); ++r, out += n)
        *out += reach[r] * (model.shape.linear ? flow.share_of(o)[r] : model.shares[o]);
    }
  });
  return answers;
}

std::vector<double> soft_reaches(const SoftModel& model, const SoftRows& rows, Control& control) {
  check_model(model, rows);
  const std::size_t n_gates = model.shape.n_gates(), n = n_gates + model.shape.n_leaves();
  control.reserve(rows.n_rows() * n * sizeof(double), "path probabilities");
  std::vector<double> reaches(rows.n_rows() * n);
  for_blocks(model, rows, control, [&](const Flow& flow, std::size_t b) {
    for (std::size_t node = 0; node < n; ++node) {
      const double* reach = node < n_gates ? flow.reach_of_gate(node) : flow.reach_of_leaf(node - n_gates);
      for (std::size_t r = 0; r < rows.rows_in(b); ++r) reaches[(b * kBlock + r) * n + node] = reach[r];
    }
  });
  return reaches;
}

std::vector<double> soft_mean_reaches(const SoftModel& model, const SoftRows& rows,
                                      std::span<const double> weights, Control& control) {
  check_model(model, rows);
  if (!weights.empty() && weights.size() != rows.n_rows())
    throw BadInput("weights must have one entry a row");
  const double total = total_of(weights, rows.n_rows());
  const std::size_t n_gates = model.shape.n_gates(), n = n_gates + model.shape.n_leaves();
  control.reserve(rows.n_blocks() * n * sizeof(double), "path probabilities");
  std::vector<double> by_block(rows.n_blocks() * n);
  for_blocks(model, rows, control, [&](const Flow& flow, std::size_t b) {
    for (std::size_t node = 0; node < n; ++node) {
      const double* reach = node < n_gates ? flow.reach_of_gate(node) : flow.reach_of_leaf(node - n_gates);
      double sum = 0;
      for (std::size_t r = 0; r < rows.rows_in(b); ++r)
        sum += (weights.empty() ? 1.0 : weights[b * kBlock + r]) * reach[r];
      by_block[b * n + node] = sum;
    }
  });
  std::vector<double> mean(n);
  for (std::size_t i = 0; i < by_block.size(); ++i) mean[i % n] += by_block[i];
  for (double& one : mean) one /= total;
  return mean;
}

}  // namespace thriftree::soft
