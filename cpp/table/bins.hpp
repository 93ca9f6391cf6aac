// Inner edges of at most n_bins bins over the known values of one column: ascending, no duplicates, at least
// one where there are two values. A value x lies in bin #{edges < x}.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace thriftree {

// What edges are made from: distinct values, ascending, at least two, each with its positive weight.
struct Spectrum {
  std::vector<double> values;
  std::vector<double> weights;
};

// For each k, the boundary between neighbouring values whose weight below is nearest to k / n_bins of the
// total (tie: the lower); the edge is the midpoint of the two.
std::vector<double> quantile_edges(const Spectrum& spectrum, std::uint32_t n_bins);
// The same of numbers that weigh 1 each, given by their sort keys in ascending order; two at least differ.
template <typename Key>
std::vector<double> quantile_edges(std::span<const Key> keys, std::uint32_t n_bins);

// Bins of equal width between the least and the largest value.
std::vector<double> uniform_edges(double low, double high, std::uint32_t n_bins);

// Lloyd's algorithm in one dimension from the quantile bins; edges are midpoints of neighbouring values.
std::vector<double> kmeans_edges(const Spectrum& spectrum, std::uint32_t n_bins);

}  // namespace thriftree
