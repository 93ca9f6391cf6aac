#include "search/sweep_depth2.hpp"

#include <algorithm>
#include <numeric>

namespace thriftree {

namespace {

bool comes_before(std::int32_t column, std::int32_t cut, const SweepTest& test) {
  return column < test.column || (column == test.column && cut < test.cut);
}

// The first of `n` for which `holds` is false; `holds` is true before it and false from it on.
template <class Holds>
std::int32_t first_without(std::int32_t begin, std::int32_t end, Holds&& holds) {
  while (begin < end) {
    const std::int32_t middle = begin + (end - begin) / 2;
    if (holds(middle))
      begin = middle + 1;
    else
      end = middle;
  }
  return begin;
}

}  // namespace

void DepthTwoSearch::start(const SweepRows& rows, const SweepLimits& limits, bool each, Team* team) {
  rows_ = &rows;
  limits_ = limits;
  each_ = each;
  found_.fill({});
  best_leaves_ = 0;
  leaf_ = leaf_of(rows.label_cost);
  scan_splits(context_.table, rows, context_.options, scan_, team);
  if (is_large_enough(context_.options, rows.size(), rows.weight)) offer(1, leaf_.cost, -1, 0);
  if (scan_.best.cost < kNoSweep) offer(2, scan_.best.cost, scan_.best.column, scan_.best.cut);
  closed_ = {kNoSweep, kNoSweep};
  if (limits[3] < 0 && limits[4] < 0) closed_ = {0, 0};  // not looked at
  if (columns_.size() < rows.columns.size()) columns_.resize(rows.columns.size());
  for_each(team, rows.columns.size(), [&](std::size_t c) {
    columns_[c].open.clear();
    if (limits[3] >= 0 || limits[4] >= 0) start_column(c);
  });
}

void DepthTwoSearch::start_column(std::size_t c) {
  Column& column = columns_[c];
  const auto order = rows_->order(c);
  column.ends.clear(), column.moved.clear();
  std::int64_t moved = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const std::uint32_t place = order[i] & kRowMask;
    moved += context_.table.worst(rows_->labels[place]) * rows_->weight_of(place);
    if (!(order[i] & kEndOfRank) || i + 1 == order.size()) continue;
    column.ends.push_back(static_cast<std::uint32_t>(i));
    column.moved.push_back(moved);
  }
  const std::int64_t leaf = leaf_.cost,
                     split =
                         std::min(leaf, *std::min_element(scan_.free_cost.begin(), scan_.free_cost.end()));
  column.open.push_back({0,
                         static_cast<std::int32_t>(column.ends.size()) - 1,
                         0,
                         moved,
                         {0, 0, leaf, split},
                         {leaf, split, 0, 0},
                         0});
  column.by_column.assign(2 * rows_->columns.size(), 0);
}

std::int32_t DepthTwoSearch::cut_of(std::size_t c, std::int32_t index) const {
  const std::uint32_t place = rows_->order(c)[columns_[c].ends[static_cast<std::size_t>(index)]] & kRowMask;
  return context_.table.rank(static_cast<std::size_t>(rows_->columns[c]), rows_->rows[place]);
}

std::int64_t DepthTwoSearch::limit(int leaves, bool first_wins) const {
  std::int64_t most = limits_[static_cast<std::size_t>(leaves)];
  if (each_) {
    for (int fewer = 1; fewer < leaves; ++fewer) most = std::min(most, found(fewer).cost - 1);
    return std::min(most, found(leaves).cost - (first_wins ? 0 : 1));
  }
  if (best_leaves_ == 0) return most;
  const std::int64_t best = found(best_leaves_).cost;
  if (leaves < best_leaves_) return std::min(most, best + context_.penalty.whole(best_leaves_ - leaves));
  if (leaves > best_leaves_) return std::min(most, best - context_.penalty.whole(leaves - best_leaves_) - 1);
  return std::min(most, best - (first_wins ? 0 : 1));
}

// Of trees as good as the best one, those at roots from this threshold on matter if they come before it.
bool DepthTwoSearch::of_interest(const LowerCosts& lower, std::size_t c, std::int32_t index) const {
  if (lower.three <= limit(3, false) || lower.four <= limit(4, false)) return true;
  const bool may_tie3 = lower.three <= limit(3, true), may_tie4 = lower.four <= limit(4, true);
  if (!may_tie3 && !may_tie4) return false;
  const std::int32_t column = rows_->columns[c], cut = cut_of(c, index);
  return (may_tie3 && comes_before(column, cut, found(3))) ||
         (may_tie4 && comes_before(column, cut, found(4)));
}

DepthTwoSearch::LowerCosts DepthTwoSearch::lower_costs(const Sides& before, const Sides& after) const {
  return {std::min(before.left1 + after.right2, before.left2 + after.right1), before.left2 + after.right2};
}

