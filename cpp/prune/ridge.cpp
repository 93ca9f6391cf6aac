#include "prune/ridge.hpp"

#include <algorithm>
#include <cmath>

namespace thriftree {

namespace {

constexpr std::size_t kRowsBetweenPolls = 4096;
// A column whose values differ by less than this share of their size is constant but for rounding.
constexpr double kLeastSpread = 1e-13;

// Solves (a + penalty * I) x = right, n x n and symmetric; the lower triangle of `a` is read. False where it
// is not positive definite, as numbers beyond all range make it.
bool solve_penalised(const std::vector<double>& a, std::size_t n, double penalty, std::vector<double>& factor,
                     std::vector<double>& right) {
  factor = a;
  for (std::size_t i = 0; i < n; ++i) factor[i * n + i] += penalty;
  for (std::size_t i = 0; i < n; ++i) {
    double* const row = factor.data() + i * n;
    for (std::size_t j = 0; j <= i; ++j) {
      const double* const other = factor.data() + j * n;
      double sum = row[j];
      for (std::size_t k = 0; k < j; ++k) sum -= row[k] * other[k];
      if (i > j) {
        row[j] = sum / other[j];
      } else {
        if (!(sum > 0) || !std::isfinite(sum)) return false;
        row[i] = std::sqrt(sum);
      }
    }
  }
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < i; ++k) right[i] -= factor[i * n + k] * right[k];
    right[i] /= factor[i * n + i];
  }
  for (std::size_t i = n; i-- > 0;) {
    for (std::size_t k = i + 1; k < n; ++k) right[i] -= factor[k * n + i] * right[k];
    right[i] /= factor[i * n + i];
  }
  return true;
}

// The row's values as multiples of the columns' scales above their means, times `factor`; missing ones are 0.
void scaled_row(const NodeColumns& known, const double* row, double factor, double* out) {
  for (std::size_t j = 0; j < known.columns.size(); ++j) {
    const double x = row[known.columns[j]];
    out[j] = std::isnan(x) ? 0.0 : (x - known.mean[j]) / known.scale[j] * factor;
  }
}

// Products of columns over rows: as many equations as columns.
void add_products(std::vector<double>& products, const std::vector<double>& z, double weight) {
  const std::size_t p = z.size();
  for (std::size_t i = 0; i < p; ++i) {
    const double own = weight * z[i];
    double* const row = products.data() + i * p;
    for (std::size_t j = 0; j <= i; ++j) row[j] += own * z[j];
  }
}

using PollRows = std::function<void()>;

std::vector<double> solved_by_columns(const ModelRows& data, std::span<const std::uint32_t> rows,
                                      const NodeColumns& known, double base,
                                      std::span<const double> penalties, const PollRows& poll) {
  const std::size_t p = known.columns.size();
  std::vector<double> products(p * p), moments(p), z(p), factor, found;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    if (r % kRowsBetweenPolls == 0) poll();
    scaled_row(known, data.row(rows[r]), 1.0, z.data());
    const double weight = data.weight[rows[r]], above = weight * (data.target[rows[r]] - base);
    add_products(products, z, weight);
    for (std::size_t j = 0; j < p; ++j) moments[j] += above * z[j];
  }
  for (const double penalty : penalties) {
    std::vector<double> right = moments;
    if (!solve_penalised(products, p, penalty, factor, right)) right.assign(p, 0.0);
    found.insert(found.end(), right.begin(), right.end());
  }
  return found;
}

