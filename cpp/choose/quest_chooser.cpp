#include "choose/quest_chooser.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>

#include "choose/branch_gini.hpp"
#include "choose/discriminant.hpp"
#include "choose/quest_split.hpp"
#include "choose/quest_tests.hpp"

namespace thriftree {

namespace {

constexpr double kSameLogP =
    1e-12;  // logarithms closer than this, relatively, are a tie: the first column stays
constexpr std::size_t kMostKept = 1 << 18;  // values times classes that a node keeps while it is looked at

// What a node holds of a column; weights are those the tree grows by.
struct QuestColumn {
  std::uint32_t column = 0;
  std::vector<std::uint32_t> codes;  // of known values
  std::vector<std::int64_t> rows;
  std::vector<double> weight;   // [code * n_classes + class]
  std::vector<double> counts;   // the same without the factors of the classes; empty where these are 1
  std::vector<double> missing;  // of each class, where the column is missing; empty where it never is
  std::vector<double> values;   // from 0 to 1; categories have none

  std::span<const double> tested() const { return counts.empty() ? weight : counts; }
  std::size_t size() const { return codes.size(); }
};

std::size_t first_least(const std::vector<QuestCandidate>& candidates) {
  double least = candidates[0].log_p;
  for (const QuestCandidate& one : candidates) least = std::min(least, one.log_p);
  const double enough = least * (1 - kSameLogP);
  std::size_t i = 0;
  while (candidates[i].log_p > enough) ++i;
  return i;
}

// One node, looked at a column at a time; columns are kept as long as they are small.
class QuestNode {
 public:
  QuestNode(std::span<const Column> columns, const QuestRules& rules, double root_weight,
            const NodeContext& node, RowStore& store, int worker, Control& control)
      : columns_(columns),
        rules_(rules),
        root_weight_(root_weight),
        node_(node),
        store_(store),
        worker_(worker),
        poll_(control.poll_on(worker)),
        n_classes_(node.totals->sums.size()) {}

  std::optional<Choice> choice() {
    const std::vector<QuestCandidate> tested = each_column(false);
    if (tested.empty()) return {};
    for (const auto& [column, log_p] : quest_order(tested, rules_.alpha, [&] { return each_column(true); })) {
      const std::optional<QuestColumn> seen = look(column);
      const std::vector<std::int32_t> branch = branches(*seen);
      if (!branch.empty()) return choice_of(*seen, branch, log_p);
    }
    return {};
  }

 private:
  bool is_category(std::uint32_t column) const { return columns_[column].kind == ColumnKind::category; }

  // The columns that can be tested with log p: of all by analysis of variance or chi-squared, or of numbers
  // by Levene's test.
  std::vector<QuestCandidate> each_column(bool spreads) {
    std::vector<QuestCandidate> found;
    const bool again = !kept_.empty();
    std::size_t n_kept = 0;
    for (const std::uint32_t column : *node_.columns) {
      if (spreads && is_category(column)) continue;
      std::optional<QuestColumn> looked;
      const auto kept = std::find_if(kept_.begin(), kept_.end(),
                                     [&](const QuestColumn& one) { return one.column == column; });
      const QuestColumn* seen = kept != kept_.end() ? &*kept : nullptr;
      if (!seen) {
        looked = look(column);
        if (!looked) continue;
        seen = &*looked;
      }
      found.push_back({column, log_p(*seen, spreads)});
      n_kept += seen->weight.size();
      if (looked && !again && !is_category(column) && n_kept <= kMostKept)
        kept_.push_back(std::move(*looked));
    }
    return found;
  }

  double log_p(const QuestColumn& seen, bool spreads) const {
    if (is_category(seen.column)) return log_p_of_categories(seen.tested(), n_classes_);
    return spreads ? log_p_of_spreads(seen.values, seen.tested(), n_classes_)
                   : log_p_of_means(seen.values, seen.tested(), n_classes_);
  }

