// Squared error about the mean (paper 003, Eq. 12), for numbers.
#include <algorithm>
#include <array>
#include <cmath>

#include "criterion/impurity_registry.hpp"
#include "criterion/prefix.hpp"
#include "criterion/squared_error_bound.hpp"
#include "run/cpu.hpp"

namespace thriftree {

namespace {

// With D = S_left - W_left * mean, W * decrease = D^2 * W / (W_left * W_right).
THRIFTREE_BY_CPU(void, spread,
                 (const double* sum, const double* weight, int m, double mean, double total, double* q),
                 (sum, weight, m, mean, total, q)) {
  for (int i = 0; i < m; ++i) {
    const double d = sum[i] - weight[i] * mean;
    q[i] = d * d * total / (weight[i] * (total - weight[i]));
  }
}

// a / b as two doubles, so that a difference of quotients keeps its digits. (`long double` would do, but it
// is not the same type on every machine.)
struct Quotient {
  double nearest, rest;
};

Quotient quotient(double a, double b) {
  const double nearest = a / b;
  return {nearest, std::fma(-nearest, b, a) / b};
}

class SquaredError final : public Impurity {
 public:
  std::string summary() const override { return "mean squared distance of the target from its mean"; }
  bool for_numbers() const override { return true; }

  double of(const NodeSums& node) const override {
    const Quotient mean = quotient(node.sums[1], node.total);
    const Quotient square = quotient(node.sums.back(), node.total);
    const double mean_squared = mean.nearest * mean.nearest;
    const double rest = std::fma(mean.nearest, mean.nearest, -mean_squared) + 2 * mean.nearest * mean.rest;
    return std::max((square.nearest - mean_squared) + (square.rest - rest), 0.0);
  }

  double decrease(const NodeSums& node, const BranchSums& branches) const override {
    const double mean = node.sums[1] / node.total;
    double result = 0;
    for (std::size_t v = 0; v < branches.totals.size(); ++v) {
      const double d = branches.branch(v)[1] / branches.totals[v] - mean;
      result += branches.totals[v] / node.total * d * d;
    }
    return result;
  }

  void filter_prefixes(const NodeSums& node, const PrefixBatch& batch, double* q) const override {
    std::array<double, kBatch> sum;
    for (int i = 0; i < batch.m; ++i) sum[static_cast<std::size_t>(i)] = batch.left[2 * i + 1];
    spread(sum.data(), batch.left_total, batch.m, node.sums[1] / node.total, node.total, q);
  }

  void filter_stream(const NodeSums& node, StreamBatch& batch, double* q) const override {
    std::array<double, kBatch> sum, weight;
    batch.left[1] = prefix_sums(batch.moment, batch.m, batch.left[1], sum.data());
    if (batch.weight) {
      batch.left_total = prefix_sums(batch.weight, batch.m, batch.left_total, weight.data());
    } else {
      for (int i = 0; i < batch.m; ++i) weight[static_cast<std::size_t>(i)] = batch.left_total + (i + 1);
      batch.left_total += batch.m;
    }
    batch.left[0] = batch.left_total;
    spread(sum.data(), weight.data(), batch.m, node.sums[1] / node.total, node.total, q);
  }

  // The target is centred by its mid-range, so sums are at most weight * largest |y|; the sum of squares
  // bounds their square.
  double filter_error(const NodeSums& node) const override { return 1e-13 * node.sums.back(); }

  const ThresholdBound* bound() const override { return &bound_; }

 private:
  SquaredErrorBound bound_;
};

}  // namespace

std::unique_ptr<Impurity> make_squared_error() { return std::make_unique<SquaredError>(); }

}  // namespace thriftree
