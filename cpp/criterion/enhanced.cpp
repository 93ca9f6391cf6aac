// Paper 000, Eq. (2), from sums. With P = p(S), m_i = max(p_i, theta) and r_v = phi(S_v) / phi(S), an object
// of branch v, not yet covered, has the share r_v * (P_v - m_i)+ / (P - m_i) left to do. Written as what is
// done, (1 - r_v) + r_v * (P - P_v) / (P - m_i), every term is positive and nothing cancels.
#include <cmath>
#include <vector>

#include "criterion/inner_sums.hpp"
#include "criterion/object_scores.hpp"
#include "run/control.hpp"
#include "table/target.hpp"

namespace thriftree {

namespace {

// floor(theta * total), exactly, for a theta below 1.
std::int64_t share_of(double theta, std::int64_t total) {
  int exponent = 0;
  const double fraction = std::frexp(theta, &exponent);  // theta = fraction * 2^exponent, exponent <= 0
  const auto digits = static_cast<int128>(std::ldexp(fraction, 53));
  const int shift = 53 - exponent;
  return shift > 126 ? 0 : static_cast<std::int64_t>((digits * total) >> shift);
}

}  // namespace

ObjectSums object_sums(const TargetHeader& target, double theta) {
  if (!(theta >= 0)) throw BadInput("min_mass must be a share of the weight: 0 or more");
  ObjectSums sums;
  sums.channels = plain_channels(target);
  sums.weights.unit = !target.weighted;
  sums.channels.counts = target.weighted || target.n_classes == 0;
  if (sums.weights.unit) {
    sums.weights.total = static_cast<double>(target.n_rows);
    sums.weights.theta = theta * sums.weights.total;
    sums.weights.all_heavy = sums.weights.theta < 1;
    return sums;
  }
  const std::int64_t mass = theta >= 1 ? target.total : share_of(theta, target.total);
  sums.weights.total = static_cast<double>(target.total) * target.growth_unit;
  sums.weights.theta = theta * sums.weights.total;
  sums.weights.all_heavy = target.lightest > mass;
  sums.channels.heavy_above = mass;
  sums.channels.heavy_terms = target.heaviest > mass;
  sums.channels.heavy_weight = sums.channels.heavy_terms && !sums.weights.all_heavy;
  return sums;
}

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

Enhanced::Enhanced(std::unique_ptr<Criterion> impurity, double trade_off, double scale,
                   const Channels& channels, const ObjectWeights& weights)
    : impurity_(std::move(impurity)),
      trade_off_(trade_off),
      scale_(scale),
      channels_(channels),
      weights_(weights) {}

bool Enhanced::is_plain() const { return std::isinf(trade_off_); }

Enhanced::Here Enhanced::here(const NodeSums& node) const {
  Here here{};
  here.weight = node.total;
  here.pairs = node.pairs >= 0 ? node.pairs : objects_and_pairs(object_counts(node.sums, channels_)).pairs;
  here.theta = weights_.theta;
  // With the slack that growing has: sums of classes and of objects differ in their last digits.
  here.light_count = !weights_.all_heavy && node.total > weights_.theta * (1 + 1e-12);
  here.unit_term = weights_.unit && weights_.all_heavy && node.total > 1 ? 1 / (node.total - 1) : 0;
  return here;
}

Enhanced::Side Enhanced::side(const Here& here, std::span<const double> sums, double weight) const {
  const auto counted = objects_and_pairs(object_counts(sums, channels_));
  Side side{};
  side.objects = counted.objects;
  side.pairs = counted.pairs;
  side.weight = weight;
  if (weights_.unit) {
    side.heavy = weights_.all_heavy ? weight : 0;
    side.terms = weight * here.unit_term;
  } else if (channels_.heavy_terms) {
    side.heavy = channels_.heavy_weight ? sums[channels_.heavy_weight_at()] : weight;
    side.terms = sums[channels_.heavy_terms_at()];
    side.dominant = sums[channels_.dominant_at()];
  }
  return side;
}

EnhancedTerms Enhanced::terms(const NodeSums& node, const BranchSums& branches) const {
  EnhancedTerms result = balance_and_efficiency(node, branches);
  result.discrimination = scale_ * node.total * impurity_decrease(node, branches);
  return result;
}

double Enhanced::impurity_decrease(const NodeSums& node, const BranchSums& branches) const {
  const InnerSums inner(node, channels_, for_numbers());
  return impurity_->decrease(inner.view(), branches.first(channels_.base));
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

double Enhanced::impurity(const NodeSums& node) const {
  return impurity_->impurity(InnerSums(node, channels_, for_numbers()).view());
}

double Enhanced::decrease(const NodeSums& node, const BranchSums& branches) const {
  return is_plain() ? impurity_decrease(node, branches) : decrease_from(*shared_terms(node, branches), node);
}

// Criteria of one fit differ in the trade-off only.
std::optional<SharedTerms> Enhanced::shared_terms(const NodeSums& node, const BranchSums& branches) const {
  const EnhancedTerms both = balance_and_efficiency(node, branches);
  return SharedTerms{both.balance + both.efficiency, impurity_decrease(node, branches)};
}

double Enhanced::decrease_from(const SharedTerms& terms, const NodeSums& node) const {
  return is_plain() ? terms.factored : terms.fixed / node.total + trade_off_ * scale_ * terms.factored;
}

double Enhanced::score(double decrease, const NodeSums& node, const BranchSums&) const {
  return decrease * (node.total / weights_.total);
}

void Enhanced::filter_prefixes(const NodeSums& node, const PrefixBatch& batch, double* q) const {
  const InnerSums inner(node, channels_, for_numbers());
  const std::size_t width = this->width(node), base = channels_.base;
  PrefixBatch plain = batch;
  std::vector<double> left_of_plain;
  if (width != base) {
    left_of_plain.resize(static_cast<std::size_t>(batch.m) * base);
    for (std::size_t i = 0; i < static_cast<std::size_t>(batch.m); ++i) {
      std::copy_n(batch.left + i * width, base, left_of_plain.data() + i * base);
    }
    plain.left = left_of_plain.data();
  }
  if (is_plain() || trade_off_ > 0) impurity_->filter_prefixes(inner.view(), plain, q);
  if (is_plain()) return;
  const Here here = this->here(node);
  std::vector<double> right(width);
  for (int i = 0; i < batch.m; ++i) {
    const std::span<const double> left(batch.left + static_cast<std::size_t>(i) * width, width);
    for (std::size_t k = 0; k < width; ++k) right[k] = node.sums[k] - left[k];
    const double left_weight = batch.left_total[i], right_weight = node.total - left_weight;
    const Side a = side(here, left, left_weight), b = side(here, right, right_weight);
    const double balance = b.larger_than(a) ? a.weight : b.weight;
    const double rest = balance + a.efficiency(here, right_weight) + b.efficiency(here, left_weight);
    q[i] = trade_off_ > 0 ? rest + trade_off_ * scale_ * q[i] : rest;
  }
}

double Enhanced::filter_error(const NodeSums& node) const {
  const InnerSums inner(node, channels_, for_numbers());
  const double plain = impurity_->filter_error(inner.view());
  return is_plain() ? plain : 1e-13 * node.total + trade_off_ * scale_ * plain;
}

}  // namespace thriftree
