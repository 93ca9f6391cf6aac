#include "prune/raising.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <string>

#include "prune/error_based.hpp"
#include "prune/impurity.hpp"
#include "prune/per_node.hpp"
#include "prune/rebuild.hpp"
#include "run/control.hpp"

namespace thriftree {
namespace {

std::size_t at(std::int32_t node) { return static_cast<std::size_t>(node); }

class Raising {
 public:
  Raising(const Tree& tree, const TrainingRows& rows, const NodeRules& rules, const Route& route,
          double confidence)
      : tree_(tree),
        rows_(rows),
        rules_(rules),
        route_(route),
        confidence_(confidence),
        n_classes_(at(tree.n_classes)),
        cases_(node_class_weights(tree, rows.leaf, rows.label, rows.weight)),
        expected_(tree.n_nodes(), 0.0),
        edits_(tree.n_nodes()),
        order_(rows.leaf.size()),
        begin_(tree.n_nodes()),
        end_(tree.n_nodes()) {
    std::iota(order_.begin(), order_.end(), 0);
    std::vector<std::int32_t> nodes(tree.n_nodes());
    std::iota(nodes.begin(), nodes.end(), 0);
    place_rows(nodes, {rows.leaf.begin(), rows.leaf.end()}, 0);
  }

  Tree run() {
    std::vector<std::int32_t> agenda(
        tree_.n_nodes());  // preorder, so that from the back a node comes after its branches
    std::iota(agenda.begin(), agenda.end(), 0);
    while (!agenda.empty()) {
      const std::int32_t node = agenda.back();
      agenda.pop_back();
      const auto raised = decide(node);
      agenda.insert(agenda.end(), raised.begin(), raised.end());
    }
    return rebuild(tree_, 0, edits_).tree;
  }

 private:
  // A branch as it would be with all the cases of the node above it.
  struct Trial {
    Rebuilt branch;
    std::vector<std::int32_t> leaf;   // of each of the node's rows, numbered as in branch.tree
    std::vector<double> cases;        // class sums per node of branch.tree
    std::vector<std::int32_t> label;  // per node of branch.tree
    double expected = 0.0;            // errors
  };

  std::span<const double> cases_of(std::size_t node) const {
    return std::span(cases_).subspan(node * n_classes_, n_classes_);
  }

  // Keeps the node, makes it a leaf, or raises its largest branch; then returns the branch's nodes, to be
  // decided again.
  std::vector<std::int32_t> decide(std::int32_t node) {
    const double as_leaf = expected_leaf_errors(cases_of(at(node)), tree_.label[at(node)], confidence_);
    if (is_leaf(tree_, at(node)) || edits_.make_leaf[at(node)]) {
      expected_[at(node)] = as_leaf;
      return {};
    }
    double subtree = 0.0, largest_weight = -1.0;
    std::int32_t largest = -1;
    for (auto c = children_begin(tree_, at(node)); c != children_end(tree_, at(node)); ++c) {
      const std::int32_t child = edits_.standing_for(*c);
      subtree += expected_[at(child)];
      const auto cases = cases_of(at(child));
      const double weight = std::accumulate(cases.begin(), cases.end(), 0.0);
      if (weight > largest_weight) {
        largest_weight = weight;
        largest = child;
      }
    }
    const Trial trial = try_branch(node, largest);
    if (as_leaf <= subtree + error_slack && as_leaf <= trial.expected + error_slack) {
      edits_.make_leaf[at(node)] = true;
      expected_[at(node)] = as_leaf;
      return {};
    }
    if (trial.expected > subtree + error_slack) {
      expected_[at(node)] = subtree;
      return {};
    }
    raise(node, largest, trial);
    return trial.branch.origin;
  }

  Trial try_branch(std::int32_t node, std::int32_t child) const {
    Trial trial{rebuild(tree_, child, edits_), {}, {}, {}, 0.0};
    const Tree& branch = trial.branch.tree;
    const auto rows = std::span(order_).subspan(begin_[at(node)], end_[at(node)] - begin_[at(node)]);
    if (branch.n_nodes() == 1) {
      trial.leaf.assign(rows.size(), 0);
    } else {
      trial.leaf = route_(branch, rows);
    }
    std::vector<std::int32_t> label(rows.size());
    std::vector<double> weight(rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
      label[i] = rows_.label[at(rows[i])];
      weight[i] = rows_.weight[at(rows[i])];
    }
    trial.cases = node_class_weights(branch, trial.leaf, label, weight);
    trial.label = branch.label;
    for (std::size_t t = 0; t < branch.n_nodes(); ++t) {
      const auto cases = std::span<const double>(trial.cases).subspan(t * n_classes_, n_classes_);
      trial.label[t] = best_label(cases, branch.label[t]);
      if (is_leaf(branch, t)) trial.expected += expected_leaf_errors(cases, trial.label[t], confidence_);
    }
    return trial;
  }

  double value_of(std::span<const double> cases, std::size_t c) const {
    return rules_.class_weight.empty() ? cases[c] : cases[c] * rules_.class_weight[c];
  }