void DepthTwoSearch::close(const LowerCosts& lower) {
  closed_ = {std::min(closed_.three, lower.three), std::min(closed_.four, lower.four)};
}

void DepthTwoSearch::offer(int leaves, std::int64_t cost, std::int32_t column, std::int32_t cut) {
  SweepTest& best = found_[static_cast<std::size_t>(leaves)];
  if (cost > limit(leaves, comes_before(column, cut, best))) return;
  best = {cost, column, cut};
  if (!each_ && best_leaves_ != leaves && best_leaves_ != 0)
    found_[static_cast<std::size_t>(best_leaves_)] = {};
  if (!each_ || best_leaves_ == 0) {
    best_leaves_ = leaves;
    return;
  }
  // Of several the best by the objective, and of equals the smaller one.
  best_leaves_ = 0;
  for (int i = 1; i <= 4; ++i) {
    if (found(i).cost == kNoSweep) continue;
    if (best_leaves_ == 0 ||
        context_.penalty.compare(found(i).cost, i, found(best_leaves_).cost, best_leaves_) < 0)
      best_leaves_ = i;
  }
}

// Leaves out the thresholds at both ends that cannot win, for what is known just beside them. False: none is
// left.
bool DepthTwoSearch::shrink(std::size_t c, Interval& interval) {
  const Column& column = columns_[c];
  const Sides &before = interval.before, &after = interval.after;
  const std::int32_t begin = interval.first;
  if (const LowerCosts all = lower_costs(before, after); !of_interest(all, c, begin)) {
    close(all);
    return false;
  }
  const auto near_before = [&](std::int32_t t) {
    const std::int64_t gone = column.moved[static_cast<std::size_t>(t)] - interval.moved_before;
    return lower_costs(before, {0, 0, std::max(after.right1, before.right1 - gone),
                                std::max(after.right2, before.right2 - gone)});
  };
  const auto near_after = [&](std::int32_t t) {
    const std::int64_t gone = interval.moved_after - column.moved[static_cast<std::size_t>(t)];
    return lower_costs(
        {std::max(before.left1, after.left1 - gone), std::max(before.left2, after.left2 - gone), 0, 0},
        after);
  };
  const std::int32_t first = first_without(interval.first, interval.last + 1, [&](std::int32_t t) {
    return !of_interest(near_before(t), c, begin);
  });
  if (first > interval.first) close(near_before(first - 1));
  interval.first = first;
  const std::int32_t end = first_without(interval.first, interval.last + 1, [&](std::int32_t t) {
    return of_interest(near_after(t), c, begin);
  });
  if (end <= interval.last) close(near_after(end));
  interval.last = end - 1;
  return interval.first <= interval.last;
}

// Lanes for the open intervals of a column: all thresholds if they are few, else some of each, evenly.
void DepthTwoSearch::spread(const Column& column, Look& look) const {
  const auto lanes = static_cast<std::size_t>(context_.options.lanes);
  std::int64_t thresholds = 0;
  for (const Interval& interval : column.open) thresholds += interval.last - interval.first + 1;
  std::vector<std::int32_t> chosen(column.open.size());
  std::iota(chosen.begin(), chosen.end(), 0);
  if (chosen.size() > lanes) {
    std::stable_sort(chosen.begin(), chosen.end(), [&](std::int32_t a, std::int32_t b) {
      const Interval &x = column.open[static_cast<std::size_t>(a)],
                     &y = column.open[static_cast<std::size_t>(b)];
      return x.before.left2 + x.after.right2 < y.before.left2 + y.after.right2;
    });
    chosen.resize(lanes);
    std::sort(chosen.begin(), chosen.end());
  }
  const auto spare = static_cast<std::int64_t>(lanes - chosen.size());
  for (const std::int32_t i : chosen) {
    const Interval& interval = column.open[static_cast<std::size_t>(i)];
    const std::int64_t size = interval.last - interval.first + 1;
    const std::int64_t share =
        thresholds <= context_.options.lanes ? size : 1 + std::min(size - 1, spare * size / thresholds);
    for (std::int64_t j = 0; j < share; ++j) {
      look.interval.push_back(i);
      look.cut.push_back(interval.first + static_cast<std::int32_t>((j + 1) * size / (share + 1)));
      look.positions.push_back(column.ends[static_cast<std::size_t>(look.cut.back())]);
    }
  }
}

