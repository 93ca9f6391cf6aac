// Columns of a node from afar and through their spans: which of them the chooser must look at, and how
// closely.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>

#include "choose/score_chooser.hpp"

namespace thriftree {

void ScoreChooser::raise(std::atomic<double>& most, double value) {
  double known = most.load(std::memory_order_relaxed);
  while (known < value && !most.compare_exchange_weak(known, value, std::memory_order_relaxed)) {
  }
}

ScoreChooser::Worth ScoreChooser::worth_of(const Score& score, std::uint32_t column,
                                           const NodePrices& prices) const {
  const bool dearer = rules_.divide_by_price && prices.least[column] > prices.cheapest;
  return {score.filtered_nothing(), dearer ? prices.cheapest / prices.least[column] : 1};
}

bool ScoreChooser::by_spans(const NodeContext& node, std::uint32_t column, const NodePrices& prices,
                            const SpanRows* spans) const {
  return spans && rules_.kinds[column] == kThreshold && spans->holds(node.node, column) &&
         (prices.by_outcome.empty() || !prices.by_outcome[column]);
}

std::vector<double> ScoreChooser::reaches(const NodeContext& node, const Score& score,
                                          const NodePrices& prices, const SpanRows& spans, int worker,
                                          std::span<ColumnBest> best) {
  auto bound = score.bound()->from_afar(node.totals->view());
  if (!bound) return {};
  const BranchLimits limits = threshold_limits(rules_.candidates, score, *node.totals);
  AfarNode afar{std::move(*bound), node.totals->total, limits.weight,
                std::max(std::abs(node.totals->lowest), std::abs(node.totals->highest))};
  if (!spans.target().weighted && node.totals->rows == node.totals->objects)
    afar.least = std::max(afar.least, static_cast<double>(limits.rows));
  const double error = score.filter_error(node.totals->view());
  SpanScratch& scratch = span_scratch_[static_cast<std::size_t>(worker)];
  std::vector<double> found(node.columns->size(), std::numeric_limits<double>::infinity());
  const auto tell = [&](std::size_t j, double reach) {
    found[j] = worth_of(score, (*node.columns)[j], prices).of(reach + SpanSearch::room(reach, error));
  };
  std::vector<std::uint32_t> few;
  std::vector<std::size_t> places;  // of these
  for (std::size_t j = 0; j < found.size(); ++j) {
    const std::uint32_t column = (*node.columns)[j];
    if (std::isinf(prices.highest[column])) continue;
    if (by_spans(node, column, prices, &spans)) {
      tell(j, spans.reach(node.node, column, afar, scratch.reach));
    } else if (rules_.kinds[column] == kThreshold && spans.tells_ends(node.node, column) &&
               (prices.by_outcome.empty() || !prices.by_outcome[column])) {
      few.push_back(column);
      places.push_back(j);
    }
  }
  if (few.empty() || !reach_of_ends(spans.ends(node.node, few), afar, scratch.reach, scratch.reach.ends))
    return found;
  for (std::size_t i = 0; i < few.size(); ++i) {
    tell(places[i], scratch.reach.ends[i].reach);
    best[places[i]].constant = scratch.reach.ends[i].constant;
  }
  return found;
}

SpanLook ScoreChooser::look_at_spans(const NodeContext& node, const Score& score, std::uint32_t column,
                                     const NodePrices& prices, std::atomic<double>& most, SpanRows& store,
                                     int worker) {
  const Worth worth = worth_of(score, column, prices);
  const BranchLimits limits = threshold_limits(rules_.candidates, score, *node.totals);
  SpanSearch search(score, *node.totals, limits, store, node.node, worker,
                    span_scratch_[static_cast<std::size_t>(worker)]);
  const SpanLook look = search.look(column, worth.inverse(most.load(std::memory_order_relaxed)));
  raise(most, worth.of(look.best));
  return look;
}

double ScoreChooser::most_known(const NodeContext& node, const Score& score, const NodePrices& prices,
                                const SpanSearch& search, std::span<const SpanLook> looks,
                                std::span<const ColumnBest> best) const {
  double most = -std::numeric_limits<double>::infinity();  // for its price
  for (std::size_t j = 0; j < best.size(); ++j) {
    const Worth worth = worth_of(score, (*node.columns)[j], prices);
    if (best[j].found && score.admits(best[j].decrease))
      most = std::max(most, worth.of(score.filtered(best[j].decrease, node.totals->view())));
    // What was only filtered at ends may be a little less than it seemed.
    most = std::max(most, worth.of(search.least(looks[j].best)));
  }
  return most;
}

void ScoreChooser::tell_of_spans(std::span<const NodeContext> nodes,
                                 std::span<const std::vector<int>> variants,
                                 std::span<const NodePrices> prices, std::span<std::vector<SpanLook>> looks,
                                 std::span<const std::vector<ColumnBest>> best, SpanRows& store, Team& team) {
  std::vector<std::vector<SpanWish>> wishes(nodes.size());
  std::vector<bool> settled(nodes.size(), false);
  for (;;) {
    team.run(nodes.size(), [&](std::size_t i, int worker) {
      wishes[i].clear();
      const NodeContext& node = nodes[i];
      const std::size_t n_columns = node.columns->size();
      for (std::size_t v = 0; v < variants[i].size() && !settled[i]; ++v) {
        const Score& score = *scores_[static_cast<std::size_t>(variants[i][v])];
        const BranchLimits limits = threshold_limits(rules_.candidates, score, *node.totals);
        SpanSearch search(score, *node.totals, limits, store, node.node, worker,
                          span_scratch_[static_cast<std::size_t>(worker)]);
        const auto own = std::span(looks[i]).subspan(v * n_columns, n_columns);
        const double most = most_known(node, score, prices[i], search, own,
                                       std::span(best[i]).subspan(v * n_columns, n_columns));
        const double admitted = score.filtered(score.refused(), node.totals->view());
        for (std::size_t j = 0; j < n_columns; ++j) {
          const std::uint32_t column = (*node.columns)[j];
          const double enough = std::max(worth_of(score, column, prices[i]).inverse(most), admitted);
          if (std::max(own[j].best, own[j].reach) < search.least(enough)) continue;
          if (by_spans(node, column, prices[i], &store) && store.opens(column))
            search.wish(column, enough, wishes[i]);
        }
      }
    });
    std::vector<SpanWish> all;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      settled[i] = wishes[i].empty();
      all.insert(all.end(), wishes[i].begin(), wishes[i].end());
    }
    if (all.empty()) return;
    store.grant(all);
    team.run(nodes.size(), [&](std::size_t i, int worker) {
      std::uint32_t last = UINT32_MAX;
      for (const SpanWish& wish : wishes[i]) {
        if (wish.column == last) continue;
        last = wish.column;
        const NodeContext& node = nodes[i];
        const std::size_t n_columns = node.columns->size();
        const auto at = std::lower_bound(node.columns->begin(), node.columns->end(), wish.column);
        const auto j = static_cast<std::size_t>(at - node.columns->begin());
        for (std::size_t v = 0; v < variants[i].size(); ++v) {
          std::atomic<double> most{-std::numeric_limits<double>::infinity()};
          looks[i][v * n_columns + j] =
              look_at_spans(node, *scores_[static_cast<std::size_t>(variants[i][v])], wish.column, prices[i],
                            most, store, worker);
        }
      }
    });
  }
}

