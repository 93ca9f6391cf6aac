#include "rows/exact_sums.hpp"

#include <numeric>

#include "run/cpu.hpp"

namespace thriftree {

namespace {

// A 128-bit sum of at most kBatch numbers: high and low halves are summed apart, in vector code.
THRIFTREE_BY_CPU(int128, sum_in_halves, (const std::int64_t* x, int m), (x, m)) {
  std::int64_t high = 0, low = 0;
  for (int i = 0; i < m; ++i) {
    high += x[i] >> 32;
    low += x[i] & 0xFFFFFFFF;
  }
  return static_cast<int128>(high) * (int128{1} << 32) + low;
}

}  // namespace

ExactSums::ExactSums(const RowStream& stream, int width, bool numbers, std::vector<std::int64_t>& weights)
    : weighted_(stream.weighted()),
      numbers_(numbers),
      weight_unit_(stream.weight_unit()),
      moment_unit_(stream.moment_unit()),
      weights_(weights) {
  weights_.assign(numbers ? 1 : static_cast<std::size_t>(width), 0);
}

void ExactSums::add(const RowStream::Rows& rows, int from, int to) {
  const std::int64_t w =
      weighted_ ? std::accumulate(rows.exact_weight + from, rows.exact_weight + to, std::int64_t{0})
                : to - from;
  total_ += w;
  if (numbers_) {
    weights_[0] += w;
    moment_ += sum_in_halves(rows.exact_moment + from, to - from);
  } else if (weighted_ && weights_.size() == 2) {
    std::int64_t second = 0;
    for (int i = from; i < to; ++i)
      second += rows.exact_weight[i] & -static_cast<std::int64_t>(rows.label[i]);
    weights_[0] += w - second;
    weights_[1] += second;
  } else if (weighted_) {
    for (int i = from; i < to; ++i) weights_[rows.label[i]] += rows.exact_weight[i];
  } else {
    for (int i = from; i < to; ++i) weights_[rows.label[i]] += 1;
  }
}

void ExactSums::add_to(std::span<double> sums, double& total) const {
  if (numbers_) {
    sums[0] += static_cast<double>(weights_[0]) * weight_unit_;
    sums[1] += static_cast<double>(moment_) * moment_unit_;
  } else {
    for (std::size_t k = 0; k < sums.size(); ++k) sums[k] += static_cast<double>(weights_[k]) * weight_unit_;
  }
  total += static_cast<double>(total_) * weight_unit_;
}

}  // namespace thriftree
