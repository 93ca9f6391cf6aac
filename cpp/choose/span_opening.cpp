// Spans that may hold the best threshold of a column are opened, and their values looked at one by one.
#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <stdexcept>

#include "choose/chooser.hpp"
#include "choose/span_search.hpp"
#include "choose/wide_to_double.hpp"

namespace thriftree {

namespace {

// Candidates of a column in order: by threshold, and of one threshold missing values on the left first.
std::uint64_t order_of(std::size_t span, std::size_t position, bool missing_right) {
  return (static_cast<std::uint64_t>(span) << 33) + (static_cast<std::uint64_t>(position) << 1) +
         (missing_right ? 1 : 0);
}

using Entries = std::vector<SpanScratch::Entry>;

// By value. Mostly a span's values are spread evenly over their range: then each lies near its place.
void sort_entries(Entries& entries, Entries& spare, std::vector<std::uint32_t>& begin) {
  constexpr std::size_t few = 32, crowded = 24;
  const auto less = [](const auto& a, const auto& b) { return a.value < b.value; };
  const std::size_t n = entries.size();
  double low = entries[0].value, high = low;
  for (const auto& entry : entries) {
    low = entry.value < low ? entry.value : low;
    high = entry.value > high ? entry.value : high;
  }
  const std::size_t n_cells = std::bit_floor(n);
  const double scale = static_cast<double>(n_cells - 1) / (high - low);
  if (n <= few || !(scale > 0 && scale <= std::numeric_limits<double>::max()))
    return std::sort(entries.begin(), entries.end(), less);
  const auto cell = [&](double value) { return static_cast<std::size_t>((value - low) * scale); };
  begin.assign(n_cells + 2, 0);
  for (const auto& entry : entries) ++begin[cell(entry.value) + 2];
  for (std::size_t c = 2; c < begin.size(); ++c) begin[c] += begin[c - 1];
  spare.resize(n);
  for (const auto& entry : entries) spare[begin[cell(entry.value) + 1]++] = entry;
  entries.swap(spare);
  for (std::size_t c = 0; c < n_cells; ++c) {
    if (begin[c + 1] - begin[c] > crowded)
      std::sort(entries.begin() + begin[c], entries.begin() + begin[c + 1], less);
  }
  for (std::size_t i = 1; i < n; ++i) {  // within cells
    const auto moved = entries[i];
    std::size_t to = i;
    for (; to > 0 && moved.value < entries[to - 1].value; --to) entries[to] = entries[to - 1];
    entries[to] = moved;
  }
}

}  // namespace

void SpanSearch::score_exactly(const double* left, double left_total, Candidate candidate, double& best) {
  auto& branches = scratch_.branches;
  for (std::size_t k = 0; k < width_; ++k) {
    branches[k] = left[k];
    branches[width_ + k] = node_.sums[k] - left[k];
  }
  const double totals[2] = {left_total, node_.total - left_total};
  const BranchSums both(branches, totals);
  candidate.decrease = score_.decrease(node_.view(), both);
  candidate.score = score_.score(candidate.decrease, node_.view(), both);
  const double q = score_.filtered(candidate.decrease, node_.view());
  if (q < least(best)) return;
  candidates_.push_back(candidate);
  best = std::max(best, q);
  if (!clearly_better(highest_, candidate.score)) first_highest_ = std::min(first_highest_, candidate.order);
}

// Ends that may tie with the best.
void SpanSearch::score_ends(double& best) {
  const SpanSums& sums = scratch_.sums;
  const std::size_t n = sums.n_spans();
  std::vector<double> left(width_);
  for (std::size_t s = 0; s < n_sides(); ++s) {
    const auto side = static_cast<SideName>(s);
    const SpanScratch::Side& ends = scratch_.sides[s];
    const bool known_against_missing = side == kRight && sums.missing_rows > 0;
    for (std::size_t end = 1; end < n + (known_against_missing ? 1 : 0); ++end) {
      if (ends.q[end] < least(best)) continue;
      if (comes_too_late(order_of(end, 0, side == kRight))) break;
      Candidate candidate;
      candidate.span = end;
      candidate.side = side;
      candidate.missing_alone = end == n;
      candidate.order = order_of(end, 0, side == kRight);
      double total = left_sums(side, end, left.data());
      if (candidate.missing_alone) {
        for (std::size_t k = 0; k < width_; ++k) left[k] = node_.sums[k] - missing_[k];
        total = node_.total - missing_total_;
      }
      if (allowed(rows_at(side, end), total)) score_exactly(left.data(), total, candidate, best);
    }
  }
}

void SpanSearch::list_spans(double best) {
  auto& opened = scratch_.opened;
  const double enough = least(best);
  for (std::size_t span = 0; span < scratch_.sums.n_spans(); ++span) {
    if (comes_too_late(order_of(span, 1, false))) break;
    if (scratch_.sums.one_value(span)) continue;
    double upper = kNoScore;
    for (std::size_t s = 0; s < n_sides(); ++s) {
      const auto side = static_cast<SideName>(s);
      if (scratch_.sides[s].upper[span] >= enough && may_be_allowed(side, span))
        upper = std::max(upper, scratch_.sides[s].upper[span]);
    }
    if (upper > kNoScore && upper >= enough) opened.push_back({span, upper});
  }
}

// Spans that may hold the best threshold, and the values on both sides of every threshold that may be it.
void SpanSearch::wish(std::uint32_t column, double best, std::vector<SpanWish>& wishes) {
  SpanSums& sums = scratch_.sums;
  store_.sums(id_, column, worker_, sums);
  for (std::size_t s = 0; s < n_sides(); ++s) look_at_ends(static_cast<SideName>(s), least(best));
  auto& opened = scratch_.opened;
  opened.clear();
  list_spans(best);
  const std::size_t n = sums.n_spans();
  std::vector<std::uint8_t> ends(n + 1, 0);  // wanted, by span
  for (const auto& one : opened) {
    const std::int64_t rows = sums.rows[one.span + 1] - sums.rows[one.span];
    wishes.push_back({id_, column, one.span, true, one.upper, rows});
    // The first and the last value inside have neighbours there.
    if (one.span > 0) ends[one.span - 1] = 1;
    ends[one.span + 1] = one.span + 1 < n;
  }
  for (std::size_t s = 0; s < n_sides(); ++s) {
    for (std::size_t end = 1; end < n; ++end) {
      if (scratch_.sides[s].q[end] >= least(best)) ends[end - 1] = ends[end] = 1;
    }
  }
  for (const auto& one : opened) ends[one.span] = 0;
  for (std::size_t span = 0; span < n; ++span) {
    if (ends[span] && !sums.ends_known(span))
      wishes.push_back({id_, column, span, false, std::numeric_limits<double>::infinity(), 0});
  }
}

ColumnBest SpanSearch::open(std::uint32_t column, double& best) {
  SpanSums& sums = scratch_.sums;
  store_.sums(id_, column, worker_, sums);
  sum_missing();
  candidates_.clear();
  first_highest_ = std::numeric_limits<std::uint64_t>::max();
  for (std::size_t s = 0; s < n_sides(); ++s) look_at_ends(static_cast<SideName>(s), least(best));
  score_ends(best);
  auto& opened = scratch_.opened;
  opened.clear();
  if (store_.opens(column)) list_spans(best);
  bool one_value = sums.n_spans() == 1 && sums.missing_rows == 0;
  if (!opened.empty()) {
    if (store_.elsewhere()) throw std::logic_error("a span that may hold the best threshold stayed shut");
    scratch_.codes.clear();
    for (const auto& one : opened) scratch_.codes.push_back(sums.codes[one.span]);
    store_.gather(id_, column, scratch_.codes, scratch_.gathered);
    // The most promising first: the others may then be left shut.
    std::vector<std::size_t> places(opened.size());
    for (std::size_t i = 0; i < places.size(); ++i) places[i] = i;
    std::sort(places.begin(), places.end(), [&](std::size_t a, std::size_t b) {
      return opened[a].upper != opened[b].upper ? opened[a].upper > opened[b].upper : a < b;
    });
    for (const std::size_t place : places) {
      if (opened[place].upper < least(best)) break;
      if (comes_too_late(order_of(opened[place].span, 1, false))) continue;
      score_inside(column, place, best);
      one_value = one_value && scratch_.entries.front().value == scratch_.entries.back().value;
    }
  } else {
    one_value = false;
  }
  ColumnBest found = winner();
  if (!store_.opens(column)) {
    found.cut.reset();
    found.at_end = false;
  }
  found.constant = one_value;
  return found;
}

void SpanSearch::score_inside(std::uint32_t column, std::size_t place, double& best) {
  const GatheredRows& gathered = scratch_.gathered;
  const std::size_t begin = gathered.begin[place], n = gathered.begin[place + 1] - begin;
  scratch_.pairs.opened += static_cast<std::int64_t>(n);
  scratch_.values.resize(n);
  store_.values(column, std::span(gathered.rows).subspan(begin, n), scratch_.values.data());
  auto& entries = scratch_.entries;
  entries.resize(n);
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint32_t label = numbers() ? 0 : gathered.labels[begin + i];
    entries[i] = {scratch_.values[i], gathered.rows[begin + i], label};
  }
  sort_entries(entries, scratch_.spare_entries, scratch_.cells);
  const std::size_t span = scratch_.opened[place].span;
  for (std::size_t s = 0; s < n_sides(); ++s) score_entries(static_cast<SideName>(s), span, best);
}

