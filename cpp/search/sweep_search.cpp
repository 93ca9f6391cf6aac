// The calls of a sweep: leaf, depth 2, a first tree of depth 3, depth 3; with its limits and what it tells.
#include <algorithm>
#include <exception>

#include "search/sweep_depth3.hpp"
#include "search/sweep_first_tree.hpp"

namespace thriftree {

namespace {

// One call: what it has found and proved so far.
class SweepRun {
 public:
  SweepRun(const SweepContext& context, Control& control,
           const std::function<void(const SearchMoment&)>& progress)
      : context_(context), control_(control), progress_(progress) {}

  // True: to the end. False: no tree is as good as `upper_bound`.
  bool search(std::optional<double> upper_bound);
  SweepResult result(const char* status);
  void tell();
  std::exception_ptr error_of_progress;

 private:
  void note();
  void search_depth_two(Team& team, SideCosts& whole);
  void make_tree(Team* team = nullptr);
  bool may_split() const;
  void book();
  double least_of(const SideCosts& costs) const;

  const SweepContext& context_;
  Control& control_;
  const std::function<void(const SearchMoment&)>& progress_;
  std::mutex mutex_;
  std::optional<SweepRows> rows_;
  std::optional<SweepIncumbent> incumbent_;
  std::optional<SweepTest> unmade_;    // the root of the incumbent, if its tree is still to be made
  std::optional<double> upper_bound_;  // the caller's
  double open_ = 0;                    // no tree that is still to be found has a lower objective
  double lower_bound_ = 0;             // only rises
  std::vector<SearchMoment> history_;
  double told_at_ = 0;
  std::size_t booked_ = 0;  // bytes
};

double SweepRun::least_of(const SideCosts& costs) const {
  double least = static_cast<double>(kNoSweep);
  for (std::size_t i = 1; i < costs.size(); ++i) {
    least = std::min(least, context_.penalty.objective(costs[i] + context_.table.unavoidable,
                                                       static_cast<std::int64_t>(i)));
  }
  return least;
}

// With the mutex held, or from the only thread: keeps a moment in which anything is new.
void SweepRun::note() {
  const double objective = incumbent_->objective();
  // What was left out is worse than the incumbent or than the caller's bound.
  const double left_out = incumbent_->is_within_bound() ? objective : std::min(objective, *upper_bound_);
  lower_bound_ = std::max(lower_bound_, std::min(open_, left_out));
  if (!history_.empty() && history_.back().objective == objective &&
      history_.back().lower_bound == lower_bound_)
    return;
  const SearchMoment moment{control_.elapsed_s(), objective, lower_bound_};
  // Bounds creep; the same tree has a moment every 10 ms at most, and the last one is always kept.
  if (history_.size() >= 2 && history_.back().objective == objective &&
      history_[history_.size() - 2].objective == objective &&
      moment.seconds - history_[history_.size() - 2].seconds < 0.01)
    history_.pop_back();
  history_.push_back(moment);
}

void SweepRun::tell() {
  if (!progress_ || error_of_progress || control_.elapsed_s() - told_at_ < 0.05) return;
  SearchMoment moment;
  {
    std::lock_guard lock(mutex_);
    if (history_.empty()) return;
    moment = {control_.elapsed_s(), history_.back().objective, history_.back().lower_bound};
  }
  told_at_ = moment.seconds;
  try {
    progress_(moment);
  } catch (...) {
    error_of_progress = std::current_exception();
  }
}

void SweepRun::make_tree(Team* team) {
  if (!unmade_) return;
  incumbent_->replace(tree_of(context_, *rows_, incumbent_->best().leaves, *unmade_, team));
  unmade_.reset();
}

void SweepRun::search_depth_two(Team& team, SideCosts& whole) {
  SweepLimits limits = incumbent_->limits(-1, 0);
  if (context_.options.max_depth < 2) limits[3] = limits[4] = -1;
  DepthTwoSearch search(context_);
  search.start(*rows_, limits, false, &team);
  const auto take = [&] {
    const int leaves = search.best_leaves();
    const SweepTest& test = search.found(leaves);
    std::lock_guard lock(mutex_);
    // Its tree is made when it is needed, which only the last one is.
    if (leaves != 0 &&
        incumbent_->offer({test.cost, leaves, leaves >= 3 ? 2 : leaves - 1, test.column, test.cut}, {}))
      unmade_ = test;
    if (context_.options.max_depth <= 2) open_ = std::max(open_, least_of(search.open_costs()));
    note();
  };
  take();
  const std::function<void()> poll = [&] { control_.poll_or_throw(); };
  while (search.step(team.size() > 1 ? &team : nullptr, poll)) take();
  take();
  make_tree(&team);
  whole = search.free_costs();
}

// Whether the rows suffice for two leaves.
bool SweepRun::may_split() const {
  const SweepOptions& options = context_.options;
  const auto n = static_cast<std::int64_t>(context_.table.n_rows);
  return n / 2 >= options.min_leaf && context_.table.total_weight / 2 >= options.min_leaf_weight;
}

void SweepRun::book() {
  control_.release(booked_);
  booked_ = 0;
  const std::size_t n = context_.table.n_rows, rows = bytes_of_rows(context_.table, n);
  std::size_t bytes = 2 * rows + DepthTwoSearch::bytes(context_, n, control_.n_threads);
  if (context_.options.max_depth >= 3) {
    const std::size_t search = DepthTwoSearch::bytes(context_, n, 1);
    bytes += 2 * rows + static_cast<std::size_t>(control_.n_threads) * (rows + 2 * search);
  }
  control_.reserve(bytes, "a sweep over all thresholds");
  booked_ = bytes;
}

bool SweepRun::search(std::optional<double> upper_bound) {
  incumbent_.emplace(context_, upper_bound);
  upper_bound_ = upper_bound;
  open_ = 0;
  const SweepTable& table = context_.table;
  std::vector<std::int64_t> label_cost(static_cast<std::size_t>(table.n_classes), 0);
  for (std::size_t i = 0; i < table.n_rows; ++i) {
    for (std::int32_t p = 0; p < table.n_classes; ++p)
      label_cost[static_cast<std::size_t>(p)] += table.weight(i) * table.cost(table.labels[i], p);
  }
  const SweepLeaf leaf = leaf_of(label_cost);
  incumbent_->offer({leaf.cost, 1, 0, -1, 0}, leaf_tree(leaf.label));
  open_ = context_.penalty.objective(table.unavoidable, 2);
  note();
  if (context_.options.max_depth == 0) return true;
  if (!may_split()) {
    if (!incumbent_->is_within_bound()) return false;
    open_ = incumbent_->objective();
    note();
    return true;
  }

  book();
  control_.poll_or_throw();
  Team team(control_);
  rows_.emplace(all_rows(table, &team));
  SideCosts whole;
  search_depth_two(team, whole);
  if (context_.options.max_depth >= 3) {
    const FirstTree first = first_tree(context_, *rows_, incumbent_->tree(), control_, team);
    // Without a root: it yields to the tree that the search finds to be the first of those as good.
    incumbent_->offer({first.cost, first.tree.leaves(), depth_of(first.tree)}, first.tree);
    note();
    DepthThreeSearch search(context_, *rows_, whole, *incumbent_, mutex_);
    search.on_change = [&] {
      open_ = search.open_objective() + static_cast<double>(table.unavoidable);
      note();
    };
    search.run(team, control_);
  }
  if (!incumbent_->is_within_bound()) return false;
  open_ = incumbent_->objective();
  note();
  return true;
}

SweepResult SweepRun::result(const char* status) {
  make_tree();
  SweepResult result;
  result.tree = incumbent_->tree();
  result.cost = incumbent_->best().cost + context_.table.unavoidable;
  result.objective = incumbent_->objective();
  result.lower_bound = std::min(lower_bound_, result.objective);
  result.status = status;
  result.history = history_;
  return result;
}

}  // namespace

SweepResult sweep_tree(const SweepTable& table, const SweepOptions& options,
                       std::optional<double> upper_bound, Control& control,
                       const std::function<void(const SearchMoment&)>& progress) {
  const SweepContext context(table, options);
  SweepRun run(context, control, progress);
  control.watch_time();
  const auto asked = control.interrupted;
  control.interrupted = [&run, &asked] {
    run.tell();
    return run.error_of_progress || (asked && asked());
  };
  struct Restore {
    Control& control;
    const std::function<bool()>& asked;
    ~Restore() { control.interrupted = asked; }
  } restore{control, asked};
  try {
    if (!run.search(upper_bound)) run.search(std::nullopt);
    return run.result("optimal");
  } catch (const OutOfTime&) {
    return run.result("time_limit");
  } catch (const MemoryLimitReached&) {
    return run.result("memory_limit");
  } catch (const Interrupted&) {
    // Ctrl-C may come while `progress` is in Python.
    const std::exception_ptr error = run.error_of_progress ? run.error_of_progress : std::current_exception();
    if (!control.keeps_after(error)) std::rethrow_exception(error);
    return run.result("interrupted");
  }
}

}  // namespace thriftree