  // None where the known values, or the classes that have them, are fewer than two.
  std::optional<QuestColumn> look(std::uint32_t column) {
    poll_();
    const Column& book = columns_[column];
    ColumnRuns runs;
    store_.runs(node_.node, column, worker_, runs);
    std::size_t n = runs.codes.size();
    if (n < 2) return {};
    QuestColumn seen;
    seen.column = column;
    seen.weight = std::move(runs.sums);
    n_classes_ = seen.weight.size() / n;
    if (runs.codes.back() >= book.n_known()) {
      --n;
      const auto known = seen.weight.begin() + static_cast<std::ptrdiff_t>(n * n_classes_);
      seen.missing.assign(known, seen.weight.end());
      seen.weight.erase(known, seen.weight.end());
      if (n < 2 || n_classes_seen(seen.weight) < 2) return {};
    }
    runs.codes.resize(n);
    runs.rows.resize(n);
    seen.codes = std::move(runs.codes);
    seen.rows = std::move(runs.rows);
    if (!rules_.class_factors.empty()) {
      seen.counts = seen.weight;
      for (std::size_t i = 0; i < seen.counts.size(); ++i)
        seen.counts[i] /= rules_.class_factors[i % n_classes_];
    }
    if (is_category(column)) return seen;
    for (const std::uint32_t code : seen.codes)  // a binned number counts as the number of its bin
      seen.values.push_back(book.values.empty() ? static_cast<double>(code) : book.values[code]);
    scale_to_one(seen.values);
    return seen;
  }

  std::size_t n_classes_seen(const std::vector<double>& weight) const {
    std::vector<bool> seen(n_classes_, false);
    for (std::size_t i = 0; i < weight.size(); ++i) {
      if (weight[i] != 0) seen[i % n_classes_] = true;
    }
    return static_cast<std::size_t>(std::count(seen.begin(), seen.end(), true));
  }

  // The branch of every known value; none if the column cannot be divided.
  std::vector<std::int32_t> branches(const QuestColumn& seen) {
    const std::size_t n = seen.size();
    const bool category = is_category(seen.column);
    std::vector<std::size_t> placed, rare;
    // Of two categories none is rare, missing being one.
    const bool may_be_rare = category && rules_.subset_min_rows && n + (seen.missing.empty() ? 0 : 1) > 2;
    for (std::size_t i = 0; i < n; ++i)
      (may_be_rare && seen.rows[i] < *rules_.subset_min_rows ? rare : placed).push_back(i);
    std::vector<double> weight;
    for (const std::size_t i : placed) {
      const auto row = seen.weight.begin() + static_cast<std::ptrdiff_t>(i * n_classes_);
      weight.insert(weight.end(), row, row + static_cast<std::ptrdiff_t>(n_classes_));
    }
    if (placed.size() < 2 || n_classes_seen(weight) < 2) return {};
    std::vector<double> scores = seen.values;
    if (category) {
      const std::vector<double> given = discriminant_scores(weight, static_cast<int>(n_classes_), poll_);
      std::vector<std::size_t> order(placed.size());
      std::iota(order.begin(), order.end(), std::size_t{0});
      std::stable_sort(order.begin(), order.end(),
                       [&](std::size_t a, std::size_t b) { return given[a] < given[b]; });
      std::vector<std::size_t> in_order;
      for (const std::size_t i : order) {
        scores.push_back(given[i]);
        in_order.push_back(placed[i]);
      }
      placed = std::move(in_order);
      for (std::size_t i = 0; i < placed.size(); ++i)
        std::copy_n(seen.weight.begin() + static_cast<std::ptrdiff_t>(placed[i] * n_classes_), n_classes_,
                    weight.begin() + static_cast<std::ptrdiff_t>(i * n_classes_));
    }
    const std::size_t wanted = quest_n_left(scores, weight, n_classes_);
    const std::optional<Cut> cut = nearest_cut(seen, placed, rare, wanted);
    if (!cut) return {};
    std::vector<std::int32_t> branch(n, cut->rare_left ? 0 : 1);
    for (std::size_t i = 0; i < placed.size(); ++i) branch[placed[i]] = i < cut->n_left ? 0 : 1;
    return branch;
  }

