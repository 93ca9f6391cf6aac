#include "search/search.hpp"

#include <algorithm>
#include <cmath>
#include <exception>
#include <limits>
#include <memory>
#include <stdexcept>

#include "run/team.hpp"
#include "search/booked_memory.hpp"
#include "search/incumbent.hpp"
#include "search/lookahead.hpp"
#include "search/penalty_path.hpp"
#include "search/stopped.hpp"

namespace thriftree {

namespace {

constexpr std::int64_t kWorkOfCell = 50;  // to read a row's answer to a test, as Solver::work counts
// Shares of the best tree's value that passes over the root's tests prove, one after the other. A pass takes
// about as long as all before it, since a level of sides more has to be searched.
constexpr double kTargets[] = {0.125, 0.25, 0.5, 0.75, 1};
constexpr std::int64_t kQuickWork = 2'000'000'000;  // of a worker before it takes passes: half a second or so
constexpr std::int64_t kFirstTrees = 16;  // kernels of the root that the trees to begin with may take

// Asks the caller for interrupts as before, and tells of progress on the way. An error there is an interrupt.
class ProgressHook {
 public:
  ProgressHook(Control& control, const SearchProgress& progress)
      : control_(control), before_(control.interrupted) {
    if (!progress) return;
    control.interrupted = [this, &progress] {
      if (before_ && before_()) return true;
      const double now = control_.elapsed_s();
      if (incumbent_ == nullptr || now < next_) return false;
      next_ = now + 0.1;
      try {
        progress(incumbent_->now());
      } catch (...) {
        error_ = std::current_exception();
      }
      return error_ != nullptr;
    };
  }
  ~ProgressHook() { control_.interrupted = before_; }
  ProgressHook(const ProgressHook&) = delete;
  ProgressHook& operator=(const ProgressHook&) = delete;

  void tell_of(Incumbent* incumbent) { incumbent_ = incumbent; }
  // What the caller's function threw, if it did.
  std::exception_ptr error() const { return error_; }

 private:
  Control& control_;
  std::function<bool()> before_;
  Incumbent* incumbent_ = nullptr;
  double next_ = 0;
  std::exception_ptr error_;
};

// One search: what outlives an interrupt, and how it goes.
class OneSearch {
 public:
  OneSearch(const SearchProblem& problem, const SearchOptions& options, const SearchEntries& entries,
            Control& control, ProgressHook& hook)
      : problem_(problem),
        options_(options),
        entries_(entries),
        control_(control),
        hook_(hook),
        units_(std::ldexp(options.leaf_penalty, entries.shift()), entries.most_cost,
               most_leaves(problem, options)),
        // Rows that move to another subtree would pay for its tests: with prices the support rule is wrong.
        nodes_(entries, options.switches.duplicates,
               options.switches.support && !entries.prices ? units_.cost_of_leaf() : 0),
        cache_(options.cache_bytes),
        shared_{nodes_, units_, options_.switches, {options.min_leaf, options.min_leaf_weight}, cache_},
        best_(problem, options_, units_, entries, control),
        budget_(
            TreeBudget::of(options.max_depth.value_or(kAnyDepth), options.max_leaves.value_or(kAnyLeaves))),
        booked_(control) {
    for (int worker = 0; worker < control.n_threads; ++worker)
      solvers_.push_back(std::make_unique<Solver>(shared_, control.poll_on(worker)));
    hook.tell_of(&best_);
  }
  ~OneSearch() { hook_.tell_of(nullptr); }
  OneSearch(const OneSearch&) = delete;
  OneSearch& operator=(const OneSearch&) = delete;

  SearchResult run(const WarmStart& warm_start) {
    control_.watch_time();
    SearchResult result;
    result.status = "optimal";
    best_.offer({{-1}, {-1}, {-1}, {}});
    try {
      book_memory();
      if (!warm_start.test.empty())
        best_.offer(cut_to_limits(problem_, options_, entries_.prices.get(), warm_start));
      if (control_.out_of_time()) throw OutOfTime();
      root_ = nodes_.root();
      if (options_.lookahead) {
        look_ahead(std::min(3, *options_.lookahead + 1), options_.beam, lookahead_work());
        result.status = "heuristic";
      } else {
        prove();
      }
    } catch (...) {
      const std::string stopped_by =
          status_after(hook_.error() ? hook_.error() : std::current_exception(), control_);
      if (!best_.proved()) result.status = stopped_by;
    }
    control_.leave_time();
    best_.write(result);
    write_statistics(result.statistics);
    return result;
  }

