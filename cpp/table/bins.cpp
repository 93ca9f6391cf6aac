#include "table/bins.hpp"

#include <algorithm>
#include <cstddef>

#include "table/source.hpp"
#include "table/table.hpp"

namespace thriftree {
namespace {

// Bins as places in the list of values: bin i ends before values[ends[i]]; the last bin, which ends at
// size(), is left out.
using Ends = std::vector<std::size_t>;

Ends quantile_ends(const Spectrum& s, std::uint32_t n_bins) {
  const std::size_t n = s.values.size();
  double total = 0;
  for (const double w : s.weights) total += w;
  Ends ends;
  std::size_t end = 1;  // the boundary under consideration, with weight `below` before it
  double below = s.weights[0];
  for (std::uint32_t k = 1; k < n_bins; ++k) {
    const double wanted = total * k / n_bins;
    while (end < n - 1 && below + s.weights[end] - wanted < wanted - below) below += s.weights[end++];
    if (ends.empty() || ends.back() != end) ends.push_back(end);
  }
  return ends;
}

std::vector<double> edges_at(const Spectrum& s, const Ends& ends) {
  std::vector<double> edges;
  for (const std::size_t end : ends) edges.push_back(midpoint(s.values[end - 1], s.values[end]));
  return edges;
}

}  // namespace

std::vector<double> quantile_edges(const Spectrum& spectrum, std::uint32_t n_bins) {
  return edges_at(spectrum, quantile_ends(spectrum, n_bins));
}

// The boundary nearest to a place is one of the two ends of the run of equal keys there.
template <typename Key>
std::vector<double> quantile_edges(std::span<const Key> keys, std::uint32_t n_bins) {
  const std::size_t n = keys.size();
  const auto run_begin = [&](std::size_t at) {
    if (at == 0 || keys[at - 1] != keys[at]) return at;
    return static_cast<std::size_t>(std::lower_bound(keys.begin(), keys.begin() + at, keys[at]) -
                                    keys.begin());
  };
  const auto run_end = [&](std::size_t at) {
    if (at + 1 == n || keys[at + 1] != keys[at]) return at + 1;
    return static_cast<std::size_t>(std::upper_bound(keys.begin() + at, keys.end(), keys[at]) - keys.begin());
  };
  const std::size_t first = run_end(0), last = run_begin(n - 1);
  std::vector<double> edges;
  std::size_t before = 0;
  for (std::uint32_t k = 1; k < n_bins; ++k) {
    const double wanted = static_cast<double>(n) * k / n_bins;
    const std::size_t at = std::min(static_cast<std::size_t>(wanted), n - 1);
    const std::size_t low = run_begin(at), high = run_end(at);
    const bool up = static_cast<double>(high) - wanted < wanted - static_cast<double>(low);
    const std::size_t boundary = std::clamp(up ? high : low, first, last);
    if (boundary == before) continue;
    edges.push_back(midpoint(number_of(keys[boundary - 1]), number_of(keys[boundary])));
    before = boundary;
  }
  return edges;
}
template std::vector<double> quantile_edges(std::span<const std::uint32_t> keys, std::uint32_t n_bins);
template std::vector<double> quantile_edges(std::span<const std::uint64_t> keys, std::uint32_t n_bins);

std::vector<double> uniform_edges(double low, double high, std::uint32_t n_bins) {
  std::vector<double> edges;
  for (std::uint32_t k = 1; k < n_bins; ++k) {
    const double share = static_cast<double>(k) / n_bins;
    const double edge = low * (1 - share) + high * share;  // never high - low, which may overflow
    if (edge >= low && edge < high && (edges.empty() || edge > edges.back())) edges.push_back(edge);
  }
  return edges;
}

std::vector<double> kmeans_edges(const Spectrum& spectrum, std::uint32_t n_bins) {
  constexpr int max_rounds = 100;
  const auto& values = spectrum.values;
  const std::size_t n = values.size();
  // Sums of weight and of weight × distance before each value: a bin's mean is a difference of two. Halves,
  // and distances from the middle value, keep the sums finite and near zero.
  const double origin = values[n / 2];
  std::vector<double> weight_before(n + 1, 0), moment_before(n + 1, 0);
  for (std::size_t i = 0; i < n; ++i) {
    weight_before[i + 1] = weight_before[i] + spectrum.weights[i];
    moment_before[i + 1] = moment_before[i] + spectrum.weights[i] * (values[i] / 2 - origin / 2);
  }
  const double total = weight_before[n];
  const auto half_mean = [&](std::size_t begin, std::size_t end) {
    const double weight = weight_before[end] - weight_before[begin];
    const double moment = (moment_before[end] - moment_before[begin]) / total;
    return weight > 0 ? moment / (weight / total) : values[begin] / 2 - origin / 2;
  };
  Ends ends = quantile_ends(spectrum, n_bins);
  for (int round = 0; round < max_rounds; ++round) {
    Ends moved;
    for (std::size_t i = 0; i < ends.size(); ++i) {
      const std::size_t begin = i == 0 ? 0 : ends[i - 1];
      const std::size_t next = i + 1 < ends.size() ? ends[i + 1] : n;
      const double middle = half_mean(begin, ends[i]) + half_mean(ends[i], next) + origin;
      const auto at = std::upper_bound(values.begin(), values.end(), middle) - values.begin();
      const std::size_t lowest = moved.empty() ? 1 : moved.back() + 1;  // no bin may become empty
      moved.push_back(std::clamp(static_cast<std::size_t>(at), lowest, n - (ends.size() - i)));
    }
    if (moved == ends) break;
    ends = std::move(moved);
  }
  return edges_at(spectrum, ends);
}

}  // namespace thriftree
