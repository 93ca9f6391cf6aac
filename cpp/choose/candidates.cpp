#include "choose/candidates.hpp"

#include <algorithm>
#include <bit>
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
        known_(search.known),
        shared_(search.shared),
        scratch_(scratch),
        candidates_(scratch.candidates),
        placing_(scratch.placing),
        runs_(scratch.runs),
        best_(best),
        width_(score_.width(node_.view())),
        missing_seen_(search.column.has_missing && runs_.codes.back() == search.column.n_codes - 1),
        n_known_(runs_.codes.size() - (missing_seen_ ? 1 : 0)),
        prices_(search.code_prices, runs_.codes) {}

  void thresholds() {
    if (runs_.codes.size() == 2 && !score_.batch_scoring() && runs_.exact.empty()) return only_threshold();
    scratch_.order.resize(n_known_);
    std::iota(scratch_.order.begin(), scratch_.order.end(), 0U);
    const auto found = best_threshold(threshold_limits(rules_, score_, node_));
    if (!found || !offer(kThreshold, *found)) return;
    const std::size_t length = prefix_length(found->id);
    best_.missing_alone = length == n_known_;
    best_.missing = missing_branch(found->id);
    if (best_.missing_alone) return;
    best_.lower = runs_.codes[length - 1];
    best_.upper = runs_.codes[length];
  }

  void one_vs_rest() {
    look_at_subsets();
    // With two codes the second candidate is the first one mirrored.
    const auto& alone = placing_.placed();
    const std::size_t n = runs_.codes.size() == 2 ? 1 : alone.size();
    candidates_.resize(n, width_);
    for (std::size_t i = 0; i < n; ++i) set_run(i, alone[i]);
    const auto found = best_candidate(rules_.limits, false, [&](std::size_t id) {
      return prices_.cheapness([&](std::size_t run) { return run == alone[id]; });
    });
    if (!found || !offer(kOneVsRest, *found)) return;
    best_.codes = runs_.codes;
    best_.to.assign(runs_.codes.size(), 1);
    best_.to[alone[found->id]] = 0;
  }

  void subsets() {
    look_at_subsets();
    if (placing_.placed().size() < 2) return;
    if (placing_.placed().size() <= kMostCodesForAllSubsets) {
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
    if (!shared_ && filtered_out()) return;
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

  // Of two runs: says their filter that they cannot tie with what is known?
  bool filtered_out() const {
    if (known_ == kNoScore || prices_.differ()) return false;
    double q;
    score_.filter_prefixes(node_.view(), {1, runs_.sums.data(), runs_.totals.data()}, &q);
    return q < BinarySearch::least_beside(known_, score_.filter_error(node_.view()));
  }
  double decrease_of_two(const BranchSums& branches) const {
    if (prices_.differ()) return at_prices(branches, prices_.cheapness_apart(0));
    return score_.decrease(node_.view(), branches);
  }
  double at_prices(const BranchSums& branches, std::span<const double> cheapness) const {
    return score_.branch_pricing()->decrease_at_prices(node_.view(), branches, cheapness);
  }

  void look_at_subsets() { placing_.look(rules_.subsets, runs_, missing_seen_ ? 1 : 0, width_); }

  // The first code that is placed stays left; candidate c sends code i + 1 right if bit i of c + 1 is set.
  // The missing code, being last, is the highest bit, so a tie leaves it on the left.
  void all_subsets() {
    const auto& placed = placing_.placed();
    const std::size_t n_candidates = (std::size_t{1} << (placed.size() - 1)) - 1;
    sum_subsets(n_candidates);
    const std::size_t known = (std::size_t{1} << (placed.size() - 1 - (missing_seen_ ? 1 : 0))) - 1;
    offer_subset(
        [&](std::size_t id) {
          return placed.size() - (missing_seen_ ? 1 : 0) -
                 static_cast<std::size_t>(std::popcount((id + 1) & known));
        },
        [&](std::size_t id, auto&& send_left) {
          for (std::size_t i = 0; i < placed.size(); ++i) {
            if (i == 0 || !(((id + 1) >> (i - 1)) & 1)) send_left(placed[i]);
          }
        });
  }

  // Run after run, so that the runs of a candidate are added in their order: of those that are settled for
  // the runs before, one with this run on the right is copied, and one with it on the left is made.
  void sum_subsets(std::size_t n_candidates) {
    const auto& placed = placing_.placed();
    candidates_.resize(n_candidates + 1, width_);
    const auto place = [&](std::size_t right) { return right == 0 ? n_candidates : right - 1; };
    set_run(place(0), placed[0]);
    for (std::size_t i = 1; i < placed.size(); ++i) {
      const std::size_t bit = std::size_t{1} << (i - 1);
      for (std::size_t right = 0; right < bit; ++right) {
        candidates_.copy(place(right), place(right | bit), width_);
        add_run(place(right), placed[i]);
      }
    }
    candidates_.resize(n_candidates, width_);  // without the one that has nothing on the right
  }

  // Prefixes of the known codes in ascending order of the share of one class (the second of two; else the
  // node's heaviest, the first of equals) or of the mean target, smoothed, ties by code. For two classes and
  // a concave impurity, and for squared error, the best subset is among them if nothing is smoothed (Breiman
  // et al. 1984, theorem 4.5).
  void ordered_subsets() {
    std::size_t k = 1;
    const std::size_t n_classes = score_.statistics().base;
    if (!score_.for_numbers() && n_classes > 2) k = heaviest_class();
    const double factor = score_.class_factor(k), all = score_.counted(node_.sums, node_.total);
    const double more = rules_.subsets.smoothing,
                 share = more > 0 ? more * (factor * node_.sums[k] / all) : 0;
    auto& by_share = scratch_.by_share;
    by_share.clear();
    for (const std::uint32_t i : placing_.placed()) {
      if (i < n_known_)
        by_share.emplace_back((factor * runs_.sums[i * width_ + k] + share) / (counted(i) + more), i);
    }
    std::sort(by_share.begin(), by_share.end());
    auto& order = scratch_.order;
    order.clear();
    for (const auto& [figure, run] : by_share) order.push_back(run);
    sum_prefixes();
    offer_subset([&](std::size_t id) { return prefix_length(id); },
                 [&](std::size_t id, auto&& send_left) {
                   for (std::size_t i = 0; i < prefix_length(id); ++i) send_left(order[i]);
                   if (missing_branch(id) == 0) send_left(n_known_);
                 });
  }

  // As impurities count them.
  double counted(std::size_t run) const {
    return score_.counted(std::span(runs_.sums).subspan(run * width_, width_), runs_.totals[run]);
  }
  std::size_t heaviest_class() const {
    std::size_t heaviest = 0;
    for (std::size_t k = 1; k < score_.statistics().base; ++k) {
      if (score_.class_factor(k) * node_.sums[k] > score_.class_factor(heaviest) * node_.sums[heaviest])
        heaviest = k;
    }
    return heaviest;
  }

  // The best of the candidates, given by the runs that they place. n_left(id): the known ones on the left of
  // a candidate; each_left(id, send_left) calls send_left with these and a missing one that is there.
  template <class NLeft, class EachLeft>
  void offer_subset(const NLeft& n_left, const EachLeft& each_left) {
    placing_.settle(rules_.subsets, width_, candidates_, n_left);
    auto& to = scratch_.to;
    to.resize(runs_.codes.size());
    const auto branches = [&](std::size_t place) {
      const bool rare_left = placing_.rare_left(place);
      for (std::size_t i = 0; i < to.size(); ++i) to[i] = placing_.is_rare(i) && rare_left ? 0 : 1;
      each_left(placing_.was(place), [&](std::size_t run) { to[run] = 0; });
    };
    auto found = best_candidate(rules_.limits, false, [&](std::size_t place) {
      branches(place);
      return prices_.cheapness([&](std::size_t run) { return to[run] == 0; });
    });
    if (!found || !worth_its_freedom(*found) || !offer(kSubset, *found)) return;
    branches(found->id);
    best_.codes = runs_.codes;
    best_.to = to;
  }

  // Takes from a subset what chance would give it; false if nothing is left.
  bool worth_its_freedom(Found& found) const {
    const double times = rules_.subsets.correction;
    if (times == 0 || score_.batch_scoring()) return true;
    const double chance = times * chance_share(placing_.placed().size(), node_.weight);
    if (chance == 0) return true;
    const double before = found.decrease;
    found.decrease -= score_.of_impurity(chance * score_.impurity_of(node_.view()), node_.view());
    if (!(found.decrease > 0)) return false;
    found.score *= found.decrease / before;
    return true;
  }

  // The best prefix of scratch_.order, which has all known runs.
  std::optional<Found> best_threshold(const BranchLimits& limits) {
    sum_prefixes();
    const BranchPrices::Prefixes prices(prices_, scratch_.order);
    return best_candidate(limits, true, [&](std::size_t id) {
      return prices.cheapness(prefix_length(id), missing_branch(id) == 0);
    });
  }

  // Candidates that have a prefix of scratch_.order on the left. Where missing was seen, candidate 2i has it
  // on the left of the prefix of length i + 1, candidate 2i + 1 on the right; the last candidate, twice the
  // last i, is all of the order against missing.
  void sum_prefixes() {
    if (!runs_.exact.empty()) return sum_exact_prefixes();
    if (!missing_seen_) return sum_known_prefixes();
    const std::size_t n = scratch_.order.size();
    candidates_.resize(2 * n - 1, width_);
    for (std::size_t i = 0; i < n; ++i) {
      const bool is_last = i + 1 == n;
      const std::size_t prefix = is_last ? 2 * i : 2 * i + 1;
      if (i == 0) {
        set_run(prefix, scratch_.order[i]);
      } else {
        candidates_.copy(2 * i - 1, prefix, width_);
        add_run(prefix, scratch_.order[i]);
      }
      if (is_last) continue;
      candidates_.copy(prefix, 2 * i, width_);
      add_run(2 * i, n_known_);
    }
  }
  std::size_t prefix_length(std::size_t id) const { return (missing_seen_ ? id / 2 : id) + 1; }
  std::int32_t missing_branch(std::size_t id) const {
    if (!missing_seen_) return -1;
    return prefix_length(id) == scratch_.order.size() ? 1 : static_cast<std::int32_t>(id % 2);
  }

  // The same where nothing is missing, in one pass.
  void sum_known_prefixes() {
    const std::size_t n = scratch_.order.size() - 1;
    candidates_.resize(n, width_);
    double total = 0;
    std::int64_t rows = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const std::size_t run = scratch_.order[i];
      const double* before = candidates_.left.data() + (i > 0 ? i - 1 : 0) * width_;
      double* sums = candidates_.left.data() + i * width_;
      for (std::size_t k = 0; k < width_; ++k)
        sums[k] = (i > 0 ? before[k] : 0.0) + runs_.sums[run * width_ + k];
      candidates_.left_total[i] = total += runs_.totals[run];
      candidates_.left_rows[i] = rows += runs_.rows[run];
    }
  }

  // The same in fixed point, to the last digit as a walk over rows in order adds them.
  void sum_exact_prefixes() {
    const std::size_t n = scratch_.order.size();
    candidates_.resize(missing_seen_ ? 2 * n - 1 : n - 1, width_);
    std::vector<int128> before(width_, 0);
    std::int64_t rows = 0;
    for (std::size_t i = 0; i + 1 < n; ++i) {
      const std::size_t run = scratch_.order[i], place = missing_seen_ ? 2 * i + 1 : i;
      int128 total = 0;
      for (std::size_t k = 0; k < width_; ++k) {
        const bool moment = score_.for_numbers() && k == 1;
        before[k] += runs_.exact[run * width_ + k];
        total += moment ? 0 : before[k];
        candidates_.left[place * width_ + k] =
            static_cast<double>(before[k]) * (moment ? runs_.exact_moment_unit : runs_.exact_unit);
      }
      candidates_.left_total[place] = static_cast<double>(total) * runs_.exact_unit;
      candidates_.left_rows[place] = rows += runs_.rows[run];
      if (!missing_seen_) continue;
      candidates_.copy(place, 2 * i, width_);
      add_run(2 * i, n_known_);
    }
    if (!missing_seen_) return;
    for (std::size_t k = 0; k < width_; ++k)
      candidates_.left[(2 * n - 2) * width_ + k] = node_.sums[k] - runs_.sums[n_known_ * width_ + k];
    candidates_.left_total[2 * n - 2] = node_.total - runs_.totals[n_known_];
    candidates_.left_rows[2 * n - 2] = node_.rows - runs_.rows[n_known_];
  }

  void set_run(std::size_t candidate, std::size_t i) {
    std::copy_n(runs_.sums.data() + i * width_, width_, candidates_.left.data() + candidate * width_);
    candidates_.left_total[candidate] = runs_.totals[i];
    candidates_.left_rows[candidate] = runs_.rows[i];
  }
  void add_run(std::size_t candidate, std::size_t i) {
    candidates_.add(candidate, runs_.sums.data() + i * width_, width_, runs_.totals[i], runs_.rows[i]);
  }

  // cheapness(candidate): of its two branches.
  template <class Cheapness>
  std::optional<Found> best_candidate(const BranchLimits& limits, bool thresholds,
                                      const Cheapness& cheapness) {
    if (prices_.differ()) return best_at_prices(limits, cheapness);
    if (score_.batch_scoring()) return best_by_batch(limits);
    BinarySearch search(score_, node_, limits, scratch_.search);
    search.compete_with(known_);
    search.consider(static_cast<int>(candidates_.left_total.size()), candidates_.left.data(),
                    candidates_.left_total.data(), candidates_.left_rows.data(), 0);
    if (!search.found()) return {};
    const double penalty = thresholds ? threshold_penalty(rules_, thresholds_on_offer(limits), node_) : 0;
    const double decrease = search.decrease() - penalty;
    return Found{search.id(), decrease, search.score(decrease)};
  }

  bool allowed(const BranchLimits& limits, std::size_t candidate) const {
    const double total = candidates_.left_total[candidate];
    const std::int64_t rows = candidates_.left_rows[candidate];
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
    for (std::size_t c = 0; c < candidates_.left_total.size(); ++c) {
      if (!allowed(limits, c)) continue;
      const double* left = candidates_.left.data() + c * width_;
      for (std::size_t k = 0; k < width_; ++k) {
        branches[k] = left[k];
        branches[width_ + k] = node_.sums[k] - left[k];
      }
      const double totals[2] = {candidates_.left_total[c], node_.total - candidates_.left_total[c]};
      const double decrease = at_prices({branches, totals}, cheapness(c));
      if (!best || clearly_better(decrease, best->decrease)) best = Found{c, decrease, decrease};
    }
    return best;
  }

  std::optional<Found> best_by_batch(const BranchLimits& limits) {
    std::vector<std::size_t> ids;
    std::vector<double> branches;
    for (std::size_t c = 0; c < candidates_.left_total.size(); ++c) {
      if (!allowed(limits, c)) continue;
      ids.push_back(c);
      const double* left = candidates_.left.data() + c * width_;
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
  double price_, known_;
  const SharedTerms* shared_;
  CandidateScratch& scratch_;
  CandidateSums& candidates_;
  SubsetPlacing& placing_;
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
  if (best.n_codes > 2 && best.n_codes <= search.read_at_most)
    best.read = score_to_read(search, scratch.runs);
  RunSearch runs(search, scratch, best);
  if (search.kinds & kThreshold) runs.thresholds();
  if (search.kinds & kSubset) runs.subsets();
  // After sets, some of which are one code: of equals the set, whose heavier side takes what was not seen.
  if (search.kinds & kOneVsRest) runs.one_vs_rest();
  if (search.kinds & kMultiway) runs.multiway();
  return best;
}

}  // namespace thriftree