// A column is useful if, split by it, a side of some threshold in the look may be part of a tree that wins.
void DepthTwoSearch::find_useful(const Column& column, Look& look) const {
  const std::size_t n = rows_->columns.size();
  const std::int64_t three = limit(3, true), four = limit(4, true);
  for (std::size_t g = 0; g < n; ++g) {
    std::int32_t seen = -1;
    for (const std::int32_t i : look.interval) {
      if (i == seen) continue;
      seen = i;
      const Interval& interval = column.open[static_cast<std::size_t>(i)];
      const std::int64_t left = column.by_column[interval.by_column + g],
                         right = column.by_column[interval.by_column + n + g];
      if (left + interval.after.right1 <= three || left + interval.after.right2 <= four ||
          interval.before.left1 + right <= three || interval.before.left2 + right <= four) {
        look.split_by.push_back(g);
        break;
      }
    }
  }
}

bool DepthTwoSearch::plan(std::size_t c, Look& look) {
  Column& column = columns_[c];
  std::erase_if(column.open, [&](Interval& interval) { return !shrink(c, interval); });
  if (column.open.empty()) return false;
  look.column = c;
  look.interval.clear(), look.cut.clear(), look.positions.clear(), look.split_by.clear();
  spread(column, look);
  find_useful(column, look);
  look.answers.resize(look.split_by.size());
  return true;
}

void DepthTwoSearch::answer(Look& look, std::size_t at, int worker) {
  context_.lanes.split(*rows_, look.batch, rows_->order(look.split_by[at]),
                       scratch_[static_cast<std::size_t>(worker)], look.answers[at]);
}

// What is known of a lane's sides now, split by each column and by the best one. A column that was not looked
// at keeps what was known of the interval.
DepthTwoSearch::Sides DepthTwoSearch::sides_of(const Look& look, std::size_t lane, const Interval& parent,
                                               std::int64_t* left, std::int64_t* right) const {
  const std::size_t n = rows_->columns.size();
  const auto k = static_cast<std::size_t>(context_.table.n_classes);
  const std::int64_t* known = columns_[look.column].by_column.data() + parent.by_column;
  std::copy(known, known + n, left);
  std::copy(known + n, known + 2 * n, right);
  for (std::size_t at = 0; at < look.split_by.size(); ++at) {
    left[look.split_by[at]] = look.answers[at].left[lane];
    right[look.split_by[at]] = look.answers[at].right[lane];
  }
  Sides sides{kNoSweep, kNoSweep, kNoSweep, kNoSweep};
  for (std::size_t p = 0; p < k; ++p) {
    const std::int64_t cost = look.batch.left_cost[lane * k + p];
    sides.left1 = std::min(sides.left1, cost);
    sides.right1 = std::min(sides.right1, rows_->label_cost[p] - cost);
  }
  sides.left2 = std::min(sides.left1, *std::min_element(left, left + n));
  sides.right2 = std::min(sides.right1, *std::min_element(right, right + n));
  return sides;
}

void DepthTwoSearch::offer_lane(const Look& look, std::size_t lane, const Sides& sides) {
  const SweepOptions& options = context_.options;
  Sides kept = sides;
  if (options.min_leaf > 1 || options.min_leaf_weight > 0) {
    const std::size_t n_left = look.batch.left_rows[lane];
    const std::int64_t weight = look.batch.left_weight[lane];
    if (!is_large_enough(options, n_left, weight)) kept.left1 = kNoSweep;
    if (!is_large_enough(options, rows_->size() - n_left, rows_->weight - weight)) kept.right1 = kNoSweep;
    kept.left2 = kept.right2 = kNoSweep;
    for (const LaneAnswer& answer : look.answers) {
      kept.left2 = std::min(kept.left2, answer.kept_left[lane]);
      kept.right2 = std::min(kept.right2, answer.kept_right[lane]);
    }
  }
  const LowerCosts costs = lower_costs(kept, kept);
  if (costs.three > limit(3, true) && costs.four > limit(4, true)) return;
  const std::int32_t column = rows_->columns[look.column], cut = cut_of(look.column, look.cut[lane]);
  if (costs.three < kNoSweep) offer(3, costs.three, column, cut);
  if (costs.four < kNoSweep) offer(4, costs.four, column, cut);
}

// Takes the answers in: what was found, and the intervals between the thresholds that are known now.
void DepthTwoSearch::absorb(Look& look) {
  Column& column = columns_[look.column];
  const std::size_t n = rows_->columns.size();
  std::vector<Interval> open;
  std::vector<std::int64_t> by_column;
  const auto push = [&](Interval interval, const std::int64_t* left, const std::int64_t* right) {
    if (interval.first > interval.last) return;
    interval.by_column = by_column.size();
    by_column.insert(by_column.end(), left, left + n);
    by_column.insert(by_column.end(), right, right + n);
    open.push_back(interval);
  };
  std::vector<std::int64_t> left(n), right(n), left_before(n);
  std::size_t lane = 0;
  for (std::size_t i = 0; i < column.open.size(); ++i) {
    Interval rest = column.open[i];
    const std::int64_t* known = column.by_column.data() + rest.by_column;
    left_before.assign(known, known + n);
    for (; lane < look.interval.size() && look.interval[lane] == static_cast<std::int32_t>(i); ++lane) {
      const Sides sides = sides_of(look, lane, column.open[i], left.data(), right.data());
      offer_lane(look, lane, sides);
      close(lower_costs(sides, sides));
      Interval part = rest;
      part.last = look.cut[lane] - 1;
      part.after = sides;
      rest.moved_before = part.moved_after = column.moved[static_cast<std::size_t>(look.cut[lane])];
      push(part, left_before.data(), right.data());
      rest.first = look.cut[lane] + 1;
      rest.before = sides;
      left_before.swap(left);
    }
    push(rest, left_before.data(), known + n);
  }
  column.open = std::move(open);
  column.by_column = std::move(by_column);
}

