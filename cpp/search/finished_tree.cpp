#include "search/finished_tree.hpp"

#include <algorithm>
#include <numeric>
#include <set>

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

// The features of the tests at and below a node; of equal tests the first only, where each test is paid.
std::vector<std::size_t> features_below(const SearchProblem& problem, const SearchTree& tree,
                                        std::int32_t node, bool pay_once) {
  std::vector<std::size_t> made;
  std::set<std::int32_t> seen;
  std::vector<std::int32_t> open{node};
  while (!open.empty()) {
    const auto at = static_cast<std::size_t>(open.back());
    open.pop_back();
    if (tree.test[at] < 0) continue;
    if (pay_once || seen.insert(tree.test[at]).second)
      made.push_back(static_cast<std::size_t>(problem.feature[static_cast<std::size_t>(tree.test[at])]));
    open.push_back(tree.right[at]);
    open.push_back(tree.left[at]);
  }
  return made;
}

// What a path has bought so far, and what that took of the budget.
struct Spent {
  PathState path;
  std::int64_t of_budget = 0;
};

// What the rows of a node pay for its test, and the path after it.
class Till {
 public:
  Till(const SearchProblem& problem, const SearchPrices& prices, const SearchTree& tree)
      : problem_(problem), prices_(prices), tree_(tree) {}

  std::int64_t fixed = 0;
  double price = 0;

  void ask(std::int32_t node, const RowList& rows, Spent& spent) {
    const PriceRules& rules = prices_.rules().rules();
    const auto feature = static_cast<std::size_t>(
        problem_.feature[static_cast<std::size_t>(tree_.test[static_cast<std::size_t>(node)])]);
    std::int64_t payers = 0;
    for (auto row : rows) payers += prices_.payers_of(row);
    prices_.rules().ask(
        spent.path, feature, [&] { return features_below(problem_, tree_, node, rules.pay_once); },
        [&](std::size_t column, const Prices::Due& due) {
          const Charge charge = prices_.charge_of(column, due);
          spent.of_budget += charge.of_budget;
          fixed += payers * charge.fixed;
          price += static_cast<double>(payers) * due.setup;
          if (charge.slot < 0) {
            price += static_cast<double>(payers) * rules.own[column];
            return;
          }
          const auto slot = static_cast<std::size_t>(charge.slot);
          for (auto row : rows) {
            fixed += prices_.payers_of(row) * prices_.outcome(slot, row);
            price += static_cast<double>(prices_.payers_of(row)) * prices_.outcome_price(slot, row);
          }
        });
  }

 private:
  const SearchProblem& problem_;
  const SearchPrices& prices_;
  const SearchTree& tree_;
};

class Finisher {
 public:
  Finisher(const SearchProblem& problem, const SearchPrices* prices, SearchTree& tree)
      : problem_(problem), prices_(prices), tree_(tree) {}

  FinishedCost sum;

  void finish(std::int32_t node, const RowList& rows, Spent spent) {
    const auto at = static_cast<std::size_t>(node);
    const std::vector<std::int64_t> cost = label_costs(problem_, rows);
    const auto least = std::min_element(cost.begin(), cost.end());
    tree_.label[at] = static_cast<std::int32_t>(least - cost.begin());
    if (tree_.test[at] < 0) {
      sum.cost += *least;
      ++sum.leaves;
      return;
    }
    if (prices_ != nullptr) {
      Till till(problem_, *prices_, tree_);
      till.ask(node, rows, spent);
      sum.fixed_price += till.fixed;
      sum.price += till.price;
      sum.within_budget &= spent.of_budget <= prices_->budget();
    }
    const auto [first, second] = divided(problem_, rows, tree_.test[at]);
    finish(tree_.left[at], first, spent);
    finish(tree_.right[at], second, spent);
  }

 private:
  const SearchProblem& problem_;
  const SearchPrices* prices_;
  SearchTree& tree_;
};

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
  Cutter(const SearchProblem& problem, const SearchOptions& options, const SearchPrices* prices,
         const SearchTree& from)
      : problem_(problem), options_(options), prices_(prices), from_(from) {}

  // The value of what was written to the end of `made`.
  double cut(std::int32_t node, const RowList& rows, int depth, Spent spent, SearchTree& made) {
    const std::vector<std::int64_t> cost = label_costs(problem_, rows);
    const double as_leaf =
        static_cast<double>(*std::min_element(cost.begin(), cost.end())) + options_.leaf_penalty;
    const auto at = static_cast<std::size_t>(node);
    const std::size_t here = made.test.size();
    for (auto* column : {&made.test, &made.left, &made.right}) column->push_back(-1);
    if (from_.test[at] < 0 || (options_.max_depth && depth >= *options_.max_depth)) return as_leaf;
    const auto [first, second] = divided(problem_, rows, from_.test[at]);
    if (first.empty() || second.empty()) {  // the test says nothing here
      for (auto* column : {&made.test, &made.left, &made.right}) column->pop_back();
      return cut(first.empty() ? from_.right[at] : from_.left[at], rows, depth, std::move(spent), made);
    }
    if (!large_enough(first) || !large_enough(second)) return as_leaf;
    double value = 0;
    if (prices_ != nullptr) {
      Till till(problem_, *prices_, from_);
      till.ask(node, rows, spent);
      if (spent.of_budget > prices_->budget()) return as_leaf;
      value = options_.price_weight * till.price;
    }
    made.test[here] = from_.test[at];
    made.left[here] = static_cast<std::int32_t>(made.test.size());
    value += cut(from_.left[at], first, depth + 1, spent, made);
    made.right[here] = static_cast<std::int32_t>(made.test.size());
    value += cut(from_.right[at], second, depth + 1, spent, made);
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
    for (auto row : rows) weight += problem_.weight_of(row);
    return static_cast<std::int64_t>(rows.size()) >= options_.min_leaf && weight >= options_.min_leaf_weight;
  }

  const SearchProblem& problem_;
  const SearchOptions& options_;
  const SearchPrices* prices_;
  const SearchTree& from_;
};

}  // namespace

FinishedCost finish_tree(const SearchProblem& problem, const SearchPrices* prices, SearchTree& tree) {
  tree.label.assign(tree.test.size(), 0);
  Finisher finisher(problem, prices, tree);
  finisher.finish(0, all_rows(problem), {});
  return finisher.sum;
}

const SearchTree& checked_tree(const SearchProblem& problem, const SearchTree& tree) {
  check_tree(problem, tree);
  return tree;
}

SearchTree cut_to_limits(const SearchProblem& problem, const SearchOptions& options,
                         const SearchPrices* prices, const SearchTree& tree) {
  check_tree(problem, tree);
  SearchTree made;
  Cutter(problem, options, prices, tree).cut(0, all_rows(problem), 0, {}, made);
  const auto leaves = static_cast<int>((made.test.size() + 1) / 2);
  if (options.max_leaves && leaves > *options.max_leaves) return {{-1}, {-1}, {-1}, {}};
  return made;
}

}  // namespace thriftree
