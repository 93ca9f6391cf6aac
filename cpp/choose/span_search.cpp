#include "choose/span_search.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "choose/chooser.hpp"
#include "choose/wide_to_double.hpp"
#include "run/cpu.hpp"

namespace thriftree {

namespace {

// to[i] = (from[i] + missing) * unit, and total[i] with it.
void add_weights(const std::int64_t* from, std::size_t m, std::int64_t missing, double unit, double* to,
                 double* total) {
  for (std::size_t i = 0; i < m; ++i) {
    to[i] = static_cast<double>(from[i] + missing) * unit;
    total[i] += to[i];
  }
}
// The same for counts, which are below 2^52: their bits behind those of 2^52 are that much more than it, and
// vector code can do that on every machine.
THRIFTREE_BY_CPU(void, add_counts,
                 (const std::int64_t* from, std::size_t m, std::int64_t missing, [[maybe_unused]] double unit,
                  double* to, double* total),
                 (from, m, missing, unit, to, total)) {
  constexpr std::int64_t bits = 0x4330000000000000;
  for (std::size_t i = 0; i < m; ++i) {
    to[i] = std::bit_cast<double>((from[i] + missing) | bits) - 0x1p52;
    total[i] += to[i];
  }
}

}  // namespace

SpanSearch::SpanSearch(const Score& score, const NodeTotals& node, const BranchLimits& limits,
                       SpanRows& store, int id, int worker, SpanScratch& scratch)
    : score_(score),
      bound_(*score.bound()),
      node_(node),
      limits_(limits),
      store_(store),
      target_(store.target()),
      channels_(store.channels(id)),
      id_(id),
      worker_(worker),
      scratch_(scratch),
      width_(score.width(node.view())),
      error_(score.filter_error(node.view())),
      highest_(score.highest_score(node.view())) {
  scratch_.branches.resize(2 * width_);
}

SpanEnds SpanSearch::ends_of(SideName side) const {
  const SpanScratch::Side& ends = scratch_.sides[side];
  const std::size_t m = scratch_.sums.n_spans() + 1;
  return {static_cast<int>(m),         ends.left.data(), m,
          ends.left_total.data(),      node_.lowest,     node_.highest,
          scratch_.sums.squares.data()};
}

// Sums of a left branch as doubles: of known values, and on top of them those of missing ones.
double SpanSearch::to_sums(SideName side, const std::int64_t* weights, std::size_t stride, int128 moment,
                           double* left) const {
  const bool with_missing = side == kLeft;
  std::int64_t total = 0;
  for (std::size_t k = 0; k < channels_.size(); ++k) {
    total += k < channels_.n_weights() ? weights[k * stride] : 0;
    left[k] = static_cast<double>(weights[k * stride]) * channels_.unit(k);
    if (with_missing) left[k] += missing_[k];
  }
  if (numbers()) {
    left[1] = to_double(moment) * target_.moment_unit;
    if (with_missing) left[1] += missing_[1];
  }
  const double known = static_cast<double>(total) * target_.growth_unit;
  return with_missing ? missing_total_ + known : known;
}

double SpanSearch::left_sums(SideName side, std::size_t end, double* left) const {
  const SpanSums& sums = scratch_.sums;
  return to_sums(side, sums.weights.data() + end, sums.stride, numbers() ? sums.moments[end] : 0, left);
}

// What is missing at the node, of the column whose sums are at hand.
void SpanSearch::sum_missing() {
  const SpanSums& sums = scratch_.sums;
  missing_.assign(width_, 0.0);
  missing_total_ = 0;
  if (sums.missing_rows == 0) return;
  missing_total_ = to_sums(kRight, sums.missing_weights.data(), 1, sums.missing_moment, missing_.data());
}

void SpanSearch::look_at_ends(SideName side, double enough) {
  const SpanSums& sums = scratch_.sums;
  SpanScratch::Side& ends = scratch_.sides[side];
  const std::size_t m = sums.n_spans() + 1;
  ends.left.resize(width_ * m);
  ends.left_total.assign(m, 0.0);
  // Sums behind the weights are no part of the total.
  scratch_.ignored_total.assign(channels_.only_weights() ? 0 : m, 0.0);
  for (std::size_t k = 0; k < channels_.size(); ++k) {
    const std::int64_t missing = side == kLeft ? sums.missing_weights[k] : 0;
    const auto convert = target_.weighted ? add_weights : add_counts;
    convert(sums.weights.data() + k * sums.stride, m, missing, channels_.unit(k), ends.left.data() + k * m,
            k < channels_.n_weights() ? ends.left_total.data() : scratch_.ignored_total.data());
  }
  if (numbers()) {
    const int128 missing = side == kLeft ? sums.missing_moment : 0;
    for (std::size_t i = 0; i < m; ++i)
      ends.left[m + i] = to_double(sums.moments[i] + missing) * target_.moment_unit;
  }
  ends.q.resize(m);
  ends.upper.resize(m);
  // A bound sees as many ends at once as columns of spans have; opened elsewhere, they have more.
  const SpanEnds all = ends_of(side);
  for (std::size_t begin = 0; begin + 1 < std::max<std::size_t>(m, 2); begin += SpanEnds::most - 1) {
    SpanEnds some = all;
    some.m = static_cast<int>(std::min(m - begin, SpanEnds::most));
    some.left += begin;
    some.left_total += begin;
    if (some.squares) some.squares += begin;
    const double before = begin > 0 ? ends.q[begin] : kNoScore;
    bound_.look(node_.view(), some, enough, ends.q.data() + begin, ends.upper.data() + begin);
    ends.q[begin] = std::max(ends.q[begin], before);
  }
}

// Could a threshold inside a span leave enough on both sides?
bool SpanSearch::may_be_allowed(SideName side, std::size_t span) const {
  const std::int64_t first = rows_at(side, span) + 1, last = rows_at(side, span + 1) - 1;
  if (scratch_.sums.rows_known && (first > last || last < limits_.rows || node_.rows - first < limits_.rows))
    return false;
  const auto& total = scratch_.sides[side].left_total;
  return limits_.weight <= 0 ||
         (total[span + 1] >= limits_.weight && node_.total - total[span] >= limits_.weight);
}

// By rows the allowed thresholds are one interval, as rows rise from end to end.
SpanSearch::Within SpanSearch::ends_within(SideName side) const {
  const auto& rows = scratch_.sums.rows;
  const std::size_t n = scratch_.sums.n_spans();
  const std::int64_t missing = rows_at(side, 0);
  const bool known_against_missing = side == kRight && scratch_.sums.missing_rows > 0;
  if (!scratch_.sums.rows_known) return {1, n + known_against_missing};
  const auto first = rows.begin() + 1,
             last = rows.begin() + static_cast<std::ptrdiff_t>(n + known_against_missing);
  const auto begin = std::lower_bound(first, last, limits_.rows - missing);
  const auto end = std::upper_bound(begin, last, node_.rows - limits_.rows - missing);
  return {static_cast<std::size_t>(begin - rows.begin()), static_cast<std::size_t>(end - rows.begin())};
}

SpanSearch::Within SpanSearch::spans_within(SideName side) const {
  const auto& rows = scratch_.sums.rows;
  const auto n = static_cast<std::ptrdiff_t>(scratch_.sums.n_spans());
  if (!scratch_.sums.rows_known) return {0, scratch_.sums.n_spans()};
  const std::int64_t missing = rows_at(side, 0);
  // After the first row of the span and before its last.
  const auto begin = std::lower_bound(rows.begin() + 1, rows.begin() + n + 1, limits_.rows - missing + 1);
  const auto end = std::upper_bound(rows.begin(), rows.begin() + n, node_.rows - limits_.rows - missing - 1);
  return {static_cast<std::size_t>(begin - rows.begin() - 1), static_cast<std::size_t>(end - rows.begin())};
}

SpanLook SpanSearch::look(std::uint32_t column, double enough) {
  SpanSums& sums = scratch_.sums;
  store_.sums(id_, column, worker_, sums);
  SpanLook result;
  const bool opens = store_.opens(column);
  result.constant = sums.n_spans() + (sums.missing_rows > 0 ? 1 : 0) < 2 &&
                    (!opens || sums.n_spans() == 0 || sums.one_value(0));
  if (result.constant) return result;
  for (std::size_t s = 0; s < n_sides(); ++s) {
    const auto side = static_cast<SideName>(s);
    look_at_ends(side, least(enough));
    const SpanScratch::Side& ends = scratch_.sides[s];
    const Within within = ends_within(side);
    for (std::size_t end = within.begin; end < within.end; ++end) {
      const bool allows = limits_.weight <= 0 || allowed(rows_at(side, end), ends.left_total[end]);
      result.best = allows && ends.q[end] > result.best ? ends.q[end] : result.best;
    }
    const Within spans = opens ? spans_within(side) : Within{};
    for (std::size_t span = spans.begin; span < spans.end; ++span) {
      const bool several =
          (!sums.rows_known || sums.rows[span + 1] - sums.rows[span] > 1) && !sums.one_value(span);
      result.reach = several && ends.upper[span] > result.reach ? ends.upper[span] : result.reach;
    }
  }
  return result;
}

}  // namespace thriftree