 private:
  Solver& solver() { return *solvers_[0]; }
  Rebuild rebuild(Solver& solver) { return {solver, entries_}; }
  // Offers a tree that tries so many tests at each node, or as many as the work allows.
  void look_ahead(int levels, std::optional<int> beam, std::int64_t work) {
    const int most = options_.switches.triples ? 3 : 2;
    Lookahead ahead(solver(), entries_, std::min(levels, most));
    if (beam) return best_.offer(ahead.grow(root_, budget_, *beam).tree);
    ahead.grow_within(root_, budget_, work, [this](const FoundTree& found) { best_.offer(found.tree); });
  }
  TreeBudget at_most(int depth) const {
    return TreeBudget::of(std::min(depth, budget_.depth), options_.max_leaves.value_or(kAnyLeaves));
  }

  // Nodes on the way down, and what a kernel counts; as much of the cache as the limit leaves room for.
  void book_memory() {
    std::size_t entries = 0;
    for (const EntrySegment& segment : entries_.segments) entries += segment.group.size() + 64;
    const std::size_t p = entries_.test.size(), node = entries * (p / 8 + 4);
    const std::size_t lanes = (p + 32) * (4 + static_cast<std::size_t>(entries_.channels.n)) * (p + 32);
    const std::size_t levels = static_cast<std::size_t>(std::min(budget_.depth, 8)) + 3;
    const auto workers = static_cast<std::size_t>(control_.n_threads);
    booked_.take(entries * 16 + workers * (levels * node + 8 * lanes + KeptAnswers::kMostBytes),
                 "the search");
    booked_.take(std::min(options_.cache_bytes, booked_.room() / 2), "the search");
    cache_.set_most_bytes(std::min(options_.cache_bytes, booked_.last()));
  }

  void prove() {
    best_.raise_lower_bound(units_.leaf());
    if (root_.n_columns() > 0 && budget_.depth > 0) {
      solver().look(root_, budget_, looked_);
      const SearchValue value = solver().best_looked_at(looked_, budget_);
      if (budget_.depth <= looked_.levels) {
        best_.raise_lower_bound(value);
        best_.offer(first_tree(value));
        return best_.set_proved();
      }
      if (options_.switches.first_trees) {
        first_trees();
      } else {
        best_.offer(first_tree(value));  // options are about what the kernel did not look at
      }
      try_options();
    }
    best_.set_proved();
    if (!best_.replace(first_tree(best_.value())))
      throw std::logic_error("the rebuilt tree has not the value that was proved");
  }

  // What is left when the table is read.
  std::int64_t lookahead_work() const {
    const std::size_t cells = std::min(problem_.n_rows * problem_.n_tests, std::size_t{1} << 40);
    return std::max<std::int64_t>(0, kLookaheadWork - kWorkOfCell * static_cast<std::int64_t>(cells));
  }

  // From depth 5 on a better tree saves more than it takes to find.
  void first_trees() {
    const std::int64_t work = solver().work;  // of the kernel at the root
    if (budget_.depth > 4) return look_ahead(3, std::nullopt, std::min(lookahead_work(), kFirstTrees * work));
    look_ahead(3, options_.beam.value_or(1), 0);
  }

