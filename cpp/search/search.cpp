#include "search/search.hpp"

#include <algorithm>
#include <exception>
#include <optional>
#include <stdexcept>

#include "search/finished_tree.hpp"
#include "search/lookahead.hpp"

namespace thriftree {

namespace {

std::int64_t most_leaves(const SearchProblem& problem, const SearchOptions& options) {
  auto most = static_cast<std::int64_t>(problem.n_rows);
  if (options.max_leaves) most = std::min<std::int64_t>(most, *options.max_leaves);
  if (options.max_depth && *options.max_depth < 40)
    most = std::min(most, std::int64_t{1} << *options.max_depth);
  return most;
}

// One search: the state that outlives an interrupt.
class OneSearch {
 public:
  OneSearch(const SearchProblem& problem, const SearchOptions& options, const SearchEntries& entries,
            Control& control, const SearchProgress& progress)
      : problem_(problem),
        options_(options),
        entries_(entries),
        control_(control),
        progress_(progress),
        units_(options.leaf_penalty, entries.most_cost, most_leaves(problem, options)),
        nodes_(entries, options.switches.duplicates),
        shared_{nodes_, units_, options_.switches, {options.min_leaf, options.min_leaf_weight}, cache_},
        solver_(shared_, [this] { poll(); }),
        budget_(
            TreeBudget::of(options.max_depth.value_or(kAnyDepth), options.max_leaves.value_or(kAnyLeaves))) {}

  SearchResult run(const WarmStart& warm_start) {
    control_.watch_time();
    std::string status = "optimal";
    note_tree({{-1}, {-1}, {-1}, {}});
    try {
      if (!warm_start.test.empty()) note_tree(cut_to_limits(problem_, options_, warm_start));
      root_ = nodes_.root();
      root_hash_ = nodes_.hash(root_);
      if (options_.lookahead) {
        note_tree(look_ahead(std::min(3, *options_.lookahead + 1)).tree);
        status = "heuristic";
      } else {
        note_tree(look_ahead(3).tree);
        prove();
      }
    } catch (...) {
      status = proved_ ? "optimal" : status_after(std::current_exception());
    }
    control_.leave_time();
    return result(std::move(status));
  }

 private:
  FoundTree look_ahead(int levels) {
    return Lookahead(solver_, entries_, levels, options_.beam).grow(root_, budget_);
  }

  std::string status_after(const std::exception_ptr& error) {
    try {
      std::rethrow_exception(error);
    } catch (const OutOfTime&) {
      return "time_limit";
    } catch (const MemoryLimitReached&) {
      return "memory_limit";
    } catch (...) {
      if (!control_.keeps_after(error)) throw;
      return "interrupted";
    }
  }

  void poll() {
    control_.poll_or_throw();
    if (!progress_) return;
    const double now = control_.elapsed_s();
    if (now < next_progress_) return;
    next_progress_ = now + 0.1;
    progress_(moment());
  }

  // Takes the tree if it is better than the best so far.
  void note_tree(SearchTree tree) {
    const FinishedCost cost = finish_tree(problem_, tree);
    const SearchValue value = units_.of_cost(cost.cost - entries_.floor) + cost.leaves * units_.leaf();
    if (value >= best_value_ && !best_.test.empty()) return;
    best_ = std::move(tree);
    best_cost_ = cost;
    best_value_ = value;
    history_.push_back(moment());
  }

  double objective() const {
    return static_cast<double>(best_cost_.cost) + options_.leaf_penalty * best_cost_.leaves;
  }
  double lower_bound() const {
    if (proved_) return objective();
    const double of_values = units_.lower_bound(std::min(lower_bound_, best_value_));
    return std::min(objective(), of_values + static_cast<double>(entries_.floor));
  }
  SearchMoment moment() const { return {control_.elapsed_s(), objective(), lower_bound()}; }

  void prove() {
    KernelAnswer answer;
    lower_bound_ = units_.leaf();
    if (root_.n_columns() == 0 || budget_.depth <= 0) {
      proved_ = true;
      return;
    }
    solver_.look(root_, budget_, answer);
    const SearchValue looked = solver_.best_looked_at(answer, budget_);
    if (looked < best_value_)
      note_tree(Rebuild(solver_, entries_).build(root_, root_hash_, shallow(3), looked));
    if (budget_.depth > 3) try_options(answer);
    lower_bound_ = best_value_;
    proved_ = true;
    history_.push_back(moment());
    first_of_the_best(answer, looked);
  }