void SpanSearch::score_entries(SideName side, std::size_t span, double& best) {
  const SpanSums& sums = scratch_.sums;
  const auto& entries = scratch_.entries;
  auto& weights = scratch_.weights;
  weights.resize(channels_.size());
  for (std::size_t k = 0; k < channels_.size(); ++k) weights[k] = sums.weight(k, span);
  std::int64_t rows = rows_at(side, span);
  int128 moment = numbers() ? sums.moments[span] : 0;
  scratch_.left.resize(kBatch * width_);
  scratch_.left_total.resize(kBatch);
  scratch_.positions.resize(kBatch);
  int m = 0;
  const auto score_batch = [&] {
    std::array<double, kBatch> q;
    score_.filter_prefixes(node_.view(), {m, scratch_.left.data(), scratch_.left_total.data()}, q.data());
    const double most = *std::max_element(q.begin(), q.begin() + m);
    const double enough = least(std::max(best, most));
    for (int i = 0; i < m; ++i) {
      const auto at = static_cast<std::size_t>(i);
      if (q[at] < enough) continue;
      const std::size_t position = scratch_.positions[at];
      Candidate candidate;
      candidate.order = order_of(span, position + 1, side == kRight);
      if (comes_too_late(candidate.order)) break;
      candidate.span = span;
      candidate.inside = true;
      candidate.side = side;
      candidate.cut = {entries[position].value, entries[position + 1].value};
      score_exactly(scratch_.left.data() + at * width_, scratch_.left_total[at], candidate, best);
    }
    m = 0;
  };
  constexpr std::size_t ahead = 16;
  // Where weights are all that is summed, a row changes the sum of its class alone.
  const bool alone = channels_.only_weights();
  auto& running = scratch_.running;
  running.resize(width_);
  double total = to_sums(side, weights.data(), 1, moment, running.data());
  const bool with_missing = side == kLeft;
  std::int64_t whole = 0;
  for (std::size_t k = 0; k < channels_.n_weights(); ++k) whole += weights[k];
  const auto add_alone = [&](const SpanScratch::Entry& entry) {
    const std::size_t k = numbers() ? 0 : entry.label;
    const std::int64_t w = channels_.weight(entry.row);
    whole += w;
    running[k] = static_cast<double>(weights[k] += w) * target_.growth_unit;
    if (with_missing) running[k] += missing_[k];
    if (numbers()) moment += channels_.moment(entry.row);
  };
  const auto copy_alone = [&](double* left) {
    if (numbers()) {
      running[1] = to_double(moment) * target_.moment_unit;
      if (with_missing) running[1] += missing_[1];
    }
    std::copy_n(running.data(), width_, left);
    const double known = static_cast<double>(whole) * target_.growth_unit;
    return with_missing ? missing_total_ + known : known;
  };
  for (std::size_t i = 0; i + 1 < entries.size(); ++i) {
    rows += channels_.rows_behind(entries[i].row);
    if (i + ahead < entries.size()) channels_.fetch(entries[i + ahead].row);
    if (alone) {
      add_alone(entries[i]);
    } else {
      channels_.add(entries[i].row, entries[i].label, weights.data());
    }
    if (entries[i].value == entries[i + 1].value) continue;
    const auto at = static_cast<std::size_t>(m);
    double* left = scratch_.left.data() + at * width_;
    total = alone ? copy_alone(left) : to_sums(side, weights.data(), 1, moment, left);
    if (!allowed(rows, total)) continue;
    scratch_.left_total[at] = total;
    scratch_.positions[at] = static_cast<std::uint32_t>(i);
    if (++m == kBatch) score_batch();
  }
  if (m > 0) score_batch();
}