void ScoreChooser::open_spans(const NodeContext& node, const Score& score, const NodePrices& prices,
                              std::span<const SpanLook> looks, std::span<ColumnBest> best, SpanRows& store,
                              int worker) {
  const BranchLimits limits = threshold_limits(rules_.candidates, score, *node.totals);
  SpanSearch search(score, *node.totals, limits, store, node.node, worker,
                    span_scratch_[static_cast<std::size_t>(worker)]);
  double most = most_known(node, score, prices, search, looks, best);
  struct Waiting {
    std::size_t index;
    Worth worth;
    double seen;  // at the ends of spans
  };
  std::vector<Waiting> order;  // columns of spans, the best first
  for (std::size_t j = 0; j < best.size(); ++j) {
    const Worth worth = worth_of(score, (*node.columns)[j], prices);
    best[j].constant = best[j].constant || looks[j].constant;
    if (std::max(looks[j].best, looks[j].reach) > -std::numeric_limits<double>::infinity())
      order.push_back({j, worth, worth.of(looks[j].best)});
  }
  std::sort(order.begin(), order.end(), [&](const Waiting& a, const Waiting& b) {
    return a.seen != b.seen ? a.seen > b.seen : a.index < b.index;
  });
  // Columns after one that nothing can better need not be opened: of equals the first wins.
  const double highest = score_to_stop_at(node, score);
  std::size_t last = best.size();
  const auto look_for_last = [&](std::size_t j) {
    if (best[j].found && !clearly_better(highest, best[j].score)) last = std::min(last, j);
  };
  for (std::size_t j = 0; j < best.size(); ++j) look_for_last(j);
  // What is refused need not be found.
  const double admitted = score.filtered(score.refused(), node.totals->view());
  for (const auto& [j, worth, seen] : order) {
    if (j > last) continue;
    double enough = std::max(worth.inverse(most), admitted);
    if (std::max(looks[j].best, looks[j].reach) < search.least(enough)) continue;
    const bool constant = best[j].constant;
    best[j] = search.open((*node.columns)[j], enough);
    best[j].constant = best[j].constant || constant;
    most = std::max(most, worth.of(enough));
    look_for_last(j);
  }
}

}  // namespace thriftree
