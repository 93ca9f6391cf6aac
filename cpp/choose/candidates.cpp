#include "choose/candidates.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "choose/branch_prices.hpp"
#include "choose/chooser.hpp"

namespace thriftree {

namespace {

constexpr std::size_t kMostCodesForAllSubsets = 8;

// The runs of one column at one node, and the candidates made of them.
class RunSearch {
 public:
  RunSearch(const ColumnSearch& search, CandidateScratch& scratch, ColumnBest& best)
      : score_(search.score),
        node_(search.node),
        rules_(search.rules),
        price_(search.price),
        shared_(search.shared),
        scratch_(scratch),
        runs_(scratch.runs),
        best_(best),
        width_(score_.width(node_.view())),
        missing_seen_(search.column.has_missing && runs_.codes.back() == search.column.n_codes - 1),
        n_known_(runs_.codes.size() - (missing_seen_ ? 1 : 0)),
        prices_(search.code_prices, runs_.codes) {}

  void thresholds() {
    if (runs_.codes.size() == 2 && !score_.batch_scoring()) return only_threshold();
    scratch_.order.resize(n_known_);
    std::iota(scratch_.order.begin(), scratch_.order.end(), 0U);
    const auto found = best_prefix(threshold_limits(rules_, score_, node_), true);
    if (!found || !offer(kThreshold, *found)) return;
    const std::size_t length = prefix_length(found->id);
    best_.missing_alone = length == n_known_;
    best_.missing = missing_branch(found->id);
    if (best_.missing_alone) return;
    best_.lower = runs_.codes[length - 1];
    best_.upper = runs_.codes[length];
  }

  void one_vs_rest() {
    // With two codes the second candidate is the first one mirrored.
    const std::size_t n = runs_.codes.size() == 2 ? 1 : runs_.codes.size();
    resize_candidates(n);
    std::copy_n(runs_.sums.begin(), n * width_, scratch_.left.begin());
    std::copy_n(runs_.totals.begin(), n, scratch_.left_total.begin());
    std::copy_n(runs_.rows.begin(), n, scratch_.left_rows.begin());
    const auto found = best_candidate(rules_.limits, false, [&](std::size_t id) {
      return prices_.cheapness([&](std::size_t run) { return run == id; });
    });
    if (!found || !offer(kOneVsRest, *found)) return;
    best_.codes = runs_.codes;
    best_.to.assign(runs_.codes.size(), 1);
    best_.to[found->id] = 0;
  }

  void subsets() {
    if (runs_.codes.size() <= kMostCodesForAllSubsets) {
      all_subsets();
    } else {
      ordered_subsets();
    }
  }

  void multiway() {
    // Quinlan's rule: at least two branches must be large enough; of two branches that means both.
    std::size_t large_enough = 0;
    for (std::size_t i = 0; i < runs_.codes.size(); ++i) {
      large_enough += rules_.limits.allow(runs_.rows[i], runs_.totals[i]);
    }
    if (large_enough < 2) return;
    Found found;
    if (prices_.differ()) {
      found.decrease = found.score = at_prices({runs_.sums, runs_.totals}, prices_.cheapness_apart(0));
    } else {
      found.score = score_apart(score_, node_, runs_, price_);
      found.decrease = score_.batch_scoring()
                           ? found.score
                           : score_.decrease(node_.view(), BranchSums(runs_.sums, runs_.totals));
    }
    if (!offer(kMultiway, found)) return;
    best_.codes = runs_.codes;
    best_.to.resize(runs_.codes.size());
    std::iota(best_.to.begin(), best_.to.end(), 0);
  }

 private:
  struct Found {
    std::size_t id = 0;
    double decrease = 0, score = 0;
  };

