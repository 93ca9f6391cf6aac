#include "prune/error_based.hpp"

#include <cmath>
#include <iterator>
#include <string>
#include <vector>

#include "prune/per_node.hpp"
#include "prune/rebuild.hpp"
#include "run/control.hpp"

namespace thriftree {
namespace {

// Release 8 interpolates the normal deviate in this table instead of inverting the normal distribution.
double squared_deviate(double confidence) {
  static constexpr double levels[] = {0.0, 0.001, 0.005, 0.01, 0.05, 0.10, 0.20, 0.40, 1.00};
  static constexpr double deviates[] = {4.0, 3.09, 2.58, 2.33, 1.65, 1.28, 0.84, 0.25, 0.00};
  std::size_t i = 1;
  while (i + 1 < std::size(levels) && confidence > levels[i]) ++i;
  const double share = (confidence - levels[i - 1]) / (levels[i] - levels[i - 1]);
  const double deviate = deviates[i - 1] + (deviates[i] - deviates[i - 1]) * share;
  return deviate * deviate;
}

}  // namespace

double added_errors(double cases, double errors, double confidence) {
  const auto when_none = [&] { return cases * (1.0 - std::exp(std::log(confidence) / cases)); };
  // For one error or more: the upper limit of the binomial rate by the normal approximation with continuity
  // correction.
  const auto when_some = [&](double e) {
    if (e + 0.5 >= cases) return 0.67 * (cases - e);
    const double z2 = squared_deviate(confidence), corrected = e + 0.5;
    const double spread = std::sqrt(z2 * (corrected * (1.0 - corrected / cases) + z2 / 4.0));
    return cases * (corrected + z2 / 2.0 + spread) / (cases + z2) - e;
  };
  if (cases <= 0.0) return 0.0;
  if (errors < 1e-6) return when_none();
  if (errors < 0.9999) return when_none() + errors * (when_some(1.0) - when_none());
  return when_some(errors);
}

void check_error_based(const Tree& tree, double confidence) {
  if (tree.n_classes <= 0)
    throw BadInput("error-based pruning needs classes, but the tree's target is a number");
  if (!(confidence > 0.0 && confidence <= 1.0)) {
    throw BadInput("confidence is " + std::to_string(confidence) +
                   ": give a number above 0 and up to 1 (C4.5 uses 0.25)");
  }
}

double expected_leaf_errors(std::span<const double> class_weights, std::int32_t label, double confidence) {
  double cases = 0.0, errors = 0.0;
  for (std::size_t c = 0; c < class_weights.size(); ++c) {
    cases += class_weights[c];
    if (c != static_cast<std::size_t>(label)) errors += class_weights[c];
  }
  return errors + added_errors(cases, errors, confidence);
}

Tree prune_error_based(const Tree& tree, std::span<const double> class_weights, double confidence) {
  check_error_based(tree, confidence);
  const auto n_classes = static_cast<std::size_t>(tree.n_classes);
  require_per_node(tree, class_weights, n_classes, "class_weights");
  std::vector<bool> make_leaf(tree.n_nodes(), false);
  std::vector<double> expected(tree.n_nodes());
  for (std::size_t t = tree.n_nodes(); t-- > 0;) {
    const double as_leaf =
        expected_leaf_errors(class_weights.subspan(t * n_classes, n_classes), tree.label[t], confidence);
    double subtree = 0.0;
    for (auto c = children_begin(tree, t); c != children_end(tree, t); ++c)
      subtree += expected[static_cast<std::size_t>(*c)];
    make_leaf[t] = !is_leaf(tree, t) && as_leaf <= subtree + error_slack;
    expected[t] = is_leaf(tree, t) || make_leaf[t] ? as_leaf : subtree;
  }
  return collapse(tree, make_leaf);
}

}  // namespace thriftree
