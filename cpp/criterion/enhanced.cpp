// Paper 000, Eq. (2), from sums. With P = p(S), m_i = max(p_i, theta) and r_v = phi(S_v) / phi(S), an object
// of branch v, not yet covered, has the share r_v * (P_v - m_i)+ / (P - m_i) left to do. Written as what is
// done, (1 - r_v) + r_v * (P - P_v) / (P - m_i), every term is positive and nothing cancels.
#include "criterion/enhanced.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "criterion/enhanced_rates.hpp"
#include "criterion/inner_sums.hpp"
#include "criterion/score_registry.hpp"
#include "criterion/split_pairs.hpp"
#include "run/cpu.hpp"

namespace thriftree {

struct Enhanced::Here {
  double weight;     // P
  double pairs;      // phi(S)
  double theta;      // m_i of light objects
  bool light_count;  // light objects are not yet covered
  double unit_term;  // every object weighs 1 and is heavy: 1 / (P - 1)
};

struct Enhanced::Side {
  double objects, pairs, weight;
  double heavy;     // weight of its heavy objects
  double terms;     // sum of p_i / (P - p_i) over them, the dominant one left out
  double dominant;  // weight of that one, if it is here

  // E's share of this branch, where the others weigh `rest`.
  double efficiency(const Here& here, double rest) const {
    if (here.pairs == 0) return 0;
    const double light = here.light_count ? weight - heavy : 0;
    const double light_done = weight > here.theta ? light * (rest / (here.weight - here.theta)) : light;
    const double dominant_done = dominant > 0 ? dominant * (rest / (here.weight - dominant)) : 0;
    return ((here.pairs - pairs) * (light + heavy) + pairs * (light_done + rest * terms + dominant_done)) /
           here.pairs;
  }
  bool larger_than(const Side& other) const {
    return objects > other.objects || (objects == other.objects && weight > other.weight);
  }
};

struct Enhanced::Columns {
  const double* weight;
  std::array<double, kBatch> heavy, terms, dominant;
};

namespace {

THRIFTREE_BY_CPU(void, balance_and_efficiency_of_many,
                 (const EnhancedRates& node, const double* objects, const double* pairs_left,
                  const double* pairs_right, const double* weight, const double* heavy, const double* terms,
                  const double* dominant, int m, double* out),
                 (node, objects, pairs_left, pairs_right, weight, heavy, terms, dominant, m, out)) {
  for (int i = 0; i < m; ++i) {
    const double l = weight[i], r = node.weight - l;
    const double more = node.objects - 2 * objects[i];  // on the right than on the left
    const double balance = more > 0 ? l : more < 0 ? r : r > l ? l : r;
    out[i] = balance + node.efficiency(pairs_left[i], l, r, heavy[i], terms[i], dominant[i] > 0) +
             node.efficiency(pairs_right[i], r, l, node.heavy - heavy[i], node.terms - terms[i],
                             !(dominant[i] > 0));
  }
}

}  // namespace

Enhanced::Enhanced(std::unique_ptr<Impurity> impurity, double trade_off, double scale,
                   const Statistics& statistics, const ObjectWeights& weights)
    : Score(std::move(impurity), statistics), trade_off_(trade_off), scale_(scale), weights_(weights) {}

bool Enhanced::is_plain() const { return std::isinf(trade_off_); }

double Enhanced::counted_share(const NodeSums& node) const {
  return statistics().class_factors.empty() ? 1 : counted(node.sums, node.total) / node.total;
}

Enhanced::Here Enhanced::here(const NodeSums& node) const {
  Here here{};
  here.weight = node.total;
  here.pairs = node.pairs >= 0 ? node.pairs : objects_and_pairs(object_counts(node.sums, statistics())).pairs;
  here.theta = weights_.theta;
  // With the slack that growing has: sums of classes and of objects differ in their last digits.
  here.light_count = !weights_.all_heavy && node.total > weights_.theta * (1 + 1e-12);
  here.unit_term = weights_.unit && weights_.all_heavy && node.total > 1 ? 1 / (node.total - 1) : 0;
  return here;
}

Enhanced::Side Enhanced::side(const Here& here, std::span<const double> sums, double weight) const {
  const auto counted = objects_and_pairs(object_counts(sums, statistics()));
  Side side{};
  side.objects = counted.objects;
  side.pairs = counted.pairs;
  side.weight = weight;
  if (weights_.unit) {
    side.heavy = weights_.all_heavy ? weight : 0;
    side.terms = weight * here.unit_term;
  } else if (statistics().heavy_terms) {
    side.heavy = statistics().heavy_weight ? sums[statistics().heavy_weight_at()] : weight;
    side.terms = sums[statistics().heavy_terms_at()];
    side.dominant = sums[statistics().dominant_at()];
  }
  return side;
}

EnhancedTerms Enhanced::terms(const NodeSums& node, const BranchSums& branches) const {
  EnhancedTerms result = balance_and_efficiency(node, branches);
  result.discrimination = scale_ * node.total * counted_share(node) * impurity_decrease(node, branches);
  return result;
}

EnhancedTerms Enhanced::balance_and_efficiency(const NodeSums& node, const BranchSums& branches) const {
  const Here here = this->here(node);
  const std::size_t n = branches.totals.size();
  EnhancedTerms result;
  if (n == 2) {
    const Side a = side(here, branches.branch(0), branches.totals[0]);
    const Side b = side(here, branches.branch(1), branches.totals[1]);
    result.balance = b.larger_than(a) ? a.weight : b.weight;
    result.efficiency = a.efficiency(here, b.weight) + b.efficiency(here, a.weight);
    return result;
  }
  Side largest{};
  for (std::size_t v = 0; v < n; ++v) {
    const Side one = side(here, branches.branch(v), branches.totals[v]);
    result.efficiency += one.efficiency(here, node.total - one.weight);
    const bool larger = one.larger_than(largest);
    result.balance += larger ? largest.weight : one.weight;
    if (larger) largest = one;
  }
  return result;
}

double Enhanced::decrease(const NodeSums& node, const BranchSums& branches) const {
  return is_plain() ? counted_share(node) * impurity_decrease(node, branches)
                    : decrease_from(shared_terms(node, branches), node);
}

SharedTerms Enhanced::shared_terms(const NodeSums& node, const BranchSums& branches) const {
  const EnhancedTerms both = balance_and_efficiency(node, branches);
  return {both.balance + both.efficiency, counted_share(node) * impurity_decrease(node, branches)};
}

double Enhanced::decrease_from(const SharedTerms& terms, const NodeSums& node) const {
  return is_plain() ? terms.factored : terms.fixed / node.total + trade_off_ * scale_ * terms.factored;
}

double Enhanced::score(double decrease, const NodeSums& node, const BranchSums&) const {
  return decrease * (node.total / weights_.total);
}

EnhancedRates Enhanced::rates(const NodeSums& node) const {
  const Here here = this->here(node);
  const Side whole = side(here, node.sums, node.total);
  EnhancedRates rates{};
  rates.weight = node.total;
  rates.objects = whole.objects;
  rates.pairs = here.pairs;
  rates.heavy = whole.heavy;
  rates.terms = whole.terms;
  rates.per_pair = here.pairs > 0 ? 1 / here.pairs : 0;
  rates.theta = here.theta;
  rates.light_share = here.light_count ? 1 : 0;
  rates.light_rate = here.light_count ? 1 / (here.weight - here.theta) : 0;
  rates.dominant_rate = whole.dominant > 0 ? whole.dominant / (here.weight - whole.dominant) : 0;
  return rates;
}

void Enhanced::complete(const NodeSums& node, const SplitPairs& pairs, const Columns& left, int m,
                        double* q) const {
  std::array<double, kBatch> rest;
  balance_and_efficiency_of_many(rates(node), pairs.objects.data(), pairs.left.data(), pairs.right.data(),
                                 left.weight, left.heavy.data(), left.terms.data(), left.dominant.data(), m,
                                 rest.data());
  const double factor = trade_off_ * scale_;
  for (std::size_t i = 0; i < static_cast<std::size_t>(m); ++i)
    q[i] = trade_off_ > 0 ? rest[i] + factor * q[i] : rest[i];
}

void Enhanced::filter_prefixes(const NodeSums& node, const PrefixBatch& batch, double* q) const {
  const InnerSums inner(node, statistics(), for_numbers());
  const std::size_t width = this->width(node), base = statistics().base;
  const auto m = static_cast<std::size_t>(batch.m);
  PrefixBatch plain = batch;
  std::vector<double> left_of_plain, totals_of_plain;
  if (!statistics().class_factors.empty()) {
    left_of_plain.resize(m * base);
    totals_of_plain.resize(m);
    for (std::size_t i = 0; i < m; ++i)
      totals_of_plain[i] = InnerSums::count({batch.left + i * width, base}, statistics(),
                                            std::span(left_of_plain).subspan(i * base, base));
    plain.left = left_of_plain.data();
    plain.left_total = totals_of_plain.data();
  } else if (width != base) {
    left_of_plain.resize(m * base);
    for (std::size_t i = 0; i < m; ++i)
      std::copy_n(batch.left + i * width, base, left_of_plain.data() + i * base);
    plain.left = left_of_plain.data();
  }
  if (is_plain() || trade_off_ > 0) impurity().filter_prefixes(inner.view(), plain, q);
  if (is_plain()) return;
  SplitPairs pairs;
  pairs.of_prefixes(batch.left + (statistics().counts ? statistics().counts_at() : 0), batch.m, width,
                    object_counts(node.sums, statistics()));
  Columns left;
  left.weight = batch.left_total;
  const Here here = this->here(node);
  for (std::size_t i = 0; i < m; ++i) {
    const double* sums = batch.left + i * width;
    left.heavy[i] = left.terms[i] = left.dominant[i] = 0;
    if (weights_.unit) {
      left.heavy[i] = weights_.all_heavy ? batch.left_total[i] : 0;
      left.terms[i] = batch.left_total[i] * here.unit_term;
    } else if (statistics().heavy_terms) {
      left.heavy[i] = statistics().heavy_weight ? sums[statistics().heavy_weight_at()] : batch.left_total[i];
      left.terms[i] = sums[statistics().heavy_terms_at()];
      left.dominant[i] = sums[statistics().dominant_at()];
    }
  }
  complete(node, pairs, left, batch.m, q);
}

// Rows that weigh 1 and are one object each, of classes: the plain sums count them.
void Enhanced::filter_stream(const NodeSums& node, StreamBatch& batch, double* q) const {
  if (!statistics().class_factors.empty()) return Score::filter_stream(node, batch, q);
  if (is_plain()) return impurity().filter_stream(node, batch, q);
  std::vector<double> counts(batch.left.begin(), batch.left.end());
  StreamBatch objects = batch;
  objects.left = counts;
  SplitPairs pairs;
  pairs.of_rows(objects, node.sums);
  if (trade_off_ > 0) {
    impurity().filter_stream(node, batch, q);
  } else {
    std::copy(counts.begin(), counts.end(), batch.left.begin());
    batch.left_total = objects.left_total;
  }
  Columns left;
  left.weight = pairs.objects.data();
  const Here here = this->here(node);
  const double heavy = weights_.all_heavy ? 1 : 0;
  for (std::size_t i = 0; i < static_cast<std::size_t>(batch.m); ++i) {
    left.heavy[i] = heavy * pairs.objects[i];
    left.terms[i] = here.unit_term * pairs.objects[i];
    left.dominant[i] = 0;
  }
  complete(node, pairs, left, batch.m, q);
}

double Enhanced::filter_error(const NodeSums& node) const {
  const InnerSums inner(node, statistics(), for_numbers());
  const double plain = impurity().filter_error(inner.view());
  return is_plain() ? plain : 1e-13 * node.total + trade_off_ * scale_ * plain;
}

ScoreEntry enhanced_entry() {
  ScoreEntry entry;
  entry.name = "enhanced";
  entry.summary = "balance, efficiency and trade_off times the decrease of the impurity (paper 000)";
  entry.statistics = ScoreStatistics::object_terms;
  entry.parameters = {{"trade_off", 1, 0, kNoMost, false, "must be a number of at least 0, or infinity"},
                      {"discrimination_scale", 1, 0, kNoMost, false, "must be a number of at least 0"}};
  entry.make = [](ScoreParts parts) -> std::unique_ptr<Score> {
    return std::make_unique<Enhanced>(std::move(parts.impurity), parts.value("trade_off"),
                                      parts.value("discrimination_scale"), parts.statistics, parts.weights);
  };
  return entry;
}

}  // namespace thriftree
