#include "choose/score_chooser.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <iterator>
#include <limits>

namespace thriftree {

namespace {

constexpr std::size_t kCellsPerTask = 16384;
// Columns of nodes, of each variant, that are looked at before the first node is decided: some megabytes.
constexpr std::size_t kCellsAtOnce = 32768;
// As in C4.5 and J48: a gain within this of the average counts as average.
constexpr double kGuardSlack = 1e-3;
constexpr double kNowhere = -std::numeric_limits<double>::infinity();

struct Part {
  std::size_t node, from, to;  // columns [from, to) of a node's list
};

// Work in pieces of about equal cost: large nodes a few columns at a time, small ones whole.
std::vector<std::vector<Part>> make_tasks(std::span<const NodeContext> nodes) {
  std::vector<std::vector<Part>> tasks;
  std::size_t cells = kCellsPerTask;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const auto rows = static_cast<std::size_t>(nodes[i].totals->rows) + 64;
    const std::size_t n_columns = nodes[i].columns->size(),
                      step = std::max<std::size_t>(1, kCellsPerTask / rows);
    for (std::size_t from = 0; from < n_columns; from += step) {
      const std::size_t to = std::min(from + step, n_columns);
      if (cells >= kCellsPerTask) {
        tasks.emplace_back();
        cells = 0;
      }
      tasks.back().push_back({i, from, to});
      cells += (to - from) * rows;
    }
  }
  return tasks;
}

}  // namespace

ScoreChooser::ScoreChooser(const std::vector<Column>& columns, std::vector<const Score*> scores,
                           ScoreRules rules, const PriceModel& prices)
    : columns_(columns),
      scores_(std::move(scores)),
      rules_(std::move(rules)),
      prices_(prices),
      filters_compare_(
          std::all_of(scores_.begin(), scores_.end(), [](const Score* one) { return one->bound(); }) &&
          !rules_.average_gain_guard && !rules_.candidates.threshold_penalty &&
          !(rules_.divide_by_price && (prices.read_at_most() > 0 || prices.free_first()))),
      looks_at_spans_(false) {
  const auto has_many = [&](std::size_t j) {
    return rules_.kinds[j] == kThreshold && columns_[j].n_codes > 2;
  };
  bool some = false;
  for (std::size_t j = 0; j < columns_.size(); ++j) some = some || columns_[j].spans || has_many(j);
  looks_at_spans_ = filters_compare_ && some;
}

OpenedPairs ScoreChooser::pairs() const {
  OpenedPairs sum;
  for (const SpanScratch& scratch : span_scratch_) {
    sum.seen += scratch.pairs.seen;
    sum.opened += scratch.pairs.opened;
  }
  return sum;
}

// Every test has two branches that the limits allow.
bool ScoreChooser::may_choose(const NodeTotals& node) const {
  constexpr double rounding = 1 - 1e-12;
  const BranchLimits& limits = rules_.candidates.limits;
  return node.rows >= 2 * limits.rows && node.total >= 2 * limits.weight * rounding;
}

bool ScoreChooser::minds_outcomes(const Score& score) const {
  return rules_.divide_by_price && score.branch_pricing();
}

// (Variants are of one kind.)
ScoreChooser::NodePrices ScoreChooser::prices_at(const NodeContext& node) const {
  NodePrices prices;
  prices.highest.resize(columns_.size());
  prices_.marginal(node.path, prices.highest);
  prices.least = prices.highest;
  if (!rules_.divide_by_price) return prices;
  if (minds_outcomes(*scores_[0])) {
    prices.by_outcome.resize(columns_.size());
    std::vector<double> of_codes;
    for (const std::uint32_t column : *node.columns) {
      if (!std::isfinite(prices.highest[column]) || !prices_.by_outcome(node.path, column, of_codes))
        continue;
      prices.by_outcome[column] = true;
      prices.least[column] = *std::min_element(of_codes.begin(), of_codes.end());
    }
  }
  prices.cheapest = std::numeric_limits<double>::infinity();
  for (const std::uint32_t column : *node.columns)
    prices.cheapest = std::min(prices.cheapest, prices.least[column]);
  return prices;
}