  // Two codes, so one cut, and its branches are the runs. (The second may be the missing code.)
  void only_threshold() {
    const BranchLimits limits = threshold_limits(rules_, score_, node_);
    if (!limits.allow(runs_.rows[0], runs_.totals[0]) || !limits.allow(runs_.rows[1], runs_.totals[1]))
      return;
    const BranchSums branches(runs_.sums, runs_.totals);
    Found found;
    found.decrease =
        (shared_ ? score_.family()->decrease_from(*shared_, node_.view()) : decrease_of_two(branches)) -
        threshold_penalty(rules_, missing_seen_ ? 0 : 1, node_);
    found.score = score_.score(found.decrease, node_.view(), branches);
    if (!offer(kThreshold, found)) return;
    best_.missing_alone = missing_seen_;
    best_.missing = missing_seen_ ? 1 : -1;
    best_.lower = runs_.codes[0];
    best_.upper = runs_.codes[1];
  }

  double decrease_of_two(const BranchSums& branches) const {
    if (prices_.differ()) return at_prices(branches, prices_.cheapness_apart(0));
    return score_.decrease(node_.view(), branches);
  }
  double at_prices(const BranchSums& branches, std::span<const double> cheapness) const {
    return score_.branch_pricing()->decrease_at_prices(node_.view(), branches, cheapness);
  }

  // The first code stays left; candidate c sends code i + 1 right if bit i of c + 1 is set. The missing code,
  // being last, is the highest bit, so a tie leaves it on the left.
  void all_subsets() {
    const std::size_t m = runs_.codes.size(), n_candidates = (std::size_t{1} << (m - 1)) - 1;
    sum_subsets(n_candidates);
    const auto goes_left = [](std::size_t id, std::size_t run) {
      return run == 0 || !(((id + 1) >> (run - 1)) & 1);
    };
    const auto found = best_candidate(rules_.limits, false, [&](std::size_t id) {
      return prices_.cheapness([&](std::size_t run) { return goes_left(id, run); });
    });
    if (!found || !offer(kSubset, *found)) return;
    best_.codes = runs_.codes;
    best_.to.resize(m);
    for (std::size_t i = 0; i < m; ++i) best_.to[i] = goes_left(found->id, i) ? 0 : 1;
  }

  // Run after run, so that the runs of a candidate are added in their order: of those that are settled for
  // the runs before, one with this run on the right is copied, and one with it on the left is made.
  void sum_subsets(std::size_t n_candidates) {
    resize_candidates(n_candidates + 1);
    const auto place = [&](std::size_t right) { return right == 0 ? n_candidates : right - 1; };
    set_run(place(0), 0);
    for (std::size_t i = 1; i < runs_.codes.size(); ++i) {
      const std::size_t bit = std::size_t{1} << (i - 1);
      for (std::size_t right = 0; right < bit; ++right) {
        copy_candidate(place(right), place(right | bit));
        add_run(place(right), i);
      }
    }
    resize_candidates(n_candidates);  // without the one that has nothing on the right
  }

  // Prefixes of the known codes in ascending order of the share of one class (the second of two; else the
  // node's heaviest, the first of equals) or of the mean target, ties by code. For two classes and a concave
  // impurity, and for squared error, the best subset is among them (Breiman et al. 1984, theorem 4.5).
  void ordered_subsets() {
    std::size_t k = 1;
    const auto n_classes = static_cast<std::ptrdiff_t>(score_.statistics().base);
    if (!score_.for_numbers() && n_classes > 2) {
      const auto begin = node_.sums.begin();
      k = static_cast<std::size_t>(std::max_element(begin, begin + n_classes) - begin);
    }
    auto& by_share = scratch_.by_share;
    by_share.resize(n_known_);
    for (std::size_t i = 0; i < n_known_; ++i)
      by_share[i] = {runs_.sums[i * width_ + k] / runs_.totals[i], static_cast<std::uint32_t>(i)};
    std::sort(by_share.begin(), by_share.end());
    auto& order = scratch_.order;
    order.resize(n_known_);
    for (std::size_t i = 0; i < n_known_; ++i) order[i] = by_share[i].second;
    const auto found = best_prefix(rules_.limits, false);
    if (!found || !offer(kSubset, *found)) return;
    best_.codes = runs_.codes;
    best_.to.assign(runs_.codes.size(), 1);
    for (std::size_t i = 0; i < prefix_length(found->id); ++i) best_.to[order[i]] = 0;
    if (missing_seen_) best_.to[n_known_] = missing_branch(found->id);
  }

