#include "criterion/split_pairs.hpp"

#include "criterion/prefix.hpp"
#include "criterion/sum_over.hpp"
#include "criterion/whole_counts.hpp"
#include "run/cpu.hpp"

namespace thriftree {

namespace {

THRIFTREE_BY_CPU(void, pairs_of_two,
                 (const std::uint16_t* label, int m, double first, double second, double all_first,
                  double all_second, double* objects, double* left, double* right),
                 (label, m, first, second, all_first, all_second, objects, left, right)) {
  std::array<std::int32_t, kBatch> ones;
  running_ones(label, m, ones.data());
  for (int i = 0; i < m; ++i) {
    const std::int32_t n = ones[static_cast<std::size_t>(i)];
    const double a = first + (i + 1 - n), b = second + n;
    objects[i] = a + b;
    left[i] = a * b;
    right[i] = (all_first - a) * (all_second - b);
  }
}

double sum_of(std::span<const double> x) {
  return sum_over(x.size(), [&](std::size_t k) { return x[k]; });
}

}  // namespace

THRIFTREE_BY_CPU(void, squares_to_pairs,
                 (const double* objects, int m, double all, double* left, double* right),
                 (objects, m, all, left, right)) {
  for (int i = 0; i < m; ++i) {
    const double rest = all - objects[i];
    left[i] = (objects[i] * objects[i] - left[i]) / 2;
    right[i] = (rest * rest - right[i]) / 2;
  }
}

void SplitPairs::of_prefixes(const double* counts, int m, std::size_t stride, std::span<const double> whole) {
  for (std::size_t i = 0; i < static_cast<std::size_t>(m); ++i) {
    const double* here = counts + i * stride;
    double n = 0, a = 0, b = 0;
    for (std::size_t k = 0; k < whole.size(); ++k) {
      const double rest = whole[k] - here[k];
      n += here[k];
      a += here[k] * here[k];
      b += rest * rest;
    }
    objects[i] = n;
    left[i] = a;
    right[i] = b;
  }
  squares_to_pairs(objects.data(), m, sum_of(whole), left.data(), right.data());
}

void SplitPairs::of_rows(StreamBatch& batch, std::span<const double> whole) {
  if (whole.size() == 2) {
    pairs_of_two(batch.label, batch.m, batch.left[0], batch.left[1], whole[0], whole[1], objects.data(),
                 left.data(), right.data());
    pass_two_classes(batch);
    return;
  }
  for (int i = 0; i < batch.m; ++i) objects[static_cast<std::size_t>(i)] = batch.left_total + (i + 1);
  batch.left_total += batch.m;
  if (whole.size() <= kMostClassesInWhole) {
    square_whole_counts(batch.label, batch.m, batch.left, whole, left.data(), right.data());
  } else {
    double a = 0, b = 0;
    for (std::size_t k = 0; k < whole.size(); ++k) {
      a += batch.left[k] * batch.left[k];
      b += (whole[k] - batch.left[k]) * (whole[k] - batch.left[k]);
    }
    for (int i = 0; i < batch.m; ++i) {
      double& l = batch.left[batch.label[i]];
      const double r = whole[batch.label[i]] - l;
      left[static_cast<std::size_t>(i)] = a += 2 * l + 1;
      right[static_cast<std::size_t>(i)] = b -= 2 * r - 1;
      l += 1;
    }
  }
  squares_to_pairs(objects.data(), batch.m, sum_of(whole), left.data(), right.data());
}

}  // namespace thriftree