void ScoreChooser::search(const NodeContext& node, std::span<const int> variants, std::uint32_t column,
                          const NodePrices& prices, RowStore& store, int worker, std::atomic<double>* known,
                          ColumnBest* best, std::size_t stride) {
  const std::uint8_t kinds = rules_.kinds[column];
  const std::uint32_t read_at_most = rules_.divide_by_price ? prices_.read_at_most() : 0;
  auto& scratch = scratch_[static_cast<std::size_t>(worker)];
  bool counted = false;
  std::optional<SharedTerms> shared;
  for (std::size_t i = 0; i < variants.size(); ++i) {
    const Score& score = *scores_[static_cast<std::size_t>(variants[i])];
    ColumnSearch search{score,
                        *node.totals,
                        columns_[column],
                        kinds,
                        rules_.candidates,
                        prices.least[column],
                        prices.highest[column] > prices_.asking() ? read_at_most : 0};
    if (minds_outcomes(score) && prices_.by_outcome(node.path, column, scratch.code_prices))
      search.code_prices = scratch.code_prices;
    search.asking = prices_.asking();
    const Worth worth = worth_of(score, column, prices);
    std::atomic<double>* const most = known ? &known[variants[i]] : nullptr;
    if (most) search.known = worth.inverse(most->load(std::memory_order_relaxed));
    const auto take = [&](ColumnBest found) {
      if (most && found.found && score.admits(found.decrease))
        raise(*most, worth.of(score.filtered(found.decrease, node.totals->view())));
      best[i * stride] = std::move(found);
    };
    const bool in_order =
        kinds == kThreshold && read_at_most == 0 && !score.batch_scoring() && search.code_prices.empty();
    if (in_order) {
      const auto stream = store.stream(node.node, column);
      if (auto found = stream ? best_of_stream(search, *stream, scratch) : std::nullopt) {
        take(std::move(*found));
        continue;
      }
    }
    if (!counted) {
      store.runs(node.node, column, worker, scratch.runs);
      if (variants.size() > 1 && score.family() && scratch.runs.codes.size() == 2)
        shared = score.family()->shared_terms(node.totals->view(), {scratch.runs.sums, scratch.runs.totals});
    }
    counted = true;
    if (!in_order) scratch.runs.exact.clear();
    search.shared = shared ? &*shared : nullptr;
    take(best_of_runs(search, scratch));
  }
}

std::vector<Chosen> ScoreChooser::choose(std::span<const NodeContext> nodes, RowStore& store, Team& team) {
  const std::vector<std::vector<int>> only(nodes.size(), {0});
  auto each = choose_each(nodes, only, store, team);
  std::vector<Chosen> chosen;
  for (auto& one : each) chosen.push_back(std::move(one[0]));
  return chosen;
}

// In slices of nodes: what is remembered of every column until a node is decided is no small thing where many
// small nodes of a table of many columns come at once.
std::vector<std::vector<Chosen>> ScoreChooser::choose_each(std::span<const NodeContext> nodes,
                                                           std::span<const std::vector<int>> variants,
                                                           RowStore& store, Team& team) {
  std::vector<std::vector<Chosen>> chosen;
  std::size_t from = 0, cells = 0;
  for (std::size_t to = 0; to < nodes.size(); ++to) {
    cells += variants[to].size() * nodes[to].columns->size();
    if (cells < kCellsAtOnce && to + 1 < nodes.size()) continue;
    auto slice =
        choose_slice(nodes.subspan(from, to + 1 - from), variants.subspan(from, to + 1 - from), store, team);
    if (from == 0) {
      chosen = std::move(slice);
    } else {
      std::move(slice.begin(), slice.end(), std::back_inserter(chosen));
    }
    from = to + 1;
    cells = 0;
  }
  return chosen;
}

// Columns after one of that score need no look: none of them is clearly better, and of equals the first wins.
double ScoreChooser::score_to_stop_at(const NodeContext& node, const Score& score) const {
  if (rules_.divide_by_price || rules_.average_gain_guard) return std::numeric_limits<double>::infinity();
  return score.highest_score(node.totals->view());
}

