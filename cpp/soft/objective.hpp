// What a fit makes small: the mean loss of the rows and a penalty, with the exact gradient.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "run/team.hpp"
#include "soft/flow.hpp"
#include "soft/price_term.hpp"

namespace thriftree::soft {

struct Penalty {
  double l2 = 0;                        // of the gates' weights; their offsets are free
  double leaf_l2 = 0;                   // of the weights of linear leaves
  double output_l2 = 0;                 // of what constant leaves hold, and of the offsets of linear ones
  std::span<const double> shares = {};  // per parameter, of its penalty; empty: 1 each
};

// Σ weight × loss / Σ weight + half the penalised squares + price_weight × Σ payer × price / Σ payer.
// The loss of a row is -log of the probability of its class, or half the squared error; its price is Σ reach
// × cost of the gates and leaves.
class Objective {
 public:
  // `prices` may be null: nothing has a price. Otherwise it lives as long as this.
  Objective(const SoftShape& shape, const SoftRows& rows, const SoftTargets& targets, double sharpness,
            Penalty penalty, const PriceTerm* prices, Control& control);

  std::size_t size() const { return shape_.n_parameters(); }
  // The value; `gradient` is written over. The same for every number of threads: rows are summed in parts
  // whose borders depend on their number alone. May throw Interrupted or OutOfTime.
  double evaluate(std::span<const double> parameters, std::span<double> gradient);

 private:
  std::size_t n_slopes() const { return size() + shape_.n_gates() + shape_.n_leaves(); }
  void evaluate_part(const SoftModel& model, std::size_t part, int worker);
  void through_softmax(const SoftModel& model, std::span<double> gradient) const;
  double penalise(std::span<const double> parameters, std::span<double> gradient) const;

  const SoftShape& shape_;
  const SoftRows& rows_;
  SoftTargets targets_;
  double sharpness_;
  Penalty penalty_;
  const PriceTerm* prices_;
  Control& control_;
  Team team_;
  double total_ = 0;               // of the weights, > 0
  std::vector<Flow> flows_;        // per thread
  std::size_t n_parts_;            // of consecutive blocks
  std::vector<double> losses_;     // per part
  std::vector<double> gradients_;  // per part: by the parameters, then by the costs of gates and leaves
};

// Per row and output: probabilities of classes, or the number.
std::vector<double> soft_answers(const SoftModel& model, const SoftRows& rows, Control& control);
// Per row: the probability of reaching each gate, then each leaf.
std::vector<double> soft_reaches(const SoftModel& model, const SoftRows& rows, Control& control);
// The weighted mean of these over the rows; no weights: 1 each. The same for every number of threads.
std::vector<double> soft_mean_reaches(const SoftModel& model, const SoftRows& rows,
                                      std::span<const double> weights, Control& control);

}  // namespace thriftree::soft
