// Thresholds of a column with many codes: one walk over the node's rows in the column's order (two where some
// are missing).
#include <algorithm>
#include <array>

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

// C4.5's penalty counts each threshold once, whichever side missing values may go to. With these on the left,
// branches reach their least size, and fall below it, no later than with these on the right: of the
// thresholds that the limits allow on the left, those before the first allowed on the right are not allowed
// there, and all others are. So the search of the left counts the former alone, and the two counts add up.

// The earlier threshold stays unless the later is clearly better; at the same threshold missing goes left.
bool left_wins(const BinarySearch& left, const BinarySearch& right) {
  if (!left.found() || !right.found()) return left.found();
  return left.id() <= right.id() ? !clearly_better(right.decrease(), left.decrease())
                                 : clearly_better(left.decrease(), right.decrease());
}

// The best of a column from the search that won. `n_known` is the id of known against missing.
ColumnBest taken(const ColumnSearch& search, const BinarySearch& winner, std::int32_t missing,
                 std::size_t n_known, std::size_t n_on_offer) {
  ColumnBest best;
  if (!winner.found()) return best;
  best.found = true;
  best.decrease = winner.decrease() - threshold_penalty(search.rules, n_on_offer, search.node);
  best.score = winner.score(best.decrease);
  best.missing_alone = winner.id() == n_known;
  best.missing = best.missing_alone ? 1 : missing;
  best.in_stream = !best.missing_alone;
  best.lower = static_cast<std::uint32_t>(winner.id());
  return best;
}

ColumnBest constant_column() {
  ColumnBest best;
  best.constant = true;
  return best;
}

// The stream carries what the score asks for beside the plain sums: one walk serves both sides.
std::optional<ColumnBest> best_of_carried(const ColumnSearch& search, const RowStream& stream,
                                          CandidateScratch& scratch) {
  const NodeTotals& node = search.node;
  const BranchLimits limits = threshold_limits(search.rules, search.score, node);
  const std::size_t n_known = stream.n_known();
  const bool some_missing = stream.n_missing() > 0;
  StreamPrefixes prefixes(stream, scratch.prefixes);
  BinarySearch right(search.score, node, limits, scratch.search);
  right.compete_with(search.known);
  std::optional<BinarySearch> left;
  StreamPrefixes::Sums missing;
  if (some_missing) {
    missing = prefixes.missing();
    left.emplace(search.score, node, limits, scratch.second_search);
    left->compete_with(search.known);
  }
  while (const int m = prefixes.next()) {
    right.consider_batch(m, prefixes.left(), prefixes.left_total(), prefixes.left_rows(),
                         prefixes.positions());
    if (!left) continue;
    prefixes.add_to_left(missing);
    left->count_below(right.first_allowed());
    left->consider_batch(m, prefixes.left(), prefixes.left_total(), prefixes.left_rows(),
                         prefixes.positions());
  }
  const std::size_t n_codes = (n_known > 0 ? prefixes.n_thresholds() + 1 : 0) + (some_missing ? 1 : 0);
  if (n_codes < 2) return constant_column();
  if (n_codes == 2 && !search.column.spans) return {};  // (codes of ranges have no runs of values)
  if (!left) return taken(search, right, -1, n_known, right.n_allowed());
  const std::size_t n_on_offer = right.n_allowed() + left->n_allowed();
  const bool to_left = left_wins(*left, right);
  BinarySearch& winner = to_left ? *left : right;
  const StreamPrefixes::Sums& known = prefixes.known();
  if (limits.allow(known.rows, known.total) && limits.allow(node.rows - known.rows, node.total - known.total))
    winner.consider_exactly(known.sums.data(), known.total, n_known);
  return taken(search, winner, to_left ? 0 : 1, n_known, n_on_offer);
}

}  // namespace

std::optional<ColumnBest> best_of_stream(const ColumnSearch& search, const RowStream& stream,
                                         CandidateScratch& scratch) {
  if (stream.carries()) return best_of_carried(search, stream, scratch);
  const std::size_t n_known = stream.n_known(), n_missing = stream.n_missing();
  const NodeTotals& node = search.node;
  const BranchLimits limits = threshold_limits(search.rules, search.score, node);
  BinarySearch right(search.score, node, limits, scratch.search);
  right.compete_with(search.known);
  const std::size_t n_thresholds = right.consider_stream(stream, false, {}, 0);
  if (n_known == 0 || (n_missing == 0 && n_thresholds == 0)) return constant_column();
  if (n_missing == 0) return taken(search, right, -1, n_known, right.n_allowed());
  const auto width = static_cast<std::size_t>(right.width());
  std::vector<double> missing(width, 0.0);
  double missing_total = 0;
  sum_missing(stream, search.score.for_numbers(), scratch.second_search.exact, missing, missing_total);
  BinarySearch left(search.score, node, limits, scratch.second_search);
  left.compete_with(search.known);
  left.count_below(right.first_allowed());
  left.consider_stream(stream, true, missing, missing_total);
  const std::size_t n_on_offer = right.n_allowed() + left.n_allowed();
  const bool to_left = left_wins(left, right);
  BinarySearch& winner = to_left ? left : right;
  const auto rows = static_cast<std::int64_t>(n_known);
  if (limits.allow(rows, node.total - missing_total) && limits.allow(node.rows - rows, missing_total)) {
    for (std::size_t k = 0; k < width; ++k) missing[k] = node.sums[k] - missing[k];
    winner.consider_exactly(missing.data(), node.total - missing_total, n_known);
  }
  return taken(search, winner, to_left ? 0 : 1, n_known, n_on_offer);
}

void ColumnBest::resolve(const RowStream& stream, std::uint32_t column, const SpanRows* exact) {
  const std::size_t position = lower;
  if (exact) {
    const std::array rows{static_cast<std::uint32_t>(stream.row_at(position)),
                          static_cast<std::uint32_t>(stream.row_at(position + 1))};
    std::array<double, 2> values{};
    exact->values(column, rows, values.data());
    cut = ValueCut{values[0], values[1]};
  }
  lower = stream.code_at(position);
  upper = stream.code_at(position + 1);
  in_stream = false;
}

}  // namespace thriftree
