// Gini impurity: 1 - sum of squared class shares (paper 003, Eq. 9).
#include <array>
#include <vector>

#include "criterion/gini_bound.hpp"
#include "criterion/impurity_registry.hpp"
#include "criterion/prefix.hpp"
#include "criterion/sum_over.hpp"
#include "criterion/whole_counts.hpp"
#include "run/cpu.hpp"

namespace thriftree {

namespace {

// With d = L1*n - L*n1 (L rows on the left, L1 of them of class 1), n * decrease = 2 d^2 / (n L R).
THRIFTREE_BY_CPU(void, two_class_rows,
                 (const std::uint16_t* label, int m, double left1, double left, double n1, double n,
                  double* q),
                 (label, m, left1, left, n1, n, q)) {
  std::array<std::int32_t, kBatch> ones;
  running_ones(label, m, ones.data());
  const double scale = 2 / n;
  for (int i = 0; i < m; ++i) {
    const double l = left + (i + 1), l1 = left1 + ones[static_cast<std::size_t>(i)];
    const double d = l1 * n - l * n1;
    q[i] = scale * d * d / (l * (n - l));
  }
}

THRIFTREE_BY_CPU(void, two_class_sums,
                 (const double* left_second, const double* left, int m, double n1, double n, double* q),
                 (left_second, left, m, n1, n, q)) {
  const double scale = 2 / n;
  for (int i = 0; i < m; ++i) {
    const double l = left[i], d = left_second[i] * n - l * n1;
    q[i] = scale * d * d / (l * (n - l));
  }
}

// n * decrease = sum of squares / weight, on the left and on the right, minus the same for the node.
THRIFTREE_BY_CPU(void, combine_squares,
                 (const double* squares_left, const double* squares_right, const double* left, int m,
                  double n, double base, double* q),
                 (squares_left, squares_right, left, m, n, base, q)) {
  for (int i = 0; i < m; ++i) {
    const double l = left[i], r = n - l;
    q[i] = (squares_left[i] * r + squares_right[i] * l) / (l * r) - base;
  }
}

double sum_of_squares(std::span<const double> sums) {
  return sum_over(sums.size(), [&](std::size_t k) { return sums[k] * sums[k]; });
}

class Gini final : public Impurity {
 public:
  std::string summary() const override {
    return "chance that two draws from the node differ in class: 1 - sum p^2";
  }
  double of(const NodeSums& node) const override {
    return 1 - sum_of_squares(node.sums) / (node.total * node.total);
  }

  double largest_decrease(const NodeSums& node) const override { return all_of(node); }

  // Equal to the sum over branches of share * squared distance between the class shares: no cancellation.
  double decrease(const NodeSums& node, const BranchSums& branches) const override {
    double result = 0;
    for (std::size_t v = 0; v < branches.totals.size(); ++v) {
      const auto branch = branches.branch(v);
      const double weight = branches.totals[v];
      const double scale = 1 / (weight * node.total);
      const double distance = sum_over(node.sums.size(), [&](std::size_t k) {
        const double d = (branch[k] * node.total - node.sums[k] * weight) * scale;
        return d * d;
      });
      result += weight / node.total * distance;
    }
    return result;
  }

  void filter_prefixes(const NodeSums& node, const PrefixBatch& batch, double* q) const override {
    const std::size_t width = node.sums.size();
    if (width == 2) {
      std::array<double, kBatch> left_second;
      for (int i = 0; i < batch.m; ++i) left_second[static_cast<std::size_t>(i)] = batch.left[2 * i + 1];
      two_class_sums(left_second.data(), batch.left_total, batch.m, node.sums[1], node.total, q);
      return;
    }
    std::array<double, kBatch> squares_left, squares_right;
    for (int i = 0; i < batch.m; ++i) {
      const double* left = batch.left + static_cast<std::size_t>(i) * width;
      double a = 0, b = 0;
      for (std::size_t k = 0; k < width; ++k) {
        a += left[k] * left[k];
        b += (node.sums[k] - left[k]) * (node.sums[k] - left[k]);
      }
      squares_left[static_cast<std::size_t>(i)] = a;
      squares_right[static_cast<std::size_t>(i)] = b;
    }
    combine_squares(squares_left.data(), squares_right.data(), batch.left_total, batch.m, node.total,
                    sum_of_squares(node.sums) / node.total, q);
  }

  void filter_stream(const NodeSums& node, StreamBatch& batch, double* q) const override {
    if (node.sums.size() == 2 && !batch.weight) {
      two_class_rows(batch.label, batch.m, batch.left[1], batch.left_total, node.sums[1], node.total, q);
      pass_two_classes(batch);
      return;
    }
    if (node.sums.size() == 2) {
      std::array<double, kBatch> left_second, left;
      pass_two_classes(batch, left_second.data(), left.data());
      two_class_sums(left_second.data(), left.data(), batch.m, node.sums[1], node.total, q);
      return;
    }
    std::array<double, kBatch> squares_left, squares_right, left_total;
    if (!batch.weight && node.sums.size() <= kMostClassesInWhole) {
      square_whole_counts(batch.label, batch.m, batch.left, node.sums, squares_left.data(),
                          squares_right.data());
      for (int i = 0; i < batch.m; ++i) left_total[static_cast<std::size_t>(i)] = batch.left_total + (i + 1);
      batch.left_total += batch.m;
      combine_squares(squares_left.data(), squares_right.data(), left_total.data(), batch.m, node.total,
                      sum_of_squares(node.sums) / node.total, q);
      return;
    }
    const auto squares_of_right = [&] {
      double sum = 0;
      for (std::size_t k = 0; k < node.sums.size(); ++k) {
        sum += (node.sums[k] - batch.left[k]) * (node.sums[k] - batch.left[k]);
      }
      return sum;
    };
    double a = sum_of_squares(batch.left), b = squares_of_right(), b_summed = b;
    for (int i = 0; i < batch.m; ++i) {
      const std::size_t k = batch.label[i];
      const double w = batch.weight ? batch.weight[i] : 1.0;
      const double l = batch.left[k], r = node.sums[k] - l;
      a += w * (2 * l + w);
      b += w * (w - 2 * r);
      batch.left[k] = l + w;
      batch.left_total += w;
      // What b was rounded by stays while b shrinks, and is later divided by a small weight: so sum it anew.
      if (batch.weight && b < b_summed / 2) b = b_summed = squares_of_right();
      squares_left[static_cast<std::size_t>(i)] = a;
      squares_right[static_cast<std::size_t>(i)] = b;
      left_total[static_cast<std::size_t>(i)] = batch.left_total;
    }
    combine_squares(squares_left.data(), squares_right.data(), left_total.data(), batch.m, node.total,
                    sum_of_squares(node.sums) / node.total, q);
  }

  const ThresholdBound* bound() const override { return &bound_; }

 private:
  GiniBound bound_;
};

}  // namespace

std::unique_ptr<Impurity> make_gini() { return std::make_unique<Gini>(); }

}  // namespace thriftree
