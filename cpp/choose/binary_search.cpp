#include "choose/binary_search.hpp"

#include <algorithm>
#include <array>
#include <numeric>

#include "choose/chooser.hpp"
#include "rows/exact_sums.hpp"
#include "run/cpu.hpp"

namespace thriftree {

namespace {

// Sets q to "none" where a candidate is not allowed and returns the largest; q and allowed have room for
// kBatch entries.
THRIFTREE_BY_CPU(double, mask_and_maximum, (double* q, std::uint8_t* allowed, int m), (q, allowed, m)) {
  constexpr int lanes = 8;  // independent maxima, so that the loop becomes vector code
  std::array<double, lanes> best;
  best.fill(kNoScore);
  const int padded = (m + lanes - 1) / lanes * lanes;
  for (int i = m; i < padded; ++i) allowed[i] = 0;
  for (int i = 0; i < padded; i += lanes) {
    for (int j = 0; j < lanes; ++j) {
      const double value = allowed[i + j] ? q[i + j] : kNoScore;
      q[i + j] = value;
      best[static_cast<std::size_t>(j)] =
          value > best[static_cast<std::size_t>(j)] ? value : best[static_cast<std::size_t>(j)];
    }
  }
  return *std::max_element(best.begin(), best.end());
}

}  // namespace

BinarySearch::BinarySearch(const Score& score, const NodeTotals& node, const BranchLimits& limits,
                           SearchScratch& scratch)
    : score_(score),
      node_(node),
      limits_(limits),
      width_(static_cast<int>(score.width(node.view()))),
      error_(score.filter_error(node.view())),
      largest_(score.largest_decrease()),
      scratch_(scratch) {
  scratch_.branches.resize(static_cast<std::size_t>(2 * width_));
  scratch_.best_branches.resize(static_cast<std::size_t>(2 * width_));
}

double BinarySearch::score(double decrease) const {
  return score_.score(decrease, node_.view(), {scratch_.best_branches, best_totals_});
}

void BinarySearch::consider_exactly(const double* left, double left_total, std::uint64_t id) {
  if (found_ && decrease_ >= largest_) return;
  const auto width = static_cast<std::size_t>(width_);
  for (std::size_t k = 0; k < width; ++k) {
    scratch_.branches[k] = left[k];
    scratch_.branches[width + k] = node_.sums[k] - left[k];
  }
  const double totals[2] = {left_total, node_.total - left_total};
  const double decrease = score_.decrease(node_.view(), {scratch_.branches, totals});
  if (found_ && !clearly_better(decrease, decrease_)) return;
  found_ = true;
  id_ = id;
  decrease_ = decrease;
  std::swap(scratch_.branches, scratch_.best_branches);
  best_totals_[0] = totals[0];
  best_totals_[1] = totals[1];
}

void BinarySearch::consider(int m, const double* left, const double* left_total,
                            const std::int64_t* left_rows, std::uint64_t first_id) {
  for (int begin = 0; begin < m; begin += kBatch) {
    const std::uint64_t first = first_id + static_cast<std::uint64_t>(begin);
    filter_and_score(std::min(kBatch, m - begin), left + static_cast<std::ptrdiff_t>(begin) * width_,
                     left_total + begin, left_rows + begin,
                     [first](int i) { return first + static_cast<std::uint64_t>(i); });
  }
}

void BinarySearch::consider_batch(int m, const double* left, const double* left_total,
                                  const std::int64_t* left_rows, const std::uint64_t* ids) {
  filter_and_score(m, left, left_total, left_rows, [ids](int i) { return ids[i]; });
}

template <class Id>
void BinarySearch::filter_and_score(int m, const double* left, const double* left_total,
                                    const std::int64_t* left_rows, const Id& id) {
  std::array<double, kBatch> q;
  std::array<std::uint8_t, kBatch> allowed;
  score_.filter_prefixes(node_.view(), {m, left, left_total}, q.data());
  for (int i = 0; i < m; ++i) {
    const bool both = limits_.allow(left_rows[i], left_total[i]) &&
                      limits_.allow(node_.rows - left_rows[i], node_.total - left_total[i]);
    allowed[static_cast<std::size_t>(i)] = both;
    n_allowed_ += both && id(i) < count_below_;
    first_allowed_ = std::min(first_allowed_, both ? id(i) : kNoId);
  }
  const double batch_best = mask_and_maximum(q.data(), allowed.data(), m);
  const double enough = cutoff(batch_best);
  if (batch_best == kNoScore || batch_best < enough) return;
  best_q_ = std::max(best_q_, batch_best);
  for (int i = 0; i < m; ++i) {
    if (q[static_cast<std::size_t>(i)] == kNoScore || q[static_cast<std::size_t>(i)] < enough) continue;
    consider_exactly(left + static_cast<std::ptrdiff_t>(i) * width_, left_total[i], id(i));
  }
}

void BinarySearch::forbid_small_branches(RowStream::Rows& rows, int m, std::int64_t rows_before,
                                         double weight_before, bool weighted) const {
  // By rows the allowed thresholds are one interval: after row i there are rows_before + i + 1 rows on the
  // left.
  const std::int64_t first = limits_.rows - rows_before - 1,
                     last = node_.rows - limits_.rows - rows_before - 1;
  for (int i = 0; i < std::min<std::int64_t>(first, m); ++i) rows.boundary[i] = 0;
  for (int i = static_cast<int>(std::clamp<std::int64_t>(last + 1, 0, m)); i < m; ++i) rows.boundary[i] = 0;
  if (limits_.weight <= 0) return;
  double w = weight_before;
  for (int i = 0; i < m; ++i) {
    w += weighted ? rows.weight[i] : 1.0;
    rows.boundary[i] &= static_cast<std::uint8_t>(w >= limits_.weight && node_.total - w >= limits_.weight);
  }
}

void BinarySearch::count_allowed(const RowStream::Rows& rows, int m, std::uint64_t begin) {
  const std::uint64_t room = count_below_ > begin ? count_below_ - begin : 0;
  const auto counted =
      static_cast<std::ptrdiff_t>(std::min<std::uint64_t>(room, static_cast<std::uint64_t>(m)));
  n_allowed_ += static_cast<std::size_t>(std::accumulate(rows.boundary, rows.boundary + counted, 0));
  if (first_allowed_ != kNoId) return;
  const auto first = std::find_if(rows.boundary, rows.boundary + m, [](auto is_one) { return is_one != 0; });
  if (first != rows.boundary + m) first_allowed_ = begin + static_cast<std::uint64_t>(first - rows.boundary);
}

std::size_t BinarySearch::consider_stream(const RowStream& stream, bool missing_left,
                                          std::span<const double> missing, double missing_total) {
  const std::size_t n = stream.n_known();
  const auto width = static_cast<std::size_t>(width_);
  const auto offset_rows = static_cast<std::int64_t>(missing_left ? stream.n_missing() : 0);
  const bool numbers = score_.for_numbers(), weighted = stream.weighted();
  const bool exact_doubles =
      !weighted && !numbers;  // whole numbers below 2^53: the filter's own sums are exact
  ExactSums exact(stream, width_, numbers, scratch_.exact);
  RowStream::Rows rows;
  std::array<double, kBatch> q;
  auto &left = scratch_.left, &start = scratch_.start;
  left.assign(width, 0.0);
  start.resize(width);
  double left_total = 0;
  const auto add_missing = [&](std::span<double> sums, double& total) {
    if (!missing_left) return;
    for (std::size_t k = 0; k < width; ++k) sums[k] += missing[k];
    total += missing_total;
  };
  add_missing(left, left_total);
  std::size_t n_thresholds = 0;
  for (std::size_t begin = 0; begin < n; begin += kBatch) {
    const int m = static_cast<int>(std::min<std::size_t>(kBatch, n - begin));
    stream.read(begin, m, rows);
    if (begin + static_cast<std::size_t>(m) == n) rows.boundary[m - 1] = 0;  // nothing known lies beyond
    n_thresholds += static_cast<std::size_t>(std::accumulate(rows.boundary, rows.boundary + m, 0));
    if (!exact_doubles) {
      std::fill(left.begin(), left.end(), 0.0);
      left_total = 0;
      add_missing(left, left_total);
      exact.add_to(left, left_total);
    }
    std::copy(left.begin(), left.end(), start.begin());
    const double start_total = left_total;
    StreamBatch batch{
        m,    rows.label, weighted ? rows.weight : nullptr, numbers ? rows.moment : nullptr, rows.boundary,
        left, left_total};
    const std::int64_t rows_before = offset_rows + static_cast<std::int64_t>(begin);
    const bool all_too_few = rows_before + m < limits_.rows || node_.rows - rows_before - 1 < limits_.rows;
    if (all_too_few && !exact_doubles) {
      exact.add(rows, 0, m);
      continue;
    }
    score_.filter_stream(node_.view(), batch, q.data());
    left_total = batch.left_total;
    forbid_small_branches(rows, m, rows_before, start_total, weighted);
    count_allowed(rows, m, begin);
    const double batch_best = mask_and_maximum(q.data(), rows.boundary, m);
    const double enough = cutoff(batch_best);
    int cursor = 0;
    if (batch_best != kNoScore && batch_best >= enough) {
      best_q_ = std::max(best_q_, batch_best);
      for (int i = 0; i < m; ++i) {
        if (q[static_cast<std::size_t>(i)] == kNoScore || q[static_cast<std::size_t>(i)] < enough) continue;
        if (exact_doubles) {
          for (; cursor <= i; ++cursor) start[rows.label[cursor]] += 1;
          consider_exactly(start.data(), start_total + cursor, begin + static_cast<std::size_t>(i));
        } else {
          exact.add(rows, cursor, i + 1);
          cursor = i + 1;
          std::fill(start.begin(), start.end(), 0.0);
          double total = 0;
          add_missing(start, total);
          exact.add_to(start, total);
          consider_exactly(start.data(), total, begin + static_cast<std::size_t>(i));
        }
      }
    }
    if (!exact_doubles) exact.add(rows, cursor, m);
  }
  return n_thresholds;
}

}  // namespace thriftree