  struct Cut {
    std::size_t n_left;
    bool rare_left;
  };

  // Of the numbers of values that may go left, in this order, the nearest to the one wanted: both branches
  // keep what they must.
  std::optional<Cut> nearest_cut(const QuestColumn& seen, const std::vector<std::size_t>& placed,
                                 const std::vector<std::size_t>& rare, std::size_t wanted) const {
    // Of a figure of values: what goes left with each number of them, the rare ones aside.
    const auto up_to = [&](const auto& figure) {
      std::vector<double> sums;
      double sum = 0;
      for (const std::size_t i : placed) sums.push_back(sum += figure(i));
      return sums;
    };
    const auto row_sum = [&](std::span<const double> table, std::size_t i) {
      return pairwise_sum(table.data() + i * n_classes_, n_classes_);
    };
    const std::vector<double> weight = up_to([&](std::size_t i) { return row_sum(seen.weight, i); });
    std::vector<bool> fits(placed.size() - 1, true), rare_left(placed.size() - 1);
    for (std::size_t c = 0; c < fits.size(); ++c) rare_left[c] = weight[c] >= weight.back() - weight[c];
    // What the side has that has less of a figure.
    const auto keep = [&](const auto& figure, const auto& is_enough) {
      const std::vector<double> sums = up_to(figure);
      double of_rare = 0;
      for (const std::size_t i : rare) of_rare += figure(i);
      for (std::size_t c = 0; c < fits.size(); ++c) {
        const double left = sums[c] + (rare_left[c] ? of_rare : 0);
        if (!is_enough(std::min(left, sums.back() + of_rare - left))) fits[c] = false;
      }
    };
    keep([&](std::size_t i) { return static_cast<double>(seen.rows[i]); },
         [&](double rows) { return rows >= static_cast<double>(rules_.min_leaf_rows); });
    if (rules_.min_leaf_share > 0) {
      // The slack is for shares that are met exactly but for rounding.
      const double least = rules_.min_leaf_share * root_weight_ * (1 - 1e-12);
      keep([&](std::size_t i) { return row_sum(seen.tested(), i); },
           [&](double kept) { return kept >= least; });
    }
    if (is_category(seen.column) && rules_.subset_max_categories) {
      const auto most = static_cast<double>(*rules_.subset_max_categories);
      keep([](std::size_t) { return 1.0; }, [&](double fewer) { return fewer <= most; });
    }
    std::optional<Cut> best;
    const auto distance = [&](std::size_t n) { return n > wanted ? n - wanted : wanted - n; };
    for (std::size_t c = 0; c < fits.size(); ++c) {
      if (fits[c] && (!best || distance(c + 1) < distance(best->n_left))) best = Cut{c + 1, rare_left[c]};
    }
    return best;
  }

  // Values go to these branches; missing values where both branches are purer for it.
  Choice choice_of(const QuestColumn& seen, const std::vector<std::int32_t>& branch, double log_p) const {
    std::vector<std::vector<double>> sides(2, std::vector<double>(n_classes_, 0.0));
    for (std::size_t i = 0; i < seen.weight.size(); ++i)
      sides[static_cast<std::size_t>(branch[i / n_classes_])][i % n_classes_] += seen.weight[i];
    Choice choice;
    if (!seen.missing.empty()) {
      std::vector<std::vector<double>> with = sides;
      for (auto& side : with) {
        for (std::size_t k = 0; k < n_classes_; ++k) side[k] += seen.missing[k];
      }
      const double left = gini_mass(with[0]) + gini_mass(sides[1]);
      const double right = gini_mass(sides[0]) + gini_mass(with[1]);
      const std::size_t side = left <= right * (1 + 1e-12) ? 0 : 1;
      choice.partition.missing = static_cast<std::int32_t>(side);
      sides[side] = std::move(with[side]);
    }
    choice.partition.column = seen.column;
    choice.partition.last = seen.codes;
    choice.partition.to = branch;
    choice.score = std::min(-log_p, std::numeric_limits<double>::max());
    choice.decrease = gini_decrease(sides);
    return choice;
  }

