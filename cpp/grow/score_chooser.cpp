#include "grow/score_chooser.hpp"

namespace thriftree {

namespace {

constexpr std::size_t kCellsPerTask = 16384;
// As in C4.5 and J48: a gain within this of the average counts as average.
constexpr double kGuardSlack = 1e-3;

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

ScoreChooser::ScoreChooser(const Table& table, const Criterion& criterion, ScoreRules rules,
                           const PriceModel& prices)
    : table_(table), criterion_(criterion), rules_(std::move(rules)), prices_(prices) {}

ColumnBest ScoreChooser::search(const NodeContext& node, std::uint32_t column, double price, RowStore& store,
                                int worker) {
  const std::uint8_t kinds = rules_.kinds[column];
  const ColumnSearch search{criterion_, *node.totals,      table_.columns[column],
                            kinds,      rules_.candidates, price};
  auto& scratch = scratch_[static_cast<std::size_t>(worker)];
  if (kinds == kThreshold && criterion_.reads_streams() && !criterion_.scores_in_batches()) {
    if (const auto stream = store.stream(node.node, column)) return best_of_stream(search, *stream, scratch);
  }
  store.runs(node.node, column, worker, scratch.runs);
  return best_of_runs(search, scratch);
}

std::vector<Chosen> ScoreChooser::choose(std::span<const NodeContext> nodes, RowStore& store, Team& team) {
  scratch_.resize(static_cast<std::size_t>(team.size()));
  std::vector<std::vector<ColumnBest>> best(nodes.size());
  std::vector<std::vector<double>> prices(nodes.size());
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    best[i].resize(nodes[i].columns->size());
    prices[i].resize(table_.columns.size());
    prices_.marginal(nodes[i].path, prices[i]);
  }
  const auto tasks = make_tasks(nodes);
  team.run(tasks.size(), [&](std::size_t task, int worker) {
    for (const Part& part : tasks[task]) {
      for (std::size_t j = part.from; j < part.to; ++j) {
        const std::uint32_t column = (*nodes[part.node].columns)[j];
        best[part.node][j] = search(nodes[part.node], column, prices[part.node][column], store, worker);
      }
    }
  });
  std::vector<Chosen> chosen;
  chosen.reserve(nodes.size());
  for (std::size_t i = 0; i < nodes.size(); ++i)
    chosen.push_back(decide(nodes[i], best[i], prices[i], store));
  return chosen;
}

Chosen ScoreChooser::decide(const NodeContext& node, std::vector<ColumnBest>& columns,
                            const std::vector<double>& prices, RowStore& store) const {
  Chosen chosen;
  double gain_needed = 0;
  if (rules_.average_gain_guard) {
    double sum = 0;
    std::size_t n = 0;
    for (const auto& c : columns) {
      if (!c.found || c.decrease <= 0) continue;
      sum += c.decrease;
      ++n;
    }
    if (n > 0) gain_needed = sum / static_cast<double>(n) - kGuardSlack;
  }
  ColumnBest* winner = nullptr;
  std::uint32_t winner_column = 0;
  double winner_score = 0;
  for (std::size_t j = 0; j < columns.size(); ++j) {
    const std::uint32_t column = (*node.columns)[j];
    ColumnBest& c = columns[j];
    if (c.constant) chosen.constant.push_back(column);
    if (!c.found) continue;
    if (rules_.average_gain_guard && (c.decrease <= 0 || c.decrease < gain_needed)) continue;
    const double score = rules_.divide_by_price ? c.score / prices[column] : c.score;
    if (winner && !clearly_better(score, winner_score)) continue;
    winner = &c;
    winner_column = column;
    winner_score = score;
  }
  if (winner) {
    if (winner->in_stream) winner->resolve(*store.stream(node.node, winner_column));
    chosen.choice = Choice{winner->partition(winner_column, table_.columns[winner_column]), winner_score,
                           winner->decrease, prices[winner_column]};
  }
  return chosen;
}

}  // namespace thriftree
