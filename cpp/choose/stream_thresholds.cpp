// Thresholds of a column with many codes: one walk over the node's rows in the column's order (two where some
// are missing).
#include <algorithm>

#include "choose/candidates.hpp"
#include "choose/chooser.hpp"
#include "rows/exact_sums.hpp"

namespace thriftree {

namespace {

// Sums of the rows whose value is missing: they are last in the stream.
void sum_missing(const RowStream& stream, bool numbers, std::vector<std::int64_t>& scratch,
                 std::vector<double>& sums, double& total) {
  RowStream::Rows rows;
  ExactSums exact(stream, static_cast<int>(sums.size()), numbers, scratch);
  const std::size_t end = stream.n_known() + stream.n_missing();
  for (std::size_t begin = stream.n_known(); begin < end; begin += kBatch) {
    const int m = static_cast<int>(std::min<std::size_t>(kBatch, end - begin));
    stream.read(begin, m, rows);
    exact.add(rows, 0, m);
  }
  exact.add_to(sums, total);
}

}  // namespace

ColumnBest best_of_stream(const ColumnSearch& search, const RowStream& stream, CandidateScratch& scratch) {
  ColumnBest best;
  const std::size_t n_known = stream.n_known(), n_missing = stream.n_missing();
  const NodeTotals& node = search.node;
  const BranchLimits limits = threshold_limits(search.rules, search.criterion, node);
  BinarySearch right(search.criterion, node, limits, scratch.search);
  const std::size_t n_thresholds = right.consider_stream(stream, false, {}, 0);
  best.constant = n_known == 0 || (n_missing == 0 && n_thresholds == 0);
  if (best.constant) return best;
  std::size_t n_on_offer = right.n_allowed();
  const auto take = [&](const BinarySearch& winner, std::int32_t missing) {
    best.found = true;
    best.decrease = winner.decrease() - threshold_penalty(search.rules, n_on_offer, node);
    best.score = winner.score(best.decrease);
    best.missing_alone = winner.id() == n_known;
    best.missing = best.missing_alone ? 1 : missing;
    best.in_stream = !best.missing_alone;
    best.lower = static_cast<std::uint32_t>(winner.id());
  };
  if (n_missing == 0) {
    if (right.found()) take(right, -1);
    return best;
  }
  const auto width = static_cast<std::size_t>(right.width());
  std::vector<double> missing(width, 0.0);
  double missing_total = 0;
  sum_missing(stream, search.criterion.for_numbers(), scratch.second_search.exact, missing, missing_total);
  BinarySearch left(search.criterion, node, limits, scratch.second_search);
  left.consider_stream(stream, true, missing, missing_total);
  n_on_offer = std::max(n_on_offer, left.n_allowed());
  // The earlier threshold stays unless the later is clearly better; at the same threshold missing goes left.
  const bool left_is_earlier = left.id() <= right.id();
  const bool left_wins =
      left.found() &&
      (!right.found() || (left_is_earlier ? !clearly_better(right.decrease(), left.decrease())
                                          : clearly_better(left.decrease(), right.decrease())));
  BinarySearch& winner = left_wins ? left : right;
  const auto rows = static_cast<std::int64_t>(n_known);
  if (limits.allow(rows, node.total - missing_total) && limits.allow(node.rows - rows, missing_total)) {
    for (std::size_t k = 0; k < width; ++k) missing[k] = node.sums[k] - missing[k];
    winner.consider_exactly(missing.data(), node.total - missing_total, n_known);
  }
  if (winner.found()) take(winner, left_wins ? 0 : 1);
  return best;
}

void ColumnBest::resolve(const RowStream& stream) {
  const std::size_t position = lower;
  lower = stream.code_at(position);
  upper = stream.code_at(position + 1);
  in_stream = false;
}

}  // namespace thriftree