  std::span<const Column> columns_;
  const QuestRules& rules_;
  double root_weight_;
  const NodeContext& node_;
  RowStore& store_;
  int worker_;
  std::function<void()> poll_;
  std::size_t n_classes_;
  std::vector<QuestColumn> kept_;
};

// Memory that is booked until it ends.
class Booking {
 public:
  Booking(Control& control, std::size_t bytes) : control_(control), bytes_(bytes) {
    control.reserve(bytes, "what a node holds of a column");
  }
  ~Booking() { control_.release(bytes_); }
  Booking(const Booking&) = delete;
  Booking& operator=(const Booking&) = delete;

 private:
  Control& control_;
  std::size_t bytes_;
};

class QuestChooser final : public Chooser {
 public:
  QuestChooser(std::span<const Column> columns, const QuestRules& rules, Control& control)
      : columns_(columns), rules_(rules), control_(control) {}

  bool needs_path() const override { return false; }

  std::vector<Chosen> choose(std::span<const NodeContext> nodes, RowStore& store, Team& team) override {
    for (const NodeContext& node : nodes) {
      if (node.node == 0) root_weight_ = node.totals->weight;
    }
    const Booking booking(control_, bytes_of(nodes) * static_cast<std::size_t>(team.size()));
    std::vector<Chosen> chosen(nodes.size());
    team.run(nodes.size(), [&](std::size_t i, int worker) {
      chosen[i].choice =
          QuestNode(columns_, rules_, root_weight_, nodes[i], store, worker, control_).choice();
    });
    return chosen;
  }

 private:
  // That a thread takes at most for one of these nodes: for a column, and for those that are kept.
  std::size_t bytes_of(std::span<const NodeContext> nodes) const {
    std::size_t most = 0;
    for (const NodeContext& node : nodes) {
      const auto rows = static_cast<std::size_t>(node.totals->rows);
      std::size_t largest = 0, all = 0;
      for (const std::uint32_t column : *node.columns) {
        const std::size_t values = std::min<std::size_t>(columns_[column].n_codes, rows);
        largest = std::max(largest, values);
        all += values;
      }
      const std::size_t n_classes = node.totals->sums.size();
      const std::size_t kept = std::min(all, kMostKept / n_classes);
      most = std::max(most, (largest + kept) * (2 * n_classes + 6) * sizeof(double));
    }
    return most;
  }

  std::span<const Column> columns_;
  const QuestRules& rules_;
  Control& control_;
  double root_weight_ = 0;
};

}  // namespace

std::vector<QuestCandidate> quest_order(const std::vector<QuestCandidate>& tested, double alpha,
                                        const std::function<std::vector<QuestCandidate>()>& spreads) {
  QuestCandidate chosen = tested[first_least(tested)];
  const auto n = static_cast<double>(tested.size());
  if (chosen.log_p > std::log(alpha / n)) {
    const std::vector<QuestCandidate> measured = spreads();
    if (!measured.empty()) {
      const QuestCandidate least = measured[first_least(measured)];
      if (least.log_p <= std::log(alpha / (n + static_cast<double>(measured.size())))) chosen = least;
    }
  }
  std::vector<QuestCandidate> order = tested;
  std::stable_sort(order.begin(), order.end(),
                   [](const QuestCandidate& a, const QuestCandidate& b) { return a.log_p < b.log_p; });
  std::erase_if(order, [&](const QuestCandidate& one) { return one.column == chosen.column; });
  order.insert(order.begin(), chosen);
  return order;
}

std::unique_ptr<Chooser> make_quest_chooser(std::span<const Column> columns, const QuestRules& rules,
                                            Control& control) {
  return std::make_unique<QuestChooser>(columns, rules, control);
}

}  // namespace thriftree