  // Each worker takes the next option of the root; all prune by the best tree of any. Where that takes
  // long there are several passes whose targets rise to the value of the best tree: after each, no tree is
  // below its target. What a pass finds out is in the cache for the next. The most promising options are
  // finished at once, since better trees come from them.
  void try_options() {
    const SearchValue five = solver().beyond(looked_);
    if (options_.switches.after_kernel) {
      best_.raise_lower_bound(std::min(best_.value(), five));
      if (best_.value() <= five) return;
    }
    std::vector<RootOption> options = solver().options(root_, looked_);
    std::vector<SearchValue> bounds;
    for (const RootOption& option : options) bounds.push_back(option.lower_bound);
    best_.set_open(bounds);
    Team team(control_);
    std::mutex mutex;         // guards options and bounds
    std::size_t in_full = 1;  // options that are finished in a pass, whatever its share
    for (const double share : kTargets) {
      if (share < 1 && !(options_.switches.rising && budget_.depth > 4)) continue;
      team.run(options.size(), [&](std::size_t i, int worker) {
        Solver& solver = *solvers_[static_cast<std::size_t>(worker)];
        SearchValue target = best_.value();
        const bool quick = options_.switches.patience && solver.work < kQuickWork;
        if (share < 1 && i >= in_full && !quick)
          target = static_cast<SearchValue>(share * static_cast<double>(target));
        RootOption option;
        {
          const std::lock_guard lock(mutex);
          if (bounds[i] >= target) return;
          option = options[i];
        }
        const SearchAnswer found = solver.try_option(root_, option, budget_, target);
        if (found.exact && found.value < best_.value())
          best_.offer(rebuild(solver).build_from(root_, option, budget_, found.value));
        const std::lock_guard lock(mutex);
        keep_learnt(option, found.value, options[i]);
        bounds[i] = found.exact ? kNoTree : options[i].lower_bound;
        if (options_.switches.similarity) raise_bounds(solver, options[i], options, bounds);
        best_.set_open(bounds);
      });
      in_full *= 2;
    }
  }

  static void keep_learnt(const RootOption& learnt, SearchValue bound, RootOption& option) {
    for (std::size_t side = 0; side < 2; ++side) {
      option.side[side] = std::max(option.side[side], learnt.side[side]);
      option.solved[side] |= learnt.solved[side];
    }
    option.lower_bound = std::max({option.lower_bound, learnt.lower_bound, bound});
  }

  // B4 at the root: what was learnt of an option raises the bounds of those that are open.
  void raise_bounds(const Solver& solver, const RootOption& known, std::vector<RootOption>& options,
                    std::vector<SearchValue>& bounds) const {
    for (std::size_t j = 0; j < options.size(); ++j) {
      if (bounds[j] >= best_.value() || &options[j] == &known) continue;
      solver.compare(root_, looked_, budget_, known, options[j]);
      bounds[j] = std::max(bounds[j], options[j].lower_bound);
    }
  }

  // Of all trees of the best value the one that comes first, whoever found a tree of that value.
  SearchTree first_tree(SearchValue value) {
    const TreeBudget budget = at_most(least_depth(value));
    const bool looked = budget.depth >= looked_.levels && looked_.levels > 0;
    return rebuild(solver()).build(root_, budget, value, looked ? &looked_ : nullptr);
  }

  int least_depth(SearchValue value) {
    if (solver().leaf_value(leaf_cost(root_, nodes_.channels())) == value) return 0;
    for (int depth = 1; depth < budget_.depth; ++depth) {
      if (value_within(at_most(depth), value) == value) return depth;
    }
    return budget_.depth;
  }

  // V of a smaller budget, or something above `value`.
  SearchValue value_within(TreeBudget budget, SearchValue value) {
    if (budget.depth == looked_.levels) return solver().best_looked_at(looked_, budget);
    solver().set_known_slack(budget_.depth == kAnyDepth ? kAnyDepth : budget_.depth - budget.depth);
    const SearchValue found = solver().solve(root_, budget, value + 1).value;
    solver().set_known_slack(0);
    return found;
  }

  void write_statistics(SearchStatistics& statistics) const {
    for (const auto& solver : solvers_) statistics.add(solver->statistics);
    statistics.cache_entries = cache_.entries();
    statistics.cache_evictions = cache_.evictions();
    statistics.cache_bytes = cache_.bytes();
    statistics.rows_searched = static_cast<std::int64_t>(entries_.n_groups);
    statistics.tests_searched = static_cast<std::int64_t>(root_.n_columns());
  }

