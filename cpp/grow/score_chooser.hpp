// The chooser of nearly every learner: the candidate with the best score by a criterion.
#pragma once

#include <vector>

#include "grow/candidates.hpp"
#include "grow/chooser.hpp"

namespace thriftree {

struct ScoreRules {
  std::vector<std::uint8_t> kinds;  // CandidateKind bits per column
  CandidateRules candidates;
  bool average_gain_guard = false;  // C4.5: only columns of at least average gain compete by score
  bool divide_by_price = false;     // cost-benefit: scores are divided by the marginal price
};

class ScoreChooser final : public Chooser {
 public:
  ScoreChooser(const Table& table, const Criterion& criterion, ScoreRules rules, const PriceModel& prices);
  bool needs_path() const override { return prices_.depends_on_path(); }
  std::vector<Chosen> choose(std::span<const NodeContext> nodes, RowStore& store, Team& team) override;

 private:
  ColumnBest search(const NodeContext& node, std::uint32_t column, double price, RowStore& store, int worker);
  Chosen decide(const NodeContext& node, std::vector<ColumnBest>& columns, const std::vector<double>& prices,
                RowStore& store) const;
  double gain_needed(const std::vector<ColumnBest>& columns) const;
  double value(const ColumnBest& column, double price) const;
  double reading_value(const ColumnBest& column, double price) const;
  struct Winner;
  void offer_bundles(const NodeContext& node, const std::vector<ColumnBest>& columns,
                     const std::vector<double>& prices, RowStore& store, Winner& winner) const;

  const Table& table_;
  const Criterion& criterion_;
  ScoreRules rules_;
  const PriceModel& prices_;
  std::vector<CandidateScratch> scratch_;  // per worker
};

}  // namespace thriftree
