// The kinds of candidate tests a column offers at a node, and the best one among them.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "choose/binary_search.hpp"
#include "choose/subset_rules.hpp"
#include "criterion/score.hpp"
#include "rows/partition.hpp"
#include "rows/row_store.hpp"
#include "rows/stream_prefixes.hpp"
#include "table/table.hpp"

namespace thriftree {

// Bits of a column's mask: which kinds it offers.
enum CandidateKind : std::uint8_t {
  kThreshold = 1,  // codes up to one against those above (ordered columns)
  kOneVsRest = 2,  // one code against all others
  kSubset = 4,     // a set of codes against the others
  kMultiway = 8,   // every code its own branch
};

struct CandidateRules {
  BranchLimits limits;
  // C4.5 release 8: a threshold's gain is lowered by log2(thresholds on offer) / weight of the node,
  bool threshold_penalty = false;
  // and each side of a threshold must weigh a tenth of the mean weight of a class, but no more than 25.
  bool threshold_minimum = false;
  SubsetRules subsets;
};

// What a branch of a threshold must hold at this node.
BranchLimits threshold_limits(const CandidateRules& rules, const Score& score, const NodeTotals& node);
double threshold_penalty(const CandidateRules& rules, std::size_t n_thresholds, const NodeTotals& node);

// The best candidate of one column at one node, small enough to keep one for each.
struct ColumnBest {
  bool found = false;
  bool constant = false;  // fewer than two codes at this node
  CandidateKind kind = kThreshold;
  double decrease = 0;
  double score = 0;
  std::uint32_t n_codes = 0;           // seen here, where runs were looked at
  double read = 0;                     // score of all codes apart, where that was asked for
  std::uint32_t lower = 0, upper = 0;  // threshold: the codes on both sides of the cut,
  bool in_stream = false;              // or, before resolve(), the rows of the stream on both sides of it
  std::optional<ValueCut> cut;         // threshold of a column of spans: the values on both sides,
  bool at_end = false;                 // which are yet to be found where it is between spans
  std::int32_t missing = -1;           // threshold: branch of the missing code, -1 if it was not seen
  bool missing_alone = false;          // threshold: known against missing
  std::vector<std::uint32_t> codes;    // other kinds: the codes seen, ascending,
  std::vector<std::int32_t> to;        // and their branches

  // Looks up the codes of a threshold found in a stream: done for winners only. Of a column of spans, the
  // values as well: `exact` has them, and is null for other columns.
  void resolve(const RowStream& stream, std::uint32_t column, const SpanRows* exact);
  Partition partition(std::uint32_t column, const Column& description) const;
};

// Scratch of one worker, so that little is allocated while columns are searched.
struct CandidateScratch {
  ColumnRuns runs;
  std::vector<std::uint32_t> order;                        // known runs, whose prefixes are candidates
  std::vector<std::pair<double, std::uint32_t>> by_share;  // runs, in the making of an order
  CandidateSums candidates;
  SubsetPlacing placing;
  std::vector<std::int32_t> to;  // branches of runs, of one candidate
  SearchScratch search, second_search;
  StreamPrefixes::Scratch prefixes;
  std::vector<double> code_prices;
};

// What is searched: one column at one node.
struct ColumnSearch {
  const Score& score;
  const NodeTotals& node;
  const Column& column;
  std::uint8_t kinds;
  const CandidateRules& rules;
  double price;
  std::uint32_t read_at_most;             // score all codes apart, too, if there are at most so many
  std::span<const double> code_prices{};  // by code, where they differ and the score minds; `price` is
                                          // the least of them
  double asking = 0;                      // part of every price
  const SharedTerms* shared = nullptr;    // of the only threshold, where there is one and they are known
  // What a filter would say of a test of this column that is worth as much as the best known at the node:
  // candidates that cannot tie with that may be passed over.
  double known = -std::numeric_limits<double>::infinity();
};

// The best over the column's runs (scratch.runs), all kinds.
ColumnBest best_of_runs(const ColumnSearch& search, CandidateScratch& scratch);
// The score of a split by every code of these runs.
double score_apart(const Score& score, const NodeTotals& node, const ColumnRuns& runs, double price);
// What it costs to ask for every code of a column, one question after another: the price of the test once,
// and of asking each time. `price` has one asking in it.
double reading_price(double price, std::size_t n_codes, double asking);
// The best threshold over a stream of rows. None where the stream carries sums and has two codes only: their
// runs are the branches, and have more digits than a difference.
std::optional<ColumnBest> best_of_stream(const ColumnSearch& search, const RowStream& stream,
                                         CandidateScratch& scratch);

}  // namespace thriftree
