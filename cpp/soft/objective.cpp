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

void check_targets(const SoftShape& shape, const SoftTargets& targets, std::size_t n_rows) {
  if ((shape.numbers ? targets.numbers.size() : targets.labels.size()) != n_rows || n_rows == 0)
    throw BadInput("a soft tree needs one target a row, and at least one row");
  if (!targets.weights.empty() && targets.weights.size() != n_rows)
    throw BadInput("weights must have one entry a row");
  for (const double weight : targets.weights)
    if (!(weight >= 0) || std::isinf(weight)) throw BadInput("weights must be finite and not negative");
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
    write(flow, b);
  });
}

}  // namespace

Objective::Objective(const SoftShape& shape, const SoftRows& rows, const SoftTargets& targets,
                     double sharpness, double l2, Control& control)
    : shape_(shape),
      rows_(rows),
      targets_(targets),
      sharpness_(sharpness),
      l2_(l2),
      control_(control),
      team_(control),
      n_parts_(std::min(rows.n_blocks(), kMostParts)) {
  check_rows(shape, rows);
  check_targets(shape, targets, rows.n_rows());
  if (!(sharpness > 0)) throw BadInput("sharpness must be greater than 0");
  if (!(l2 >= 0) || std::isinf(l2)) throw BadInput("l2 must be finite and 0 or more");
  for (std::size_t r = 0; r < rows.n_rows(); ++r)
    total_ += targets.weights.empty() ? 1.0 : targets.weights[r];
  if (!(total_ > 0) || std::isinf(total_)) throw BadInput("the weights must have a finite sum above 0");
  const std::size_t n_flows = static_cast<std::size_t>(team_.size());
  control.reserve(n_parts_ * size() * sizeof(double) + Flow::bytes(shape) * n_flows,
                  "a soft tree's gradient");
  flows_.assign(n_flows, Flow(shape));
  losses_.resize(n_parts_);
  gradients_.resize(n_parts_ * size());
}

void Objective::evaluate_part(const SoftModel& model, std::size_t part, int worker) {
  const auto poll = control_.poll_on(worker);
  Flow& flow = flows_[static_cast<std::size_t>(worker)];
  const std::span<double> gradient(gradients_.data() + part * size(), size());
  std::fill(gradient.begin(), gradient.end(), 0.0);
  double loss = 0;
  const std::size_t end = (part + 1) * rows_.n_blocks() / n_parts_;
  for (std::size_t b = part * rows_.n_blocks() / n_parts_; b < end; ++b) {
    poll();
    flow.forward(model, rows_.block(b));
    loss += flow.backward(model, targets_, b * kBlock, rows_.rows_in(b), rows_.block(b), gradient);
  }
  losses_[part] = loss;
}

double Objective::evaluate(std::span<const double> parameters, std::span<double> gradient) {
  const SoftModel model(shape_, parameters, sharpness_);
  team_.run(n_parts_, [&](std::size_t part, int worker) { evaluate_part(model, part, worker); });
  double loss = 0;
  std::fill(gradient.begin(), gradient.end(), 0.0);
  for (std::size_t part = 0; part < n_parts_; ++part) {
    loss += losses_[part];
    const double* of_part = gradients_.data() + part * size();
    for (std::size_t i = 0; i < size(); ++i) gradient[i] += of_part[i];
  }
  for (double& slope : gradient) slope /= total_;
  through_softmax(model, gradient);
  return loss / total_ + penalise(parameters, gradient);
}

// From the derivatives by the classes' probabilities to those by their logits.
void Objective::through_softmax(const SoftModel& model, std::span<double> gradient) const {
  if (shape_.numbers) return;
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
  double squares = 0;
  const auto add = [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      squares += parameters[i] * parameters[i];
      gradient[i] += l2_ * parameters[i];
    }
  };
  const std::vector<std::size_t> begins = shape_.gate_begins();
  for (std::size_t g = 0; g < begins.size(); ++g)
    add(begins[g], begins[g] + static_cast<std::size_t>(shape_.count[g]));
  add(shape_.leaf_begin(), size());
  return l2_ / 2 * squares;
}

std::vector<double> soft_answers(const SoftModel& model, const SoftRows& rows, Control& control) {
  check_model(model, rows);
  const std::size_t n = static_cast<std::size_t>(model.shape.n_outputs);
  control.reserve(rows.n_rows() * n * sizeof(double), "soft answers");
  std::vector<double> answers(rows.n_rows() * n);
  for_blocks(model, rows, control, [&](const Flow& flow, std::size_t b) {
    for (std::size_t l = 0; l < model.shape.n_leaves(); ++l) {
      const double *reach = flow.reach_of_leaf(l), *shares = model.shares.data() + l * n;
      double* out = answers.data() + b * kBlock * n;
      for (std::size_t r = 0; r < rows.rows_in(b); ++r, out += n)
        for (std::size_t k = 0; k < n; ++k) out[k] += reach[r] * shares[k];
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

}  // namespace thriftree::soft