  // Prefixes of scratch_.order on the left. Where missing was seen, candidate 2i has it on the left of the
  // prefix of length i + 1, candidate 2i + 1 on the right; the last candidate, 2 (n_known - 1), is known
  // against missing.
  std::optional<Found> best_prefix(const BranchLimits& limits, bool thresholds) {
    if (!missing_seen_) {
      sum_prefixes();
      return best_of_prefixes(limits, thresholds);
    }
    resize_candidates(2 * n_known_ - 1);
    for (std::size_t i = 0; i < n_known_; ++i) {
      const bool is_last = i + 1 == n_known_;
      const std::size_t prefix = is_last ? 2 * i : 2 * i + 1;
      if (i == 0) {
        set_run(prefix, scratch_.order[i]);
      } else {
        copy_candidate(2 * i - 1, prefix);
        add_run(prefix, scratch_.order[i]);
      }
      if (is_last) continue;
      copy_candidate(prefix, 2 * i);
      add_run(2 * i, n_known_);
    }
    return best_of_prefixes(limits, thresholds);
  }
  std::optional<Found> best_of_prefixes(const BranchLimits& limits, bool thresholds) {
    const BranchPrices::Prefixes prices(prices_, scratch_.order);
    return best_candidate(limits, thresholds, [&](std::size_t id) {
      return prices.cheapness(prefix_length(id), missing_branch(id) == 0);
    });
  }
  std::size_t prefix_length(std::size_t id) const { return (missing_seen_ ? id / 2 : id) + 1; }
  std::int32_t missing_branch(std::size_t id) const {
    if (!missing_seen_) return -1;
    return prefix_length(id) == n_known_ ? 1 : static_cast<std::int32_t>(id % 2);
  }

  // The candidates of best_prefix where nothing is missing, in one pass.
  void sum_prefixes() {
    const std::size_t n = n_known_ - 1;
    resize_candidates(n);
    double total = 0;
    std::int64_t rows = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const std::size_t run = scratch_.order[i];
      const double* before = scratch_.left.data() + (i > 0 ? i - 1 : 0) * width_;
      double* sums = scratch_.left.data() + i * width_;
      for (std::size_t k = 0; k < width_; ++k)
        sums[k] = (i > 0 ? before[k] : 0.0) + runs_.sums[run * width_ + k];
      scratch_.left_total[i] = total += runs_.totals[run];
      scratch_.left_rows[i] = rows += runs_.rows[run];
    }
  }

  // Those there are keep their sums; new ones are for the caller to set.
  void resize_candidates(std::size_t n) {
    scratch_.left.resize(n * width_);
    scratch_.left_total.resize(n);
    scratch_.left_rows.resize(n);
  }
  void copy_candidate(std::size_t from, std::size_t to) {
    std::copy_n(scratch_.left.data() + from * width_, width_, scratch_.left.data() + to * width_);
    scratch_.left_total[to] = scratch_.left_total[from];
    scratch_.left_rows[to] = scratch_.left_rows[from];
  }
  void set_run(std::size_t candidate, std::size_t i) {
    std::copy_n(runs_.sums.data() + i * width_, width_, scratch_.left.data() + candidate * width_);
    scratch_.left_total[candidate] = runs_.totals[i];
    scratch_.left_rows[candidate] = runs_.rows[i];
  }
  void add_run(std::size_t candidate, std::size_t i) {
    double* sums = scratch_.left.data() + candidate * width_;
    for (std::size_t k = 0; k < width_; ++k) sums[k] += runs_.sums[i * width_ + k];
    scratch_.left_total[candidate] += runs_.totals[i];
    scratch_.left_rows[candidate] += runs_.rows[i];
  }