  void try_options(const KernelAnswer& answer) {
    const SearchValue leaf = units_.leaf();
    if (options_.switches.after_kernel && best_value_ <= 5 * leaf) return;
    std::vector<RootOption> options = solver_.options(root_, answer, budget_, best_value_);
    std::vector<SearchValue> open;
    for (const RootOption& option : options) open.push_back(option.lower_bound);
    for (std::size_t i = 0; i < options.size(); ++i) {
      lower_bound_ = std::max(lower_bound_, *std::min_element(open.begin(), open.end()));
      if (options[i].lower_bound < best_value_) {
        const SearchAnswer found = solver_.try_option(root_, options[i], budget_, best_value_);
        if (found.exact && found.value < best_value_)
          note_tree(Rebuild(solver_, entries_).build_from(root_, options[i], budget_, found.value));
      }
      open[i] = kNoTree;
    }
  }

  TreeBudget shallow(int depth) const {
    return TreeBudget::of(std::min(depth, budget_.depth), options_.max_leaves.value_or(kAnyLeaves));
  }

  // Of all trees of the best value the one that comes first.
  void first_of_the_best(KernelAnswer& answer, SearchValue looked) {
    int depth = 0;
    for (;; ++depth) {
      const TreeBudget budget = shallow(depth);
      if (depth >= budget_.depth) break;
      if (depth >= 3 && depth == budget_.depth) break;
      SearchValue value = 0;
      if (depth == 0) {
        value = solver_.leaf_value(answer.node_cost);
      } else if (depth == 3) {
        value = looked;
      } else if (depth < 3) {
        KernelAnswer less;
        solver_.look(root_, budget, less);
        value = solver_.best_looked_at(less, budget);
      } else {
        solver_.set_known_slack(budget_.depth == kAnyDepth ? kAnyDepth : budget_.depth - depth);
        value = solver_.solve(root_, root_hash_, budget, best_value_ + 1).value;
      }
      if (value == best_value_) break;
    }
    SearchTree tree = Rebuild(solver_, entries_).build(root_, root_hash_, shallow(depth), best_value_);
    const FinishedCost cost = finish_tree(problem_, tree);
    if (cost.cost != best_cost_.cost || cost.leaves != best_cost_.leaves) {
      // Two trees of one value may differ in cost and leaves where the leaf penalty is a whole number of
      // units.
      if (units_.of_cost(cost.cost - entries_.floor) + cost.leaves * units_.leaf() != best_value_)
        throw std::logic_error("the rebuilt tree has not the value that was proved");
      best_cost_ = cost;
    }
    best_ = std::move(tree);
  }

  SearchResult result(std::string status) {
    SearchResult made;
    made.tree = best_;
    made.cost = best_cost_.cost;
    made.leaves = best_cost_.leaves;
    made.objective = objective();
    made.lower_bound = lower_bound();
    made.status = std::move(status);
    history_.push_back(moment());
    made.history = history_;
    made.statistics = solver_.statistics;
    made.statistics.cache_entries = static_cast<std::int64_t>(cache_.size());
    made.statistics.rows_searched = static_cast<std::int64_t>(entries_.n_groups);
    made.statistics.tests_searched = static_cast<std::int64_t>(root_.n_columns());
    return made;
  }

  const SearchProblem& problem_;
  const SearchOptions options_;
  const SearchEntries& entries_;
  Control& control_;
  const SearchProgress& progress_;
  SearchUnits units_;
  NodeMaker nodes_;
  SearchCache cache_;
  SearchShared shared_;
  Solver solver_;
  TreeBudget budget_;
  NodeBits root_;
  Hash128 root_hash_;
  SearchTree best_;  // with labels; empty before the first tree
  FinishedCost best_cost_;
  SearchValue best_value_ = kNoTree;  // of best_
  SearchValue lower_bound_ = 0;       // of every tree
  bool proved_ = false;               // whether best_value_ is the least
  std::vector<SearchMoment> history_;
  double next_progress_ = 0;
};

}  // namespace

SearchResult search_tree(const SearchProblem& problem, const SearchOptions& options,
                         const WarmStart& warm_start, Control& control, const SearchProgress& progress) {
  const SearchEntries entries = make_entries(problem, options);
  return OneSearch(problem, options, entries, control, progress).run(warm_start);
}

std::vector<SearchResult> search_path(const SearchProblem& problem, const SearchOptions& options,
                                      const std::vector<double>& leaf_penalties, const WarmStart& warm_start,
                                      Control& control, const SearchProgress& progress) {
  const SearchEntries entries = make_entries(problem, options);
  std::vector<SearchResult> made;
  for (double penalty : leaf_penalties) {
    SearchOptions with_penalty = options;
    with_penalty.leaf_penalty = penalty;
    if (!(penalty >= 0)) throw BadInput("leaf_penalties must be 0 or more");
    made.push_back(OneSearch(problem, with_penalty, entries, control, progress).run(warm_start));
  }
  return made;
}

}  // namespace thriftree