// Of candidates that tie the first, as if all had been offered in order.
ColumnBest SpanSearch::winner() {
  ColumnBest best;
  std::sort(candidates_.begin(), candidates_.end(),
            [](const Candidate& a, const Candidate& b) { return a.order < b.order; });
  const Candidate* first = nullptr;
  for (const Candidate& candidate : candidates_) {
    if (!first || clearly_better(candidate.decrease, first->decrease)) first = &candidate;
  }
  if (!first) return best;
  const SpanSums& sums = scratch_.sums;
  best.found = true;
  best.decrease = first->decrease;
  best.score = first->score;
  best.missing_alone = first->missing_alone;
  best.missing = n_sides() == 1 ? -1 : first->side == kLeft ? 0 : 1;
  if (best.missing_alone) return best;
  best.lower = sums.codes[first->inside ? first->span : first->span - 1];
  best.upper = sums.codes[first->span];
  best.cut = first->cut;
  best.at_end = !first->inside;
  if (best.at_end && !sums.low.empty()) {
    best.cut = ValueCut{sums.high[first->span - 1], sums.low[first->span]};
    best.at_end = false;
  }
  return best;
}

void SpanSearch::resolve(SpanRows& store, int id, std::uint32_t column, SpanScratch& scratch,
                         ColumnBest& best) {
  const std::uint32_t codes[2] = {best.lower, best.upper};
  GatheredRows& gathered = scratch.gathered;
  store.gather(id, column, codes, gathered);
  scratch.values.resize(gathered.rows.size());
  store.values(column, gathered.rows, scratch.values.data());
  const auto middle = scratch.values.begin() + static_cast<std::ptrdiff_t>(gathered.begin[1]);
  best.cut = ValueCut{*std::max_element(scratch.values.begin(), middle),
                      *std::min_element(middle, scratch.values.end())};
  best.at_end = false;
}

}  // namespace thriftree