  const SearchProblem& problem_;
  const SearchOptions options_;
  const SearchEntries& entries_;
  Control& control_;
  ProgressHook& hook_;
  SearchUnits units_;
  NodeMaker nodes_;
  SearchCache cache_;
  SearchShared shared_;
  Incumbent best_;
  TreeBudget budget_;
  BookedMemory booked_;
  std::vector<std::unique_ptr<Solver>> solvers_;  // of each worker; the first is the calling thread's
  NodeBits root_;
  KernelAnswer looked_;  // at the root
};

// The entries, or what stopped their making; then there is no search.
struct EntriesOrStop {
  SearchEntries entries;
  std::string stopped_by;  // empty: nothing did
};

EntriesOrStop entries_within(const SearchProblem& problem, const SearchOptions& options, Control& control,
                             BookedMemory& booked) {
  booked.take(bytes_of_entries(problem), "a search of these rows and tests");
  control.watch_time();
  try {
    return {make_entries(problem, options, [&control] { control.poll_or_throw(); }), ""};
  } catch (const BadInput&) {
    throw;
  } catch (...) {
    return {{}, status_after(std::current_exception(), control)};
  }
}

// Where there was no time for a search: a leaf, or the caller's tree if that is better.
SearchResult without_search(const SearchProblem& problem, const SearchOptions& options,
                            const WarmStart& warm_start, const std::string& status, const Control& control) {
  SearchResult made = evaluate_tree(problem, options, {{-1}, {-1}, {-1}, {}}, false);
  if (!warm_start.test.empty()) {
    SearchResult given = evaluate_tree(problem, options, warm_start, true);
    if (given.objective < made.objective) made = std::move(given);
  }
  // Every tree has a leaf.
  made.lower_bound = options.leaf_penalty + (problem.of_numbers() ? least_number_cost(problem) : 0);
  made.status = status;
  made.history = {{control.elapsed_s(), made.objective, made.lower_bound}};
  return made;
}

}  // namespace

SearchResult evaluate_tree(const SearchProblem& problem, const SearchOptions& options, const SearchTree& tree,
                           bool cut) {
  std::optional<SearchPrices> prices;  // of which only the rules and the budget are asked
  if (problem.prices != nullptr) prices.emplace(problem, options, 0, 1);
  const SearchPrices* used = prices ? &*prices : nullptr;
  SearchResult made;
  made.tree = checked_tree(problem, tree);
  if (cut) made.tree = cut_to_limits(problem, options, used, tree);
  const FinishedCost cost = finish_tree(problem, used, made.tree);
  made.cost = cost.cost;
  made.leaves = cost.leaves;
  made.price = cost.price;
  made.objective = static_cast<double>(cost.cost) + options.leaf_penalty * cost.leaves;
  if (used != nullptr) made.objective += options.price_weight * cost.price;
  if (!cost.within_budget) made.objective = std::numeric_limits<double>::infinity();
  made.status = "heuristic";
  return made;
}

SearchResult search_tree(const SearchProblem& problem, const SearchOptions& options,
                         const WarmStart& warm_start, Control& control, const SearchProgress& progress) {
  ProgressHook hook(control, progress);
  BookedMemory booked(control);
  const EntriesOrStop made = entries_within(problem, options, control, booked);
  if (!made.stopped_by.empty()) return without_search(problem, options, warm_start, made.stopped_by, control);
  return OneSearch(problem, options, made.entries, control, hook).run(warm_start);
}

std::vector<SearchResult> search_path(const SearchProblem& problem, const SearchOptions& options,
                                      const std::vector<double>& leaf_penalties, const WarmStart& warm_start,
                                      Control& control, const SearchProgress& progress) {
  ProgressHook hook(control, progress);
  BookedMemory booked(control);
  const EntriesOrStop made = entries_within(problem, options, control, booked);
  PenaltyPath path(leaf_penalties, options.price_weight, [&](double penalty, const WarmStart& start) {
    SearchOptions with_penalty = options;
    with_penalty.leaf_penalty = penalty;
    if (!made.stopped_by.empty())
      return without_search(problem, with_penalty, start, made.stopped_by, control);
    return OneSearch(problem, with_penalty, made.entries, control, hook).run(start);
  });
  return path.run(warm_start);
}

}  // namespace thriftree