  // cheapness(candidate): of its two branches.
  template <class Cheapness>
  std::optional<Found> best_candidate(const BranchLimits& limits, bool thresholds,
                                      const Cheapness& cheapness) {
    if (prices_.differ()) return best_at_prices(limits, cheapness);
    if (score_.batch_scoring()) return best_by_batch(limits);
    BinarySearch search(score_, node_, limits, scratch_.search);
    search.consider(static_cast<int>(scratch_.left_total.size()), scratch_.left.data(),
                    scratch_.left_total.data(), scratch_.left_rows.data(), 0);
    if (!search.found()) return {};
    const double penalty = thresholds ? threshold_penalty(rules_, thresholds_on_offer(limits), node_) : 0;
    const double decrease = search.decrease() - penalty;
    return Found{search.id(), decrease, search.score(decrease)};
  }

  bool allowed(const BranchLimits& limits, std::size_t candidate) const {
    const double total = scratch_.left_total[candidate];
    const std::int64_t rows = scratch_.left_rows[candidate];
    return limits.allow(rows, total) && limits.allow(node_.rows - rows, node_.total - total);
  }

  // Each threshold once, whichever side missing values may go to.
  std::size_t thresholds_on_offer(const BranchLimits& limits) const {
    const std::size_t variants = missing_seen_ ? 2 : 1;
    std::size_t n = 0;
    for (std::size_t i = 0; i + 1 < n_known_; ++i) {
      n += allowed(limits, variants * i) || allowed(limits, variants * i + variants - 1);
    }
    return n;
  }

  template <class Cheapness>
  std::optional<Found> best_at_prices(const BranchLimits& limits, const Cheapness& cheapness) {
    std::optional<Found> best;
    std::vector<double> branches(2 * width_);
    for (std::size_t c = 0; c < scratch_.left_total.size(); ++c) {
      if (!allowed(limits, c)) continue;
      const double* left = scratch_.left.data() + c * width_;
      for (std::size_t k = 0; k < width_; ++k) {
        branches[k] = left[k];
        branches[width_ + k] = node_.sums[k] - left[k];
      }
      const double totals[2] = {scratch_.left_total[c], node_.total - scratch_.left_total[c]};
      const double decrease = at_prices({branches, totals}, cheapness(c));
      if (!best || clearly_better(decrease, best->decrease)) best = Found{c, decrease, decrease};
    }
    return best;
  }

  std::optional<Found> best_by_batch(const BranchLimits& limits) {
    std::vector<std::size_t> ids;
    std::vector<double> branches;
    for (std::size_t c = 0; c < scratch_.left_total.size(); ++c) {
      if (!allowed(limits, c)) continue;
      ids.push_back(c);
      const double* left = scratch_.left.data() + c * width_;
      branches.insert(branches.end(), left, left + width_);
      for (std::size_t k = 0; k < width_; ++k) branches.push_back(node_.sums[k] - left[k]);
    }
    if (ids.empty()) return {};
    std::vector<double> scores(ids.size());
    score_.batch_scoring()->score_candidates(node_.view(), branches, ids.size(), 2, price_, scores);
    std::size_t best = 0;
    for (std::size_t c = 1; c < scores.size(); ++c) {
      if (clearly_better(scores[c], scores[best])) best = c;
    }
    return Found{ids[best], scores[best], scores[best]};
  }

  // Takes the candidate if it beats the column's best so far.
  bool offer(CandidateKind kind, const Found& found) {
    if (best_.found && !clearly_better(found.score, best_.score)) return false;
    best_.found = true;
    best_.kind = kind;
    best_.decrease = found.decrease;
    best_.score = found.score;
    return true;
  }