  // Least expected error cost, ties to the first; `fallback` where there are no cases.
  std::int32_t best_label(std::span<const double> cases, std::int32_t fallback) const {
    if (std::accumulate(cases.begin(), cases.end(), 0.0) <= 0.0) return fallback;
    std::size_t best = 0;
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t predicted = 0; predicted < n_classes_; ++predicted) {
      double cost = 0.0;
      for (std::size_t c = 0; c < n_classes_; ++c) {
        const double per_case = rules_.error_costs.empty() ? (c == predicted ? 0.0 : 1.0)
                                                           : rules_.error_costs[c * n_classes_ + predicted];
        cost += per_case * value_of(cases, c);
      }
      if (cost < least) {
        least = cost;
        best = predicted;
      }
    }
    return static_cast<std::int32_t>(best);
  }

  void raise(std::int32_t node, std::int32_t child, const Trial& trial) {
    edits_.replaced_by[at(node)] = child;
    const auto& origin = trial.branch.origin;
    std::vector<std::int32_t> leaf(trial.leaf.size());
    for (std::size_t i = 0; i < leaf.size(); ++i) leaf[i] = origin[at(trial.leaf[i])];
    place_rows(origin, std::move(leaf), begin_[at(node)]);
    for (std::size_t t = 0; t < origin.size(); ++t) {
      const auto cases = std::span<const double>(trial.cases).subspan(t * n_classes_, n_classes_);
      restate(at(origin[t]), cases, trial.label[t]);
    }
  }

  void restate(std::size_t node, std::span<const double> cases, std::int32_t label) {
    std::copy(cases.begin(), cases.end(), cases_.begin() + static_cast<std::ptrdiff_t>(node * n_classes_));
    const std::span<double> value(&tree_.value[node * n_classes_], n_classes_);
    for (std::size_t c = 0; c < n_classes_; ++c) value[c] = value_of(cases, c);
    tree_.impurity[node] = class_impurity(rules_.impurity, value);
    tree_.weight[node] = std::accumulate(cases.begin(), cases.end(), 0.0);
    tree_.rows[node] = tree_.objects[node] = static_cast<std::int64_t>(end_[node] - begin_[node]);
    tree_.label[node] = label;
  }

  // Sorts the rows order_[first, first + leaf.size()) by the leaf they reach, and gives each of the nodes (a
  // subtree in preorder, by its old numbers) its part. Old numbers grow along a preorder, because raising
  // keeps it.
  void place_rows(const std::vector<std::int32_t>& nodes, std::vector<std::int32_t> leaf, std::size_t first) {
    std::vector<std::pair<std::int32_t, std::int32_t>> placed(leaf.size());  // leaf, row
    for (std::size_t i = 0; i < leaf.size(); ++i) placed[i] = {leaf[i], order_[first + i]};
    std::sort(placed.begin(), placed.end());
    for (std::size_t i = 0; i < placed.size(); ++i) order_[first + i] = placed[i].second;

    std::size_t next = 0;
    for (const std::int32_t node : nodes) {
      begin_[at(node)] = first + next;
      while (next < placed.size() && placed[next].first == node) ++next;
      end_[at(node)] = first + next;
    }
    // An inner node ends where the last of its descendants does.
    for (auto node = nodes.rbegin(); node != nodes.rend() && *node != nodes.front(); ++node) {
      const std::int32_t above = standing_parent(*node);
      end_[at(above)] = std::max(end_[at(above)], end_[at(*node)]);
    }
  }

  // The parent of a standing node, past the nodes that it or its like replaced.
  std::int32_t standing_parent(std::int32_t node) const {
    std::int32_t above = tree_.parent[at(node)];
    while (edits_.replaced_by[at(above)] >= 0) above = tree_.parent[at(above)];
    return above;
  }

  Tree tree_;  // its statistics change as branches are raised
  const TrainingRows& rows_;
  const NodeRules& rules_;
  const Route& route_;
  const double confidence_;
  const std::size_t n_classes_;
  std::vector<double> cases_;     // n_nodes * n_classes, of the nodes still standing
  std::vector<double> expected_;  // errors of the pruned subtree, of nodes decided
  Edits edits_;
  std::vector<std::int32_t> order_;  // rows, so that those of a standing node are order_[begin_, end_)
  std::vector<std::size_t> begin_, end_;
};

void check(const Tree& tree, const NodeRules& rules) {
  const auto n_classes = static_cast<std::size_t>(tree.n_classes);
  if (tree.objects != tree.rows) {
    throw BadInput(
        "subtree raising needs a tree grown on rows, but this one was grown on groups of equal rows "
        "(objects): "
        "use prune_error_based");
  }
  if (rules.impurity.for_numbers()) throw BadInput("squared_error is not an impurity of classes");
  if (!rules.class_weight.empty() && rules.class_weight.size() != n_classes) {
    throw BadInput("class_weight has " + std::to_string(rules.class_weight.size()) +
                   " entries, but the tree has " + std::to_string(n_classes) + " classes");
  }
  if (!rules.error_costs.empty() && rules.error_costs.size() != n_classes * n_classes) {
    throw BadInput("error_costs has " + std::to_string(rules.error_costs.size()) +
                   " entries, but the tree has " + std::to_string(n_classes) +
                   " classes: give one row and one column a class");
  }
}

}  // namespace

Tree prune_error_based_raising(const Tree& tree, const TrainingRows& rows, const NodeRules& rules,
                               const Route& route, double confidence) {
  check_error_based(tree, confidence);
  check(tree, rules);
  return Raising(tree, rows, rules, route, confidence).run();
}

}  // namespace thriftree
