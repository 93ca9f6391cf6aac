// Misclassification: the share of the node outside its heaviest class (paper 003, Eq. 5).
#include <algorithm>

#include "criterion/impurity_registry.hpp"
#include "criterion/misclassification_bound.hpp"

namespace thriftree {

namespace {

class Misclassification final : public Impurity {
 public:
  std::string summary() const override { return "share of rows outside the heaviest class: 1 - max p"; }
  // Where a test changes no label it gains nothing, however much the shares of its branches differ.
  bool strictly_concave() const override { return false; }
  double of(const NodeSums& node) const override {
    return 1 - *std::max_element(node.sums.begin(), node.sums.end()) / node.total;
  }

  double largest_decrease(const NodeSums& node) const override { return all_of(node); }

  // Weights of heaviest classes are compared directly: exact zero where a split changes no label.
  double decrease(const NodeSums& node, const BranchSums& branches) const override {
    double right = 0;
    for (std::size_t v = 0; v < branches.totals.size(); ++v) {
      const auto branch = branches.branch(v);
      right += *std::max_element(branch.begin(), branch.end());
    }
    return std::max(0.0, (right - *std::max_element(node.sums.begin(), node.sums.end())) / node.total);
  }

  void filter_prefixes(const NodeSums& node, const PrefixBatch& batch, double* q) const override {
    const double base = *std::max_element(node.sums.begin(), node.sums.end());
    const std::size_t n_classes = node.sums.size();
    for (int i = 0; i < batch.m; ++i) {
      const double* left = batch.left + static_cast<std::size_t>(i) * n_classes;
      double on_left = 0, on_right = 0;
      for (std::size_t k = 0; k < n_classes; ++k) {
        on_left = std::max(on_left, left[k]);
        on_right = std::max(on_right, node.sums[k] - left[k]);
      }
      q[i] = std::max(0.0, on_left + on_right - base);
    }
  }
  const ThresholdBound* bound() const override { return &bound_; }

 private:
  MisclassificationBound bound_;
};

}  // namespace

std::unique_ptr<Impurity> make_misclassification() { return std::make_unique<Misclassification>(); }

}  // namespace thriftree
