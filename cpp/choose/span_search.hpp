// The best threshold of a column of spans: all ends of spans are scored, and only those spans are opened of
// which a bound says that a threshold inside may win. The answer is that of scoring every threshold.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "choose/candidates.hpp"
#include "rows/span_rows.hpp"

namespace thriftree {

// A column at a node, seen from the ends of its spans; in the units of the score's filters.
struct SpanLook {
  double best = -std::numeric_limits<double>::infinity();   // of the allowed ends, within the filter's error
  double reach = -std::numeric_limits<double>::infinity();  // no allowed threshold inside a span gains more
  bool constant = false;                                    // fewer than two codes, and nothing inside them
};

// How much opening was spared: rows times columns of spans at all nodes looked at, and those opened.
struct OpenedPairs {
  std::int64_t seen = 0, opened = 0;
};

// Memory of a worker, kept from one column to the next.
struct SpanScratch {
  struct Entry {
    double value;
    std::uint32_t row, label;
  };
  // Ends as the bound sees them; once for missing values on the right, once for the left.
  struct Side {
    std::vector<double> left, left_total, q, upper;
  };
  struct Opened {
    std::size_t span;
    double upper;
  };
  SpanSums sums;
  Side sides[2];
  GatheredRows gathered;
  std::vector<Opened> opened;
  std::vector<std::uint32_t> codes;
  std::vector<double> values;
  std::vector<Entry> entries, spare_entries;
  std::vector<std::uint32_t> cells;
  std::vector<std::int64_t> weights;  // running, by channel
  std::vector<double> left, left_total, ignored_total, branches, running;
  std::vector<std::int64_t> left_rows;
  std::vector<std::uint32_t> positions;
  ReachScratch reach;
  OpenedPairs pairs;
};

class SpanSearch {
 public:
  SpanSearch(const Score& score, const NodeTotals& node, const BranchLimits& limits, SpanRows& store, int id,
             int worker, SpanScratch& scratch);

  // Only what reaches `enough` must be told closely.
  SpanLook look(std::uint32_t column, double enough);

  // What must be known of the column's spans, where rows are elsewhere, before `open` can find a threshold
  // that gains as much as `best`: what has been granted is not wished for again.
  void wish(std::uint32_t column, double best, std::vector<SpanWish>& wishes);

  // The column's best threshold, if it is within ties of `best`, which is the most that any threshold of the
  // node is known to gain, and rises. A threshold at an end of a span has yet to be resolved.
  ColumnBest open(std::uint32_t column, double& best);
  // The values on both sides of such a threshold.
  static void resolve(SpanRows& store, int id, std::uint32_t column, SpanScratch& scratch, ColumnBest& best);

  // What a threshold must gain to tie with one that gains `best`, with room for what bounds and filters
  // round.
  double least(double best) const { return best - room(best, error_); }
  static double room(double best, double error) { return kTies * (best < 0 ? -best : best) + 4 * error; }

 private:
  static constexpr double kTies = 4e-12;  // ties are at 1e-12, see clearly_better
  // Which branch missing values join.
  enum SideName : std::size_t { kRight = 0, kLeft = 1 };
  struct Candidate {
    std::uint64_t order = 0;  // of the column's candidates, see docs/decisions/002
    double decrease = 0, score = 0;
    std::size_t span = 0;  // the threshold is inside it, or at its begin
    bool inside = false;
    SideName side = kRight;
    bool missing_alone = false;
    ValueCut cut;
  };

  bool numbers() const { return target_.n_classes == 0; }
  std::size_t n_sides() const { return scratch_.sums.missing_rows > 0 ? 2 : 1; }
  void sum_missing();
  void look_at_ends(SideName side, double enough);
  // The ends and the spans whose thresholds the limits may allow: [begin, end) of each.
  struct Within {
    std::size_t begin = 0, end = 0;
  };
  Within ends_within(SideName side) const;
  Within spans_within(SideName side) const;
  // Rows that are not known are not limited.
  bool allowed(std::int64_t rows, double weight) const {
    if (!scratch_.sums.rows_known) return weight >= limits_.weight && node_.total - weight >= limits_.weight;
    return limits_.allow(rows, weight) && limits_.allow(node_.rows - rows, node_.total - weight);
  }
  std::int64_t rows_at(SideName side, std::size_t end) const {
    return scratch_.sums.rows[end] + (side == kLeft ? scratch_.sums.missing_rows : 0);
  }
  bool may_be_allowed(SideName side, std::size_t span) const;
  SpanEnds ends_of(SideName side) const;
  // Whether no candidate of this order, nor any after it, can win: an earlier one scores as high as any may.
  bool comes_too_late(std::uint64_t order) const { return order > first_highest_; }
  void score_ends(double& best);
  void list_spans(double best);
  void score_inside(std::uint32_t column, std::size_t place, double& best);
  void score_entries(SideName side, std::size_t span, double& best);
  // One candidate by its exact sums; where these are its left branch, scratch.left[at * width] has them.
  void score_exactly(const double* left, double left_total, Candidate candidate, double& best);
  double left_sums(SideName side, std::size_t end, double* left) const;
  double to_sums(SideName side, const std::int64_t* weights, std::size_t stride, int128 moment,
                 double* left) const;
  ColumnBest winner();

  const Score& score_;
  const ThresholdBound& bound_;
  const NodeTotals& node_;
  const BranchLimits& limits_;
  SpanRows& store_;
  const TargetHeader& target_;
  SpanChannels channels_;
  int id_, worker_;
  SpanScratch& scratch_;
  std::size_t width_;
  double error_;                 // of what filters and bounds say
  std::vector<double> missing_;  // sums of the rows whose value is missing
  double missing_total_ = 0;
  std::vector<Candidate> candidates_;  // those that may tie with the best
  double highest_;                     // no test of the node has a higher score
  std::uint64_t first_highest_ = std::numeric_limits<std::uint64_t>::max();  // of the column, with that score
};

}  // namespace thriftree
