#include "choose/chaid_chooser.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <optional>
#include <string>

#include "choose/branch_gini.hpp"

namespace thriftree {

namespace {

// The rows of a column at a node as what is grouped, of the classes that the node has.
struct ColumnCategories {
  std::uint32_t column = 0;
  std::vector<std::uint32_t> codes;
  std::vector<double> table;
  std::vector<GroupSize> sizes;
  bool ordered = false, missing_seen = false;
  double bound = 0;  // no grouping has a smaller log p-value

  Categories view() const { return {table, sizes, ordered, ordered && missing_seen}; }
};

class ChaidChooser final : public Chooser {
 public:
  ChaidChooser(std::span<const Column> columns, const ChaidRules& rules, ChaidSplits& splits,
               Control& control)
      : columns_(columns), rules_(rules), splits_(splits), control_(control) {}

  std::vector<Chosen> choose(std::span<const NodeContext> nodes, RowStore& store, Team& team) override {
    std::vector<std::optional<ChaidSplit>> found(nodes.size());
    std::vector<Chosen> chosen(nodes.size());
    team.run(nodes.size(), [&](std::size_t i, int worker) {
      found[i] = best_split(nodes[i], store, worker, team.size());
      if (found[i]) chosen[i].choice = choice_of(nodes[i], *found[i], store, worker);
    });
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      if (!found[i]) continue;
      std::vector<std::pair<std::uint32_t, std::int32_t>> path;
      for (const PathStep& step : nodes[i].path) path.emplace_back(step.column, step.branch);
      splits_.insert_or_assign(std::move(path), std::move(*found[i]));
    }
    return chosen;
  }

 private:
  std::optional<ChaidSplit> best_split(const NodeContext& node, RowStore& store, int worker,
                                       int n_workers) const {
    ChaidLimits limits;
    limits.poll = control_.poll_on(worker);
    limits.afford = [&](std::size_t bytes) { afford(bytes * static_cast<std::size_t>(n_workers)); };
    std::vector<std::size_t> classes;
    for (std::size_t k = 0; k < node.totals->sums.size(); ++k) {
      if (node.totals->sums[k] > 0) classes.push_back(k);
    }
    ContingencyTests tests(rules_.statistic, classes.size());
    std::vector<ColumnCategories> columns = categories_of(node, store, worker, classes);
    for (ColumnCategories& column : columns) column.bound = least_log_p(column.view(), rules_, tests);
    // The most promising columns first: the others need not be grouped once they cannot win.
    std::vector<std::size_t> order(columns.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return columns[a].bound < columns[b].bound; });
    const double log_alpha = std::log(rules_.alpha_split);
    std::vector<std::optional<Grouping>> found(columns.size());
    double least = log_alpha;
    for (const std::size_t j : order) {
      if (std::min(0.0, columns[j].bound) > least + 1e-9 * std::abs(least)) break;
      limits.poll();
      found[j] = group_categories(columns[j].view(), rules_, tests, limits);
      if (found[j] && std::min(0.0, found[j]->log_adjusted) > log_alpha) found[j].reset();
      if (found[j]) least = std::min(least, found[j]->log_adjusted);
    }
    const std::optional<std::size_t> best = first_of_least(found);
    if (!best) return {};
    ColumnCategories& winner = columns[*best];
    return ChaidSplit{winner.column, std::move(winner.codes), winner.missing_seen, std::move(*found[*best])};
  }

  // Tasks cannot book memory, so what each takes for a moment is only compared with what is left.
  void afford(std::size_t bytes) const {
    if (bytes <= control_.memory_limit_bytes - std::min(control_.used_bytes(), control_.memory_limit_bytes))
      return;
    throw MemoryLimitReached("to group the categories of a column takes " +
                             std::to_string((bytes >> 20) + 1) + " MB, but memory_limit_mb allows " +
                             std::to_string(control_.memory_limit_bytes >> 20) +
                             " MB: raise the limit, or put rare categories together");
  }

  // The columns that have two categories or more here.
  std::vector<ColumnCategories> categories_of(const NodeContext& node, RowStore& store, int worker,
                                              const std::vector<std::size_t>& classes) const {
    std::vector<ColumnCategories> found;
    ColumnRuns runs;
    for (const std::uint32_t column : *node.columns) {
      runs.clear();
      store.runs(node.node, column, worker, runs);
      const std::size_t n = runs.codes.size();
      if (n < 2) continue;
      ColumnCategories one;
      one.column = column;
      one.ordered = columns_[column].kind != ColumnKind::category;
      one.missing_seen = columns_[column].has_missing && runs.codes.back() + 1 == columns_[column].n_codes;
      const std::size_t width = runs.sums.size() / n;
      one.table.reserve(n * classes.size());
      one.sizes.reserve(n);
      for (std::size_t i = 0; i < n; ++i) {
        double weight = 0;
        for (const std::size_t k : classes) {
          one.table.push_back(runs.sums[i * width + k]);
          weight += one.table.back();
        }
        one.sizes.push_back({static_cast<double>(runs.rows[i]), weight});
      }
      one.codes = std::exchange(runs.codes, {});
      found.push_back(std::move(one));
    }
    return found;
  }

  // The grouping of the smallest adjusted p-value; of equals that of the first column.
  static std::optional<std::size_t> first_of_least(const std::vector<std::optional<Grouping>>& found) {
    std::optional<std::size_t> best;
    for (std::size_t j = 0; j < found.size(); ++j) {
      if (!found[j]) continue;
      const double least = best ? found[*best]->log_adjusted : 0;
      if (!best || found[j]->log_adjusted < least - 1e-12 * std::abs(least)) best = j;
    }
    return best;
  }

  static Choice choice_of(const NodeContext& node, const ChaidSplit& split, RowStore& store, int worker) {
    ColumnRuns runs;
    store.runs(node.node, split.column, worker, runs);
    const std::size_t n = split.codes.size(), width = runs.sums.size() / n;
    const GroupMembers& groups = split.grouping.groups;
    std::vector<std::int32_t> branch(n);
    std::vector<std::vector<double>> sums(groups.size(), std::vector<double>(width, 0.0));
    for (std::size_t g = 0; g < groups.size(); ++g) {
      for (const std::uint32_t i : groups[g]) {
        branch[i] = static_cast<std::int32_t>(g);
        for (std::size_t k = 0; k < width; ++k) sums[g][k] += runs.sums[i * width + k];
      }
    }
    Choice choice;
    Partition& partition = choice.partition;
    partition.column = split.column;
    partition.n_branches = static_cast<int>(groups.size());
    partition.last = split.codes;
    if (split.missing_seen) {
      partition.last.pop_back();
      partition.missing = branch.back();
      branch.pop_back();
    }
    partition.to = std::move(branch);
    choice.score = std::max(0.0, -split.grouping.log_adjusted / std::numbers::ln10);  // -log10 of p
    choice.decrease = gini_decrease(sums);
    return choice;
  }

  std::span<const Column> columns_;
  const ChaidRules& rules_;
  ChaidSplits& splits_;
  Control& control_;
};

}  // namespace

std::unique_ptr<Chooser> make_chaid_chooser(std::span<const Column> columns, const ChaidRules& rules,
                                            ChaidSplits& splits, Control& control) {
  return std::make_unique<ChaidChooser>(columns, rules, splits, control);
}

}  // namespace thriftree