  const Score& score_;
  const NodeTotals& node_;
  const CandidateRules& rules_;
  double price_;
  const SharedTerms* shared_;
  CandidateScratch& scratch_;
  const ColumnRuns& runs_;
  ColumnBest& best_;
  std::size_t width_;
  bool missing_seen_;
  std::size_t n_known_;  // runs before the missing one
  BranchPrices prices_;
};

double score_to_read(const ColumnSearch& search, const ColumnRuns& runs) {
  const BranchPrices prices(search.code_prices, runs.codes);
  if (!prices.differ()) return score_apart(search.score, search.node, runs, search.price);
  const double questions = reading_price(0, runs.codes.size(), search.asking);
  return search.score.branch_pricing()->decrease_at_prices(search.node.view(), {runs.sums, runs.totals},
                                                           prices.cheapness_apart(questions));
}

}  // namespace

BranchLimits threshold_limits(const CandidateRules& rules, const Score& score, const NodeTotals& node) {
  BranchLimits limits = rules.limits;
  if (rules.threshold_minimum) {
    const double tenth = 0.1 * node.total / static_cast<double>(score.statistics().base);
    limits.weight = std::max(limits.weight, std::min(tenth, 25.0));
  }
  return limits;
}

double threshold_penalty(const CandidateRules& rules, std::size_t n_thresholds, const NodeTotals& node) {
  if (!rules.threshold_penalty || n_thresholds == 0) return 0;
  return std::log2(static_cast<double>(n_thresholds)) / node.weight;
}

double score_apart(const Score& score, const NodeTotals& node, const ColumnRuns& runs, double price) {
  if (const BatchScoring* batches = score.batch_scoring()) {
    double result = 0;
    batches->score_candidates(node.view(), runs.sums, 1, runs.codes.size(), price, {&result, 1});
    return result;
  }
  const BranchSums branches(runs.sums, runs.totals);
  return score.score(score.decrease(node.view(), branches), node.view(), branches);
}

double reading_price(double price, std::size_t n_codes, double asking) {
  return price + (std::ceil(std::log2(static_cast<double>(n_codes))) - 1) * asking;
}

ColumnBest best_of_runs(const ColumnSearch& search, CandidateScratch& scratch) {
  ColumnBest best;
  best.constant = scratch.runs.codes.size() < 2;
  if (best.constant) return best;
  best.n_codes = static_cast<std::uint32_t>(scratch.runs.codes.size());
  if (search.read && best.n_codes > 2) best.read = score_to_read(search, scratch.runs);
  RunSearch runs(search, scratch, best);
  if (search.kinds & kThreshold) runs.thresholds();
  if (search.kinds & kOneVsRest) runs.one_vs_rest();
  if (search.kinds & kSubset) runs.subsets();
  if (search.kinds & kMultiway) runs.multiway();
  return best;
}

Partition ColumnBest::partition(std::uint32_t column, const Column& description) const {
  Partition result;
  result.column = column;
  if (kind == kThreshold) {
    result.ordered = true;
    if (missing_alone) {
      result.to = {0};
    } else {
      result.last = {lower};
      result.next = {upper};
      result.to = {0, 1};
      result.cut = cut;
    }
    result.missing = missing;
    return result;
  }
  std::vector<std::uint32_t> known = codes;
  std::vector<std::int32_t> branch = to;
  if (description.has_missing && known.back() == description.n_codes - 1) {
    result.missing = branch.back();
    known.pop_back();
    branch.pop_back();
  }
  result.n_branches = *std::max_element(to.begin(), to.end()) + 1;
  if (kind == kOneVsRest) {
    result.other = 1;
    if (result.missing < 0) result.missing = 1;
  }
  result.last = std::move(known);
  result.to = std::move(branch);
  if (description.kind == ColumnKind::ordered) result.make_ordered();
  return result;
}

}  // namespace thriftree
