#include "search/finished_tree.hpp"

#include <algorithm>
#include <numeric>

#include "run/control.hpp"
#include "search/entries.hpp"

namespace thriftree {

namespace {

using RowList = std::vector<std::uint32_t>;

RowList all_rows(const SearchProblem& problem) {
  RowList rows(problem.n_rows);
  std::iota(rows.begin(), rows.end(), 0U);
  return rows;
}

// The rows that take the first branch, and the others.
std::pair<RowList, RowList> divided(const SearchProblem& problem, const RowList& rows, std::int32_t test) {
  std::pair<RowList, RowList> made;
  const std::uint8_t* answers = problem.tests.data() + static_cast<std::size_t>(test) * problem.n_rows;
  for (auto row : rows) (answers[row] ? made.first : made.second).push_back(row);
  return made;
}

void finish(const SearchProblem& problem, SearchTree& tree, std::int32_t node, const RowList& rows,
            FinishedCost& sum) {
  const auto at = static_cast<std::size_t>(node);
  const std::vector<std::int64_t> cost = label_costs(problem, rows);
  const auto least = std::min_element(cost.begin(), cost.end());
  tree.label[at] = static_cast<std::int32_t>(least - cost.begin());
  if (tree.test[at] < 0) {
    sum.cost += *least;
    ++sum.leaves;
    return;
  }
  const auto [first, second] = divided(problem, rows, tree.test[at]);
  finish(problem, tree, tree.left[at], first, sum);
  finish(problem, tree, tree.right[at], second, sum);
}

void check_tree(const SearchProblem& problem, const SearchTree& tree) {
  const std::size_t n = tree.test.size();
  if (tree.left.size() != n || tree.right.size() != n)
    throw BadInput("warm_start: test, left and right must be of one length");
  for (std::size_t at = 0; at < n; ++at) {
    if (tree.test[at] < 0) continue;
    if (static_cast<std::size_t>(tree.test[at]) >= problem.n_tests)
      throw BadInput("warm_start: there is no test " + std::to_string(tree.test[at]));
    for (std::int32_t child : {tree.left[at], tree.right[at]}) {
      if (child <= static_cast<std::int32_t>(at) || static_cast<std::size_t>(child) >= n)
        throw BadInput("warm_start: children must come after their parent, in pre-order");
    }
  }
}

// Copies a subtree while it keeps to the limits and pays.
class Cutter {
 public:
  Cutter(const SearchProblem& problem, const SearchOptions& options, const SearchTree& from)
      : problem_(problem), options_(options), from_(from) {}

  // The value of what was written to the end of `made`.
  double cut(std::int32_t node, const RowList& rows, int depth, SearchTree& made) {
    const std::vector<std::int64_t> cost = label_costs(problem_, rows);
    const double as_leaf =
        static_cast<double>(*std::min_element(cost.begin(), cost.end())) + options_.leaf_penalty;
    const auto at = static_cast<std::size_t>(node);
    const std::size_t here = made.test.size();
    for (auto* column : {&made.test, &made.left, &made.right}) column->push_back(-1);
    if (from_.test[at] < 0 || (options_.max_depth && depth >= *options_.max_depth)) return as_leaf;
    const auto [first, second] = divided(problem_, rows, from_.test[at]);
    if (!large_enough(first) || !large_enough(second)) return as_leaf;
    made.test[here] = from_.test[at];
    made.left[here] = static_cast<std::int32_t>(made.test.size());
    double value = cut(from_.left[at], first, depth + 1, made);
    made.right[here] = static_cast<std::int32_t>(made.test.size());
    value += cut(from_.right[at], second, depth + 1, made);
    if (value < as_leaf) return value;
    for (auto* column : {&made.test, &made.left, &made.right}) {
      column->resize(here + 1);
      (*column)[here] = -1;
    }
    return as_leaf;
  }

 private:
  bool large_enough(const RowList& rows) const {
    std::int64_t weight = 0;
    for (auto row : rows) weight += problem_.weight.empty() ? 1 : problem_.weight[row];
    return static_cast<std::int64_t>(rows.size()) >= options_.min_leaf && weight >= options_.min_leaf_weight;
  }

  const SearchProblem& problem_;
  const SearchOptions& options_;
  const SearchTree& from_;
};

}  // namespace

FinishedCost finish_tree(const SearchProblem& problem, SearchTree& tree) {
  FinishedCost sum;
  tree.label.assign(tree.test.size(), 0);
  finish(problem, tree, 0, all_rows(problem), sum);
  return sum;
}

SearchTree cut_to_limits(const SearchProblem& problem, const SearchOptions& options, const SearchTree& tree) {
  check_tree(problem, tree);
  SearchTree made;
  Cutter(problem, options, tree).cut(0, all_rows(problem), 0, made);
  const auto leaves = static_cast<int>((made.test.size() + 1) / 2);
  if (options.max_leaves && leaves > *options.max_leaves) return {{-1}, {-1}, {-1}, {}};
  return made;
}

}  // namespace thriftree
