#include "table/binner.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "table/bad_values.hpp"
#include "table/bins.hpp"
#include "table/sort_keys.hpp"

namespace thriftree {
namespace {

constexpr std::size_t group_columns = 16;  // columns sampled together: neighbours share cache lines
constexpr std::size_t read_rows = 1024;    // rows of each read at a time

}  // namespace

template <typename Row>
std::vector<Row> sampled_rows(std::size_t m, std::size_t n) {
  std::vector<Row> rows(m);
  for (std::size_t k = 0; k < m; ++k) {
    const std::size_t begin = k * n / m, length = (k + 1) * n / m - begin;
    const std::size_t hash = ((k + 1) * 0x9E3779B97F4A7C15U) >> 32;
    rows[k] = static_cast<Row>(begin + hash % length);
  }
  return rows;
}
template std::vector<std::uint32_t> sampled_rows(std::size_t m, std::size_t n);
template std::vector<std::int64_t> sampled_rows(std::size_t m, std::size_t n);

struct Binner::Scratch {
  std::vector<std::uint32_t> floats, spare_floats;
  std::vector<std::uint64_t> doubles, spare_doubles;
  RankScratch ranks;
  std::vector<std::uint32_t> codes, sorted;

  static std::size_t bytes(std::size_t n) { return RankScratch::bytes(n, true) + 8 * n; }
};

void Binner::bin_by_sample(std::vector<ColumnPlan>& plans, const std::vector<std::uint32_t>& columns,
                           Control& control, Team& team) const {
  if (columns.empty()) return;
  const std::size_t n = n_rows_ <= sample_all_rows ? n_rows_ : sample_rows;
  const auto rows = sampled_rows(n, n_rows_);
  const std::size_t n_together = std::min(group_columns, columns.size());
  const auto n_workers = static_cast<std::size_t>(team.size());
  const std::size_t scratch_bytes = n_workers * (Scratch::bytes(n) + n * sizeof(double) * n_together);
  control.reserve(scratch_bytes, "sampling the columns");
  std::vector<Scratch> scratch(n_workers);
  std::vector<std::vector<double>> numbers(n_workers);
  team.run((columns.size() + group_columns - 1) / group_columns, [&](std::size_t group, int worker) {
    const std::size_t begin = group * group_columns;
    const std::size_t n_columns = std::min(group_columns, columns.size() - begin);
    auto& x = numbers[static_cast<std::size_t>(worker)];
    x.resize(n_columns * n);
    for (std::size_t first = 0; first < n; first += read_rows) {
      for (std::size_t i = 0; i < n_columns; ++i) {
        read_numbers_at(plans[columns[begin + i]].source, rows.data() + first, std::min(read_rows, n - first),
                        x.data() + i * n + first);
      }
    }
    for (std::size_t i = 0; i < n_columns; ++i) {
      const std::uint32_t column = columns[begin + i];
      if (!bin_sample(plans[column], x.data() + i * n, rows, scratch[static_cast<std::size_t>(worker)],
                      control.poll_on(worker)))
        throw_bad_value(plans[column].source, column, n_rows_);
    }
  });
  control.release(scratch_bytes);
}

bool Binner::bin_sample(ColumnPlan& plan, const double* x, const std::vector<std::uint32_t>& rows,
                        Scratch& scratch, const std::function<void()>& poll) const {
  const std::size_t n = rows.size();
  if (options_.binning == Binning::quantile && options_.weight == nullptr) {
    poll();
    return plan.source.fits_float() ? bin_counted<float>(plan, x, n, scratch.floats, scratch.spare_floats)
                                    : bin_counted<double>(plan, x, n, scratch.doubles, scratch.spare_doubles);
  }
  auto& codes = scratch.codes;
  codes.resize(n);
  scratch.sorted.resize(n);
  Ranks ranks;
  if (plan.source.fits_float()) {
    for (std::size_t k = 0; k < n; ++k) codes[k] = sort_key(static_cast<float>(x[k]));
    ranks = rank_floats(codes.data(), scratch.sorted.data(), n, scratch.ranks, poll);
  } else {
    scratch.ranks.keys.resize(n);
    for (std::size_t k = 0; k < n; ++k) scratch.ranks.keys[k] = sort_key(x[k]);
    ranks = rank_doubles(codes.data(), scratch.sorted.data(), n, scratch.ranks, poll);
  }
  if (!ranks.finite()) return false;
  if (ranks.values.size() > options_.max_bins) bin(plan, ranks, codes.data(), &rows, n);
  return true;
}

// Where every row weighs 1 the keys alone are sorted: nobody asks which row they are of.
template <typename Number, typename Key>
bool Binner::bin_counted(ColumnPlan& plan, const double* x, std::size_t n, std::vector<Key>& keys,
                         std::vector<Key>& spare) const {
  keys.resize(n);
  for (std::size_t k = 0; k < n; ++k) keys[k] = sort_key(static_cast<Number>(x[k]));
  sort_keys(keys, spare);
  const auto known = std::lower_bound(keys.begin(), keys.end(), std::numeric_limits<Key>::max());
  const std::span<const Key> sorted(keys.begin(), known);
  if (sorted.empty()) return true;
  if (!std::isfinite(number_of(sorted.front())) || !std::isfinite(number_of(sorted.back()))) return false;
  std::size_t n_distinct = 1;
  for (std::size_t i = 1; i < sorted.size(); ++i) n_distinct += sorted[i] != sorted[i - 1];
  if (n_distinct > options_.max_bins) set_edges(plan, quantile_edges(sorted, options_.max_bins));
  return true;
}

void Binner::bin(ColumnPlan& plan, const Ranks& ranks, const std::uint32_t* codes,
                 const std::vector<std::uint32_t>* rows, std::size_t n) const {
  if (options_.binning == Binning::uniform) {
    const auto [low, high] =
        rows == nullptr ? std::pair(ranks.values.front(), ranks.values.back()) : range(plan.source);
    return set_edges(plan, uniform_edges(low, high, options_.max_bins));
  }
  Spectrum spectrum{ranks.values, std::vector<double>(ranks.values.size() + 1, 0.0)};
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t row = rows == nullptr ? i : (*rows)[i];
    spectrum.weights[codes[i]] += options_.weight == nullptr ? 1.0 : options_.weight[row];
  }
  spectrum.weights.resize(ranks.values.size());  // the last one was for missing values
  set_edges(plan, options_.binning == Binning::quantile ? quantile_edges(spectrum, options_.max_bins)
                                                        : kmeans_edges(spectrum, options_.max_bins));
}

void Binner::set_edges(ColumnPlan& plan, std::vector<double> edges) const {
  plan.way = Way::bins;
  plan.set_entries(std::move(edges));
  plan.wide = plan.n_known() > kByteCodes;
}

// The least and the largest finite value.
std::pair<double, double> Binner::range(const ColumnSource& source) const {
  double low = std::numeric_limits<double>::infinity(), high = -low;
  std::vector<double> x(read_rows);
  for (std::size_t first = 0; first < n_rows_; first += read_rows) {
    const std::size_t n = std::min(read_rows, n_rows_ - first);
    read_numbers(source, first, n, x.data());
    for (std::size_t i = 0; i < n; ++i) {
      if (!std::isfinite(x[i])) continue;
      low = std::min(low, x[i]);
      high = std::max(high, x[i]);
    }
  }
  return {low, high};
}

}  // namespace thriftree
