// Entropy in bits (paper 003, Eq. 6). Its decrease is the information gain.
#include <array>
#include <cmath>

#include "criterion/impurity_registry.hpp"
#include "criterion/information.hpp"
#include "criterion/prefix.hpp"
#include "criterion/x_log2_x.hpp"
#include "run/cpu.hpp"

namespace thriftree {

namespace {

constexpr std::size_t kLargestTable = std::size_t{1} << 21;
using Batch = std::array<double, kBatch>;

THRIFTREE_BY_CPU(void, x_log2_x_all, (const double* x, int m, double* out), (x, m, out)) {
  for (int i = 0; i < m; ++i) out[i] = fast_x_log2_x(x[i]);
}

THRIFTREE_BY_CPU(void, two_class_rows,
                 (const std::uint16_t* label, int m, double left1, double left, double n1, double n,
                  double base, const double* table, double* q),
                 (label, m, left1, left, n1, n, base, table, q)) {
  const double *t1 = table + static_cast<std::int64_t>(left1),
               *t0 = table + static_cast<std::int64_t>(left - left1),
               *r1 = table + static_cast<std::int64_t>(n1 - left1),
               *r0 = table + static_cast<std::int64_t>(n - n1 - (left - left1)),
               *tl = table + static_cast<std::int64_t>(left),
               *tr = table + static_cast<std::int64_t>(n - left);
  std::array<std::int32_t, kBatch> ones;
  running_ones(label, m, ones.data());
  for (int i = 0; i < m; ++i) {
    const int c = ones[static_cast<std::size_t>(i)], zeros = i + 1 - c;
    q[i] = base + (t1[c] + t0[zeros] - tl[i + 1]) + (r1[-c] + r0[-zeros] - tr[-(i + 1)]);
  }
}

THRIFTREE_BY_CPU(void, two_class_sums,
                 (const double* left_second, const double* left, int m, double n1, double n, double base,
                  double* q),
                 (left_second, left, m, n1, n, base, q)) {
  for (int i = 0; i < m; ++i) {
    const double l = left[i], l1 = left_second[i], l0 = l - l1, r1 = n1 - l1, r0 = (n - n1) - l0;
    q[i] = base + (fast_x_log2_x(l1) + fast_x_log2_x(l0) - fast_x_log2_x(l)) +
           (fast_x_log2_x(r1) + fast_x_log2_x(r0) - fast_x_log2_x(n - l));
  }
}

// (1 + d) ln(1 + d) - d, without cancellation near 0. At d = -1 it is 1.
double excess(double d) {
  if (std::abs(d) < 0.03) {
    double power = d * d, result = 0, sign = 1;
    for (int n = 2; n <= 12; ++n) {
      result += sign * power / (n * (n - 1));
      power *= d;
      sign = -sign;
    }
    return result;
  }
  return d <= -1 ? 1.0 : (1 + d) * std::log1p(d) - d;
}

}  // namespace

double x_log2_x(double x) { return fast_x_log2_x(x); }

void Entropy::prepare(std::size_t n_rows, bool unit) {
  table_.clear();
  if (!unit) return;
  table_.resize(std::min(n_rows + 1, kLargestTable));
  for (std::size_t x = 0; x < table_.size(); ++x) table_[x] = fast_x_log2_x(static_cast<double>(x));
}

double Entropy::of(const NodeSums& node) const {
  double bits = 0;
  for (double s : node.sums) {
    if (s > 0) bits -= s / node.total * std::log2(s / node.total);
  }
  return bits;
}

// The mean over branches of the divergence of the branch's class shares from the node's, as a sum of terms >=
// 0.
double Entropy::decrease(const NodeSums& node, const BranchSums& branches) const {
  constexpr double ln2 = 0.693147180559945309417;
  double result = 0;
  for (std::size_t v = 0; v < branches.totals.size(); ++v) {
    const auto branch = branches.branch(v);
    const double weight = branches.totals[v];
    double divergence = 0;
    for (std::size_t k = 0; k < node.sums.size(); ++k) {
      const double expected = weight * node.sums[k];
      if (expected > 0) divergence += node.sums[k] * excess((branch[k] * node.total - expected) / expected);
    }
    result += weight / node.total * (divergence / node.total);
  }
  return result / ln2;
}

double Entropy::filter_error(const NodeSums& node) const {
  return 1e-13 * (node.total + x_log2_x(node.total + 2));
}

void Entropy::filter_prefixes(const NodeSums& node, const PrefixBatch& batch, double* q) const {
  const std::size_t width = node.sums.size();
  const auto m = static_cast<std::size_t>(batch.m);
  double base = x_log2_x(node.total);
  for (double s : node.sums) base -= x_log2_x(s);
  Batch arguments, terms;
  for (std::size_t i = 0; i < m; ++i) q[i] = base;
  const auto add = [&](double sign, auto argument) {
    for (std::size_t i = 0; i < m; ++i) arguments[i] = argument(i);
    x_log2_x_all(arguments.data(), batch.m, terms.data());
    for (std::size_t i = 0; i < m; ++i) q[i] += sign * terms[i];
  };
  for (std::size_t k = 0; k < width; ++k) {
    add(1, [&](std::size_t i) { return batch.left[i * width + k]; });
    add(1, [&](std::size_t i) { return node.sums[k] - batch.left[i * width + k]; });
  }
  add(-1, [&](std::size_t i) { return batch.left_total[i]; });
  add(-1, [&](std::size_t i) { return node.total - batch.left_total[i]; });
}

void Entropy::filter_stream(const NodeSums& node, StreamBatch& batch, double* q) const {
  const auto m = static_cast<std::size_t>(batch.m);
  double base = x_log2_x(node.total);
  for (double s : node.sums) base -= x_log2_x(s);
  if (node.sums.size() == 2 && tabled(node)) {
    two_class_rows(batch.label, batch.m, batch.left[1], batch.left_total, node.sums[1], node.total, base,
                   table_.data(), q);
    pass_two_classes(batch);
    return;
  }
  if (node.sums.size() == 2 && batch.weight) {
    Batch left_second, left;
    pass_two_classes(batch, left_second.data(), left.data());
    two_class_sums(left_second.data(), left.data(), batch.m, node.sums[1], node.total, base, q);
    return;
  }
  // One class changes a row: `classes` is the sum over classes on both sides, kept up to date.
  double classes = base;
  for (std::size_t k = 0; k < node.sums.size(); ++k) {
    classes += x_log2_x(batch.left[k]) + x_log2_x(node.sums[k] - batch.left[k]);
  }
  if (tabled(node)) {
    const double* table = table_.data();
    auto left = static_cast<std::size_t>(batch.left_total);
    const auto total = static_cast<std::size_t>(node.total);
    for (std::size_t i = 0; i < m; ++i) {
      const std::size_t k = batch.label[i];
      const auto l = static_cast<std::size_t>(batch.left[k]), r = static_cast<std::size_t>(node.sums[k]) - l;
      classes += (table[l + 1] - table[l]) + (table[r - 1] - table[r]);
      batch.left[k] = static_cast<double>(l + 1);
      ++left;
      q[i] = classes - table[left] - table[total - left];
    }
    batch.left_total = static_cast<double>(left);
    return;
  }
  // Weights: gather what each row makes of its class, take all logarithms at once, then add up.
  Batch left_class, right_class, left_total, right_total, old_left, old_right;
  for (std::size_t i = 0; i < m; ++i) {
    const std::size_t k = batch.label[i];
    const double w = batch.weight ? batch.weight[i] : 1.0;
    old_left[i] = batch.left[k];
    old_right[i] = node.sums[k] - batch.left[k];
    batch.left[k] += w;
    batch.left_total += w;
    left_class[i] = batch.left[k];
    right_class[i] = node.sums[k] - batch.left[k];
    left_total[i] = batch.left_total;
    right_total[i] = node.total - batch.left_total;
  }
  for (Batch* values : {&left_class, &right_class, &left_total, &right_total, &old_left, &old_right}) {
    x_log2_x_all(values->data(), batch.m, values->data());
  }
  for (std::size_t i = 0; i < m; ++i) {
    classes += (left_class[i] - old_left[i]) + (right_class[i] - old_right[i]);
    q[i] = classes - left_total[i] - right_total[i];
  }
}

std::unique_ptr<Impurity> make_entropy() { return std::make_unique<Entropy>(); }

}  // namespace thriftree