// The same solution where there are fewer rows than columns: as many equations as rows.
std::vector<double> solved_by_rows(const ModelRows& data, std::span<const std::uint32_t> rows,
                                   const NodeColumns& known, double base, std::span<const double> penalties,
                                   const PollRows& poll) {
  const std::size_t p = known.columns.size(), n = rows.size();
  std::vector<double> z(n * p), products(n * n), above(n), factor, found;
  for (std::size_t r = 0; r < n; ++r) {
    const double root = std::sqrt(data.weight[rows[r]]);
    scaled_row(known, data.row(rows[r]), root, z.data() + r * p);
    above[r] = root * (data.target[rows[r]] - base);
  }
  for (std::size_t r = 0; r < n; ++r) {
    poll();
    for (std::size_t q = 0; q <= r; ++q) {
      double sum = 0;
      for (std::size_t j = 0; j < p; ++j) sum += z[r * p + j] * z[q * p + j];
      products[r * n + q] = sum;
    }
  }
  for (const double penalty : penalties) {
    std::vector<double> right = above, slopes(p);
    if (solve_penalised(products, n, penalty, factor, right)) {
      for (std::size_t r = 0; r < n; ++r) {
        for (std::size_t j = 0; j < p; ++j) slopes[j] += right[r] * z[r * p + j];
      }
    }
    found.insert(found.end(), slopes.begin(), slopes.end());
  }
  return found;
}

struct ColumnSpread {
  double mean = 0, scale = 0;  // scale 0: the column does not vary
};

ColumnSpread column_spread(const ModelRows& data, std::span<const std::uint32_t> rows, std::uint32_t column,
                           double weight) {
  double sum = 0, known = 0, least = INFINITY, largest = -INFINITY;
  for (const std::uint32_t r : rows) {
    const double x = data.row(r)[column];
    if (std::isnan(x)) continue;
    sum += data.weight[r] * x;
    known += data.weight[r];
    least = std::min(least, x);
    largest = std::max(largest, x);
  }
  const double size = std::max(std::abs(least), std::abs(largest));
  if (!(largest - least > kLeastSpread * size)) return {};
  const double mean = std::clamp(sum / known, least, largest);
  double squares = 0;
  for (const std::uint32_t r : rows) {
    const double x = data.row(r)[column];
    if (!std::isnan(x)) squares += data.weight[r] * ((x - mean) * (x - mean));
  }
  const double scale = std::sqrt(squares / weight);
  return std::isfinite(mean) && std::isfinite(scale) ? ColumnSpread{mean, scale} : ColumnSpread{};
}

}  // namespace

NodeColumns node_columns(const ModelRows& data, std::span<const std::uint32_t> rows,
                         std::span<const std::uint32_t> allowed) {
  NodeColumns known;
  double weight = 0;
  known.lowest = known.highest = data.target[rows[0]];
  for (const std::uint32_t r : rows) {
    weight += data.weight[r];
    known.lowest = std::min(known.lowest, data.target[r]);
    known.highest = std::max(known.highest, data.target[r]);
  }
  if (rows.size() < 2 || !(known.highest > known.lowest)) return known;
  for (const std::uint32_t column : allowed) {
    const ColumnSpread spread = column_spread(data, rows, column, weight);
    if (!(spread.scale > 0)) continue;
    known.columns.push_back(column);
    known.mean.push_back(spread.mean);
    known.scale.push_back(spread.scale);
  }
  return known;
}

std::vector<double> ridge_coefficients(const ModelRows& data, std::span<const std::uint32_t> rows,
                                       const NodeColumns& known, double base,
                                       std::span<const double> penalties, const PollRows& poll) {
  const std::size_t p = known.columns.size();
  std::vector<double> found = rows.size() < p ? solved_by_rows(data, rows, known, base, penalties, poll)
                                              : solved_by_columns(data, rows, known, base, penalties, poll);
  for (std::size_t set = 0; set < penalties.size(); ++set) {
    const std::span<double> own(found.data() + set * p, p);
    for (std::size_t j = 0; j < p; ++j) own[j] /= known.scale[j];
    if (!std::all_of(own.begin(), own.end(), [](double c) { return std::isfinite(c); }))
      std::fill(own.begin(), own.end(), 0.0);
  }
  return found;
}

double model_answer(const NodeColumns& known, const double* coefficients, double base, const double* row) {
  double said = base;
  for (std::size_t j = 0; j < known.columns.size(); ++j) {
    const double x = row[known.columns[j]];
    if (!std::isnan(x)) said += coefficients[j] * (x - known.mean[j]);
  }
  if (std::isnan(said)) return base;
  return std::clamp(said, known.lowest, known.highest);
}

}  // namespace thriftree