std::vector<std::vector<Chosen>> ScoreChooser::choose_slice(std::span<const NodeContext> nodes,
                                                            std::span<const std::vector<int>> variants,
                                                            RowStore& store, Team& team) {
  scratch_.resize(static_cast<std::size_t>(team.size()));
  span_scratch_.resize(static_cast<std::size_t>(team.size()));
  SpanRows* const spans = looks_at_spans_ ? store.span_rows() : nullptr;
  std::vector<std::vector<SpanLook>> looks(spans ? nodes.size() : 0);  // as `best`
  std::vector<std::vector<ColumnBest>> best(nodes.size());  // variant after variant, all columns each
  std::vector<NodePrices> prices(nodes.size());
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    best[i].resize(variants[i].size() * nodes[i].columns->size());
    prices[i] = prices_at(nodes[i]);
    if (spans) looks[i].resize(best[i].size());
  }
  // What some test is known to gain at each node, for its price: bounds below it need not be close, and tests
  // below it need not be found. Threads may see it late, which costs time and changes no choice.
  const std::size_t n_scores = scores_.size();
  std::vector<std::atomic<double>> most(filters_compare_ ? nodes.size() * n_scores : 0);
  for (auto& one : most) one.store(-std::numeric_limits<double>::infinity(), std::memory_order_relaxed);
  // From afar most columns are seen not to be worth a look. The one that promises most is looked at first.
  std::vector<std::vector<double>> reach(spans ? nodes.size() : 0);
  const auto known_at = [&](std::size_t i, std::size_t v) -> std::atomic<double>& {
    return most[i * n_scores + static_cast<std::size_t>(variants[i][v])];
  };
  const auto visit = [&](std::size_t i, std::size_t j, int worker) {
    const NodeContext& node = nodes[i];
    const std::uint32_t column = (*node.columns)[j];
    const std::size_t n_columns = node.columns->size(), n_variants = variants[i].size();
    if (std::isinf(prices[i].highest[column])) return;
    const bool told = spans && !reach[i].empty();
    const bool in_vain =
        told && (reach[i][j] == kNowhere || reach[i][j] < known_at(i, 0).load(std::memory_order_relaxed));
    if (!by_spans(node, column, prices[i], spans)) {
      if (in_vain) return;
      search(node, variants[i], column, prices[i], store, worker,
             most.empty() ? nullptr : &most[i * n_scores], best[i].data() + j, n_columns);
      return;
    }
    for (std::size_t v = 0; v < n_variants && !in_vain; ++v)
      looks[i][v * n_columns + j] = look_at_spans(node, *scores_[static_cast<std::size_t>(variants[i][v])],
                                                  column, prices[i], known_at(i, v), *spans, worker);
  };
  team.run(reach.size(), [&](std::size_t i, int worker) {
    if (variants[i].size() != 1) return;
    reach[i] = reaches(nodes[i], *scores_[static_cast<std::size_t>(variants[i][0])], prices[i], *spans,
                       worker, best[i]);
    std::size_t first = SIZE_MAX;
    for (std::size_t j = 0; j < reach[i].size(); ++j) {
      if (std::isfinite(reach[i][j]) && (first == SIZE_MAX || reach[i][j] > reach[i][first])) first = j;
    }
    if (first == SIZE_MAX) return;
    visit(i, first, worker);
    reach[i][first] = kNowhere;
  });
  const auto tasks = make_tasks(nodes);
  team.run(tasks.size(), [&](std::size_t task, int worker) {
    for (const Part& part : tasks[task]) {
      const auto& own = variants[part.node];
      const double enough =
          own.size() == 1 ? score_to_stop_at(nodes[part.node], *scores_[static_cast<std::size_t>(own[0])])
                          : std::numeric_limits<double>::infinity();
      for (std::size_t j = part.from; j < part.to; ++j) {
        const std::uint32_t column = (*nodes[part.node].columns)[j];
        if (spans && spans->opens(column) && by_spans(nodes[part.node], column, prices[part.node], spans))
          span_scratch_[static_cast<std::size_t>(worker)].pairs.seen +=
              nodes[part.node].totals->objects * static_cast<std::int64_t>(variants[part.node].size());
        visit(part.node, j, worker);
        const ColumnBest& found = best[part.node][j];
        if (found.found && !clearly_better(enough, found.score)) break;
      }
    }
  });
  if (spans && spans->elsewhere()) tell_of_spans(nodes, variants, prices, looks, best, *spans, team);
  if (spans) {
    team.run(nodes.size(), [&](std::size_t i, int worker) {
      const std::size_t n_columns = nodes[i].columns->size();
      for (std::size_t v = 0; v < variants[i].size(); ++v)
        open_spans(nodes[i], *scores_[static_cast<std::size_t>(variants[i][v])], prices[i],
                   std::span(looks[i]).subspan(v * n_columns, n_columns),
                   std::span(best[i]).subspan(v * n_columns, n_columns), *spans, worker);
    });
  }
  std::vector<std::vector<Chosen>> chosen(nodes.size());
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const std::size_t n_columns = nodes[i].columns->size();
    for (std::size_t v = 0; v < variants[i].size(); ++v) {
      const auto columns = std::span(best[i]).subspan(v * n_columns, n_columns);
      const Score& score = *scores_[static_cast<std::size_t>(variants[i][v])];
      chosen[i].push_back(decide(nodes[i], score, columns, prices[i], store));
    }
  }
  return chosen;
}

// The best so far, by its index in the node's columns.
struct ScoreChooser::Winner {
  std::size_t index = SIZE_MAX;
  double score = 0;
  bool found() const { return index != SIZE_MAX; }
  void offer(std::size_t other, double other_score) {
    if (found() && !clearly_better(other_score, score)) return;
    index = other;
    score = other_score;
  }
};

// C4.5's guard: what a column must gain to compete.
double ScoreChooser::gain_needed(std::span<const ColumnBest> columns) const {
  double sum = 0;
  std::size_t n = 0;
  for (const auto& c : columns) {
    if (!c.found || c.decrease <= 0) continue;
    sum += c.decrease;
    ++n;
  }
  return n > 0 ? sum / static_cast<double>(n) - kGuardSlack : 0;
}

