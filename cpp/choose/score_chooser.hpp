// The chooser of nearly every learner: the candidate with the best score.
#pragma once

#include <atomic>
#include <vector>

#include "choose/candidates.hpp"
#include "choose/choice_memory.hpp"
#include "choose/chooser.hpp"
#include "choose/span_search.hpp"

namespace thriftree {

struct ScoreRules {
  std::vector<std::uint8_t> kinds;  // CandidateKind bits per column
  CandidateRules candidates;
  bool average_gain_guard = false;  // C4.5: only columns of at least average gain compete by score
  bool divide_by_price = false;     // cost-benefit: scores are divided by the marginal price
};

class ScoreChooser final : public Chooser, public VariantChooser {
 public:
  // One score per variant; a plain fit has one.
  ScoreChooser(const std::vector<Column>& columns, std::vector<const Score*> scores, ScoreRules rules,
               const PriceModel& prices);
  bool needs_path() const override { return prices_.depends_on_path(); }
  bool may_choose(const NodeTotals& node) const override;
  std::vector<Chosen> choose(std::span<const NodeContext> nodes, RowStore& store, Team& team) override;
  std::vector<std::vector<Chosen>> choose_each(std::span<const NodeContext> nodes,
                                               std::span<const std::vector<int>> variants, RowStore& store,
                                               Team& team) override;
  // Of all nodes so far.
  OpenedPairs pairs() const;

 private:
  // What each column's tests cost at a node; infinity where they cannot be made. The two differ where the
  // price of each outcome matters to the score.
  struct NodePrices {
    std::vector<double> highest, least;
    std::vector<bool> by_outcome;  // that is, where the price of each outcome is known; empty: nowhere
    double cheapest = 0;           // of the node's columns; 0: scores are not divided by prices
  };
  // As `choose_each`, of all these nodes at once.
  std::vector<std::vector<Chosen>> choose_slice(std::span<const NodeContext> nodes,
                                                std::span<const std::vector<int>> variants, RowStore& store,
                                                Team& team);
  double score_to_stop_at(const NodeContext& node, const Score& score) const;
  // The best of one column for each of these variants, variant i's at best[i * stride]. `known`, by score:
  // what a test of the node is known to be worth for its price; it rises. Null where columns do not compare
  // so.
  void search(const NodeContext& node, std::span<const int> variants, std::uint32_t column,
              const NodePrices& prices, RowStore& store, int worker, std::atomic<double>* known,
              ColumnBest* best, std::size_t stride);
  // Whether a column is counted as spans are at a node, and looked at so.
  bool by_spans(const NodeContext& node, std::uint32_t column, const NodePrices& prices,
                const SpanRows* spans) const;
  // What each column may be worth at most for its price, with room for what the best known rounds, by column
  // of the node's list: infinity where nobody knows, and none at all where nothing is told from afar. `best`
  // is told of columns that are constant.
  std::vector<double> reaches(const NodeContext& node, const Score& score, const NodePrices& prices,
                              const SpanRows& spans, int worker, std::span<ColumnBest> best);
  // Looks at a column from the ends of its spans. `most` is what a threshold of the node is known to be
  // worth for its price.
  SpanLook look_at_spans(const NodeContext& node, const Score& score, std::uint32_t column,
                         const NodePrices& prices, std::atomic<double>& most, SpanRows& store, int worker);
  // Finds the best thresholds of columns of spans, as far as they may win at the node. `looks` is by column
  // of the node's list, `best` has what the other columns have found.
  void open_spans(const NodeContext& node, const Score& score, const NodePrices& prices,
                  std::span<const SpanLook> looks, std::span<ColumnBest> best, SpanRows& store, int worker);
  // The same beforehand, where rows are elsewhere: has all be told that opening will ask for, of many nodes
  // at once, and looks again at what is known then.
  void tell_of_spans(std::span<const NodeContext> nodes, std::span<const std::vector<int>> variants,
                     std::span<const NodePrices> prices, std::span<std::vector<SpanLook>> looks,
                     std::span<const std::vector<ColumnBest>> best, SpanRows& store, Team& team);
  // What thresholds of one column are worth, as filters tell it, in units that are the same for all columns:
  // for their price.
  struct Worth {
    double nothing;  // what a filter says of no gain
    double share;    // the least price of any column over that of this one: 1, or less

    double of(double q) const { return nothing + (q - nothing) * share; }
    double inverse(double worth) const { return nothing + (worth - nothing) / share; }
  };
  static void raise(std::atomic<double>& most, double value);
  // The most that any test of a node is known to be worth, before spans are opened.
  double most_known(const NodeContext& node, const Score& score, const NodePrices& prices,
                    const SpanSearch& search, std::span<const SpanLook> looks,
                    std::span<const ColumnBest> best) const;
  Worth worth_of(const Score& score, std::uint32_t column, const NodePrices& prices) const;
  Chosen decide(const NodeContext& node, const Score& score, std::span<ColumnBest> columns,
                const NodePrices& prices, RowStore& store);
  double gain_needed(std::span<const ColumnBest> columns) const;
  bool minds_outcomes(const Score& score) const;
  NodePrices prices_at(const NodeContext& node) const;
  struct Market;
  Market market_of(const Score& score, const NodePrices& prices) const;
  struct Winner;
  void offer_bundles(const NodeContext& node, const Market& market, std::span<const ColumnBest> columns,
                     RowStore& store, Winner& winner) const;

  const std::vector<Column>& columns_;
  std::vector<const Score*> scores_;
  ScoreRules rules_;
  const PriceModel& prices_;
  bool filters_compare_;                   // what filters say tells which of two columns has the better test
  bool looks_at_spans_;                    // else columns that SpanRows holds are searched as all others
  std::vector<CandidateScratch> scratch_;  // per worker
  std::vector<SpanScratch> span_scratch_;  // per worker
};

}  // namespace thriftree