// Answers take memory by columns²: of very many columns, some at a time.
std::size_t DepthTwoSearch::looks_at_once(std::size_t n_columns, int n_threads) {
  if (n_threads <= 1) return 1;
  return std::min(n_columns,
                  std::max<std::size_t>(static_cast<std::size_t>(4 * n_threads), 4096 / (n_columns + 1)));
}

std::size_t DepthTwoSearch::bytes(const SweepContext& context, std::size_t n_rows, int n_threads) {
  const std::size_t columns = context.table.n_columns, looks = looks_at_once(columns, n_threads);
  const std::size_t ends = columns * n_rows * (sizeof(std::uint32_t) + sizeof(std::int64_t));
  const std::size_t intervals = columns * kBins * (sizeof(Interval) + 2 * columns * sizeof(std::int64_t));
  return ends + intervals + looks * (2 * n_rows + columns * sizeof(LaneAnswer)) +
         static_cast<std::size_t>(n_threads) * context.lanes.bytes_of_scratch(n_rows);
}

void DepthTwoSearch::look_together(Team& team, std::size_t n_looks) {
  team.run(n_looks, [&](std::size_t i, int) {
    Look& look = looks_[i];
    look.batch.assign(context_.table, *rows_, rows_->order(look.column), look.positions);
  });
  std::vector<std::pair<std::size_t, std::size_t>> tasks;
  for (std::size_t i = 0; i < n_looks; ++i) {
    for (std::size_t at = 0; at < looks_[i].split_by.size(); ++at) tasks.emplace_back(i, at);
  }
  team.run(tasks.size(),
           [&](std::size_t i, int worker) { answer(looks_[tasks[i].first], tasks[i].second, worker); });
  for (std::size_t i = 0; i < n_looks; ++i) absorb(looks_[i]);
}

bool DepthTwoSearch::step(Team* team, const std::function<void()>& poll) {
  const std::size_t n = rows_->columns.size();
  const int n_threads = team ? team->size() : 1;
  const std::size_t at_once = looks_at_once(n, n_threads);
  looks_.resize(std::max(looks_.size(), at_once));
  scratch_.resize(static_cast<std::size_t>(n_threads));
  std::size_t n_looks = 0;
  for (std::size_t c = 0; c < n; ++c) {
    if (!columns_[c].open.empty() && plan(c, looks_[n_looks])) ++n_looks;
    if (n_looks == 0 || (n_looks < at_once && c + 1 < n)) continue;
    poll();
    if (team) {
      look_together(*team, n_looks);
    } else {
      Look& look = looks_[0];
      look.batch.assign(context_.table, *rows_, rows_->order(look.column), look.positions);
      for (std::size_t at = 0; at < look.split_by.size(); ++at) answer(look, at, 0);
      absorb(look);
    }
    n_looks = 0;
  }
  return std::any_of(columns_.begin(), columns_.begin() + static_cast<std::ptrdiff_t>(n),
                     [](const Column& column) { return !column.open.empty(); });
}

SideCosts DepthTwoSearch::open_costs() const {
  LowerCosts open{kNoSweep, kNoSweep};
  for (std::size_t c = 0; c < rows_->columns.size(); ++c) {
    for (const Interval& interval : columns_[c].open) {
      const LowerCosts lower = lower_costs(interval.before, interval.after);
      open = {std::min(open.three, lower.three), std::min(open.four, lower.four)};
    }
  }
  return {kNoSweep, kNoSweep, kNoSweep, open.three, std::min(open.three, open.four)};
}

SideCosts DepthTwoSearch::free_costs() const {
  const SideCosts open = open_costs();
  SideCosts lower{kNoSweep, leaf_.cost, leaf_.cost, 0, 0};
  for (const std::int64_t cost : scan_.free_cost) lower[2] = std::min(lower[2], cost);
  lower[3] = std::min({lower[2], closed_.three, open[3]});
  lower[4] = std::min({lower[3], closed_.four, open[4]});
  return lower;
}

}  // namespace thriftree