// What scores are worth at one node, for their prices.
struct ScoreChooser::Market {
  const Score& rule;
  const std::vector<double>& prices;  // by column
  double cheapest = 0;                // 0: scores are not divided by prices
  double asking = 0;

  double value(double score, double price) const {
    return cheapest > 0 ? rule.per_price(score, price, cheapest) : score;
  }
  // A column's best test.
  double value(const ColumnBest& column, double price) const { return value(column.score, price); }
  // A column of which all codes are asked for; minus infinity where that was not looked at.
  double reading_value(const ColumnBest& column, double price) const {
    if (column.read <= 0) return -std::numeric_limits<double>::infinity();
    return value(column.read, reading_price(price, column.n_codes, asking));
  }
};

ScoreChooser::Market ScoreChooser::market_of(const Score& score, const NodePrices& prices) const {
  return {score, prices.least, prices.cheapest, rules_.divide_by_price ? prices_.asking() : 0};
}

// A bundle is worth what all combinations of its columns' codes are, for the price of all. Where it wins, the
// best single test among them is taken: the others have become cheaper below.
void ScoreChooser::offer_bundles(const NodeContext& node, const Market& market,
                                 std::span<const ColumnBest> columns, RowStore& store, Winner& winner) const {
  const std::size_t at_most = prices_.read_at_most();
  for (const Bundle& bundle : prices_.bundles(node.path)) {
    std::vector<std::uint32_t> members;
    bool few = true;  // codes of each member, as far as that goes: combinations are no fewer
    double price = bundle.setup;
    Winner best;
    for (std::size_t i = 0; i < bundle.columns.size(); ++i) {
      const auto at = std::lower_bound(node.columns->begin(), node.columns->end(), bundle.columns[i]);
      if (at == node.columns->end() || *at != bundle.columns[i]) continue;
      const auto j = static_cast<std::size_t>(at - node.columns->begin());
      if (columns[j].n_codes < 2) continue;
      members.push_back(*at);
      few = few && columns[j].n_codes <= at_most;
      price +=
          bundle.own[i] + prices_.asking() * std::ceil(std::log2(static_cast<double>(columns[j].n_codes)));
      if (columns[j].found && market.rule.admits(columns[j].decrease))
        best.offer(j, market.value(columns[j], market.prices[*at]));
    }
    ColumnRuns runs;
    if (members.size() < 2 || !few || !best.found() || !store.product_runs(node.node, members, runs) ||
        runs.codes.size() > at_most)
      continue;
    const double score = market.value(score_apart(market.rule, *node.totals, runs, price), price);
    if (winner.found() && !clearly_better(score, winner.score)) continue;
    winner = {best.index, score};
  }
}

Chosen ScoreChooser::decide(const NodeContext& node, const Score& score, std::span<ColumnBest> columns,
                            const NodePrices& prices, RowStore& store) {
  Chosen chosen;
  const Market market = market_of(score, prices);
  const double needed = rules_.average_gain_guard ? gain_needed(columns) : 0;
  const auto competes = [&](const ColumnBest& c) {
    if (!c.found || !score.admits(c.decrease)) return false;
    return !rules_.average_gain_guard || (c.decrease > 0 && c.decrease >= needed);
  };
  Winner winner;
  if (rules_.divide_by_price && prices_.free_first()) {
    for (std::size_t j = 0; j < columns.size(); ++j) {
      const std::uint32_t column = (*node.columns)[j];
      if (competes(columns[j]) && columns[j].score > 0 && prices.highest[column] <= prices_.asking())
        winner.offer(j, market.value(columns[j], prices.least[column]));
    }
  }
  const bool free = winner.found();
  for (std::size_t j = 0; j < columns.size(); ++j) {
    if (columns[j].constant) chosen.constant.push_back((*node.columns)[j]);
    if (free || !competes(columns[j])) continue;
    const double price = prices.least[(*node.columns)[j]];
    const double single = market.value(columns[j], price), reading = market.reading_value(columns[j], price);
    winner.offer(j, clearly_better(reading, single) ? reading : single);
  }
  if (!free && rules_.divide_by_price && prices_.read_at_most() > 0)
    offer_bundles(node, market, columns, store, winner);
  if (!winner.found()) return chosen;
  const std::uint32_t column = (*node.columns)[winner.index];
  ColumnBest& best = columns[winner.index];
  if (best.in_stream) {
    const SpanRows* const exact = columns_[column].spans ? store.span_rows() : nullptr;
    best.resolve(*store.stream(node.node, column), column, exact);
  }
  if (best.at_end) SpanSearch::resolve(*store.span_rows(), node.node, column, span_scratch_[0], best);
  chosen.choice =
      Choice{best.partition(column, columns_[column]), winner.score, best.decrease, prices.highest[column]};
  return chosen;
}

}  // namespace thriftree
