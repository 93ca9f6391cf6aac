#include "search/sweep_depth3.hpp"

#include <algorithm>
#include <memory>

namespace thriftree {

namespace {

constexpr int kSideLeaves = 4;  // of a side at most

SideCosts lowered(const SideCosts& costs, std::int64_t by) {
  SideCosts lower{};
  for (std::size_t i = 1; i < lower.size(); ++i) lower[i] = std::max<std::int64_t>(costs[i] - by, 0);
  return lower;
}

SideCosts larger(const SideCosts& a, const SideCosts& b) {
  SideCosts most{};
  for (std::size_t i = 1; i < most.size(); ++i) most[i] = std::max(a[i], b[i]);
  return most;
}

// What a side may cost so that the tree matters, with an other side that costs `other` at least.
SweepLimits left_for(const SweepLimits& limits, const SideCosts& other) {
  SweepLimits most;
  most.fill(-1);
  for (std::size_t i = 1; i <= kSideLeaves; ++i) {
    for (std::size_t j = 1; j <= kSideLeaves; ++j) most[i] = std::max(most[i], limits[i + j] - other[j]);
  }
  return most;
}

int depth_of_leaves(int leaves) { return leaves >= 3 ? 2 : leaves - 1; }

}  // namespace

DepthThreeSearch::DepthThreeSearch(const SweepContext& context, const SweepRows& rows, const SideCosts& whole,
                                   SweepIncumbent& incumbent, std::mutex& mutex)
    : context_(context),
      rows_(rows),
      incumbent_(incumbent),
      mutex_(mutex),
      each_(context.options.max_leaves != 0 && context.options.max_leaves < 2 * kSideLeaves) {
  columns_.resize(rows.columns.size());
  for (std::size_t c = 0; c < rows.columns.size(); ++c) {
    Column& column = columns_[c];
    const auto order = rows.order(c);
    std::int64_t moved = 0;
    for (std::size_t i = 0; i < order.size(); ++i) {
      const std::uint32_t place = order[i] & kRowMask;
      moved += context.table.worst(rows.labels[place]) * rows.weight_of(place);
      if (!(order[i] & kEndOfRank) || i + 1 == order.size()) continue;
      column.cuts.push_back(context.table.rank(static_cast<std::size_t>(rows.columns[c]), rows.rows[place]));
      column.moved.push_back(moved);
    }
    push({static_cast<std::int32_t>(c),
          0,
          static_cast<std::int32_t>(column.cuts.size()) - 1,
          0,
          moved,
          {SideCosts{}, whole},
          {whole, SideCosts{}},
          0});
  }
}

std::int32_t DepthThreeSearch::cut_of(const Interval& interval, std::int32_t index) const {
  return columns_[static_cast<std::size_t>(interval.column)].cuts[static_cast<std::size_t>(index)];
}

bool DepthThreeSearch::of_interest(const SideCosts& left, const SideCosts& right,
                                   const SweepLimits& limits) const {
  for (std::size_t i = 1; i <= kSideLeaves; ++i) {
    for (std::size_t j = 1; j <= kSideLeaves; ++j) {
      if (left[i] + right[j] <= limits[i + j]) return true;
    }
  }
  return false;
}

double DepthThreeSearch::least_objective(const SideCosts& left, const SideCosts& right) const {
  double least = context_.penalty.objective(left[1] + right[1], 2);
  for (std::size_t i = 1; i <= kSideLeaves; ++i) {
    for (std::size_t j = 1; j <= kSideLeaves; ++j)
      least =
          std::min(least, context_.penalty.objective(left[i] + right[j], static_cast<std::int64_t>(i + j)));
  }
  return least;
}

void DepthThreeSearch::push(Interval interval) {
  if (interval.first > interval.last) return;
  interval.objective = least_objective(interval.before.left, interval.after.right);
  open_.push_back(interval);
  std::push_heap(open_.begin(), open_.end(),
                 [](const Interval& a, const Interval& b) { return a.objective > b.objective; });
}

// Leaves out the thresholds at both ends that cannot win, for what is known just beside them. False: none is
// left.
bool DepthThreeSearch::shrink(Interval& interval) const {
  const auto& moved = columns_[static_cast<std::size_t>(interval.column)].moved;
  const SweepLimits limits = incumbent_.limits(rows_.columns[static_cast<std::size_t>(interval.column)],
                                               cut_of(interval, interval.first));
  if (!of_interest(interval.before.left, interval.after.right, limits)) return false;
  const auto matters = [&](std::int32_t t) {
    const std::int64_t at = moved[static_cast<std::size_t>(t)];
    return of_interest(
        larger(interval.before.left, lowered(interval.after.left, interval.moved_after - at)),
        larger(interval.after.right, lowered(interval.before.right, at - interval.moved_before)), limits);
  };
  while (interval.first <= interval.last && !matters(interval.first)) ++interval.first;
  while (interval.first <= interval.last && !matters(interval.last)) --interval.last;
  return interval.first <= interval.last;
}

void DepthThreeSearch::offer(const Workspace& space, std::int32_t column, std::int32_t cut) {
  for (int i = 1; i <= kSideLeaves; ++i) {
    for (int j = 1; j <= kSideLeaves; ++j) {
      const SweepTest &left = space.search[0].found(i), &right = space.search[1].found(j);
      if (left.cost == kNoSweep || right.cost == kNoSweep) continue;
      if (context_.options.max_leaves != 0 && i + j > context_.options.max_leaves) continue;
      const SweepRank rank{left.cost + right.cost, i + j,
                           1 + std::max(depth_of_leaves(i), depth_of_leaves(j)), column, cut};
      const SweepRank& best = incumbent_.best();
      const bool same_root = best.column == column && best.cut == cut && best.cost == rank.cost &&
                             best.leaves == rank.leaves && best.depth == rank.depth;
      if (!same_root && incumbent_.is_there() && !incumbent_.is_better(rank)) continue;
      const SweepTree tree = joined(column, cut, tree_of(context_, space.rows[0], i, left),
                                    tree_of(context_, space.rows[1], j, right));
      if (same_root && precedes(tree, incumbent_.tree()))
        incumbent_.replace(tree);
      else
        incumbent_.offer(rank, tree);
    }
  }
}

// Both sides of the middle threshold, as exactly as they can matter: the left side for it and all above,
// where the right side costs no less than at the interval's end; the right side likewise.
void DepthThreeSearch::look(Interval interval, Workspace& space, const std::function<void()>& poll) {
  const std::int32_t middle = interval.first + (interval.last - interval.first) / 2;
  const std::int32_t column = rows_.columns[static_cast<std::size_t>(interval.column)],
                     cut = cut_of(interval, middle);
  SweepLimits limits;
  {
    std::lock_guard lock(mutex_);
    limits = incumbent_.limits(column, cut_of(interval, interval.first));
  }
  mark_sides(context_.table, rows_, column, cut, space.marks);
  divide(context_.table, rows_, space.marks, space.rows);
  Sides known;
  for (const std::size_t side : {0, 1}) {
    const SideCosts& other = side == 0 ? interval.after.right : interval.before.left;
    space.search[side].start(space.rows[side], left_for(limits, other), each_);
    space.search[side].finish(poll);
    (side == 0 ? known.left : known.right) = space.search[side].free_costs();
  }
  known.left = larger(known.left, interval.before.left);
  known.right = larger(known.right, interval.after.right);
  const std::int64_t moved =
      columns_[static_cast<std::size_t>(interval.column)].moved[static_cast<std::size_t>(middle)];
  std::lock_guard lock(mutex_);
  offer(space, column, cut);
  Interval below = interval, above = interval;
  below.last = middle - 1, below.moved_after = moved, below.after = known;
  above.first = middle + 1, above.moved_before = moved, above.before = known;
  push(below);
  push(above);
}

void DepthThreeSearch::work(Workspace& space, const std::function<void()>& poll) {
  std::unique_lock lock(mutex_);
  const auto is_less = [](const Interval& a, const Interval& b) { return a.objective > b.objective; };
  while (!stopped_) {
    if (open_.empty()) {
      if (under_way_.empty()) break;
      changed_.wait_for(lock, std::chrono::milliseconds(5));
      lock.unlock();
      poll();
      lock.lock();
      continue;
    }
    std::pop_heap(open_.begin(), open_.end(), is_less);
    Interval interval = open_.back();
    open_.pop_back();
    if (!shrink(interval)) continue;
    under_way_.push_back(interval.objective);
    lock.unlock();
    look(interval, space, poll);
    lock.lock();
    under_way_.erase(std::find(under_way_.begin(), under_way_.end(), interval.objective));
    if (on_change) on_change();
    changed_.notify_all();
  }
  changed_.notify_all();
}

void DepthThreeSearch::run(Team& team, Control& control) {
  std::vector<std::unique_ptr<Workspace>> spaces;
  for (int worker = 0; worker < team.size(); ++worker)
    spaces.push_back(std::make_unique<Workspace>(context_));
  team.run(static_cast<std::size_t>(team.size()), [&](std::size_t task, int worker) {
    try {
      work(*spaces[task], control.poll_on(worker));
    } catch (...) {
      std::lock_guard lock(mutex_);
      stopped_ = true;
      changed_.notify_all();
      throw;
    }
  });
}

double DepthThreeSearch::open_objective() const {
  double least = open_.empty() ? static_cast<double>(kNoSweep) : open_.front().objective;
  for (const double objective : under_way_) least = std::min(least, objective);
  return least;
}

}  // namespace thriftree
