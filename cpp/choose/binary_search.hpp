// The best of many two-branch candidates at one node and column: a fast filter first, then exact scores for
// the few that may win.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "criterion/score.hpp"
#include "rows/row_stream.hpp"
#include "rows/sums.hpp"

namespace thriftree {

// What a branch must hold to be allowed.
struct BranchLimits {
  std::int64_t rows = 1;
  double weight = 0;
  bool allow(std::int64_t branch_rows, double branch_weight) const {
    return branch_rows >= rows && branch_weight >= weight;
  }
};

// Memory of a search, kept from one to the next.
struct SearchScratch {
  std::vector<double> branches, best_branches;  // 2 * width: left, right
  std::vector<double> left, start;              // width
  std::vector<std::int64_t> exact;
};

class BinarySearch {
 public:
  static constexpr std::uint64_t kNoId = std::numeric_limits<std::uint64_t>::max();

  // The scratch must outlive the search and serve only one at a time.
  BinarySearch(const Score& score, const NodeTotals& node, const BranchLimits& limits,
               SearchScratch& scratch);

  // Before the first candidate: what a filter says of a test that is known, of whatever column. Candidates
  // that cannot tie with it are not scored, and need not be found.
  void compete_with(double q) { best_q_ = q; }

  bool found() const { return found_; }
  std::uint64_t id() const { return id_; }
  double decrease() const { return decrease_; }
  // What the best candidate is compared by; `decrease` may have been lowered by a penalty.
  double score(double decrease) const;

  // Candidates given by the sums of their left branch: m of them, `left` is m * width. Their ids are
  // first_id, first_id + 1, ...
  void consider(int m, const double* left, const double* left_total, const std::int64_t* left_rows,
                std::uint64_t first_id);
  // The same for a batch, of at most kBatch, with an id each.
  void consider_batch(int m, const double* left, const double* left_total, const std::int64_t* left_rows,
                      const std::uint64_t* ids);

  // A threshold after every known row of a stream at which its code changes; the id is the row's position.
  // The plain sums must be all that the score asks for.
  // `missing_left`: rows with a missing value join the left branch; `missing` are their sums. Returns the
  // number of thresholds there are.
  std::size_t consider_stream(const RowStream& stream, bool missing_left, std::span<const double> missing,
                              double missing_total);

  // One candidate, scored exactly at once.
  void consider_exactly(const double* left, double left_total, std::uint64_t id);

  int width() const { return width_; }
  // Of the thresholds looked at, those that the limits allow; and the id of the first of them.
  std::size_t n_allowed() const { return n_allowed_; }
  std::uint64_t first_allowed() const { return first_allowed_; }
  // From here on count only those with an id below this.
  void count_below(std::uint64_t id) { count_below_ = id; }

  // A candidate of which the filter says less cannot tie with one of which it says `best`; it may be off by
  // `error`.
  static double least_beside(double best, double error) {
    return best - 2 * error - 1e-11 * (best < 0 ? -best : best);
  }

 private:
  double cutoff(double batch_best) const { return least_beside(std::max(batch_best, best_q_), error_); }
  // Of at most kBatch candidates, scores exactly those that the filter leaves. id(i): of the i-th.
  template <class Id>
  void filter_and_score(int m, const double* left, const double* left_total, const std::int64_t* left_rows,
                        const Id& id);
  // Clears the boundaries after which a branch would be too small.
  void forbid_small_branches(RowStream::Rows& rows, int m, std::int64_t rows_before, double weight_before,
                             bool weighted) const;
  // Of a batch of a stream from position `begin`, whose boundaries are those allowed.
  void count_allowed(const RowStream::Rows& rows, int m, std::uint64_t begin);

  const Score& score_;
  const NodeTotals& node_;
  const BranchLimits& limits_;
  int width_;
  double error_;                                                // of a filter's q, absolute
  double largest_;                                              // decrease that nothing can better
  double best_q_ = -std::numeric_limits<double>::infinity();    // the largest q seen, or known before
  double decrease_ = -std::numeric_limits<double>::infinity();  // of the incumbent, exact
  bool found_ = false;
  std::size_t n_allowed_ = 0;
  std::uint64_t first_allowed_ = kNoId, count_below_ = kNoId;
  std::uint64_t id_ = 0;
  SearchScratch& scratch_;
  double best_totals_[2] = {0, 0};
};

}  // namespace thriftree
