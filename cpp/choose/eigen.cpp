// Householder's reduction and the implicit QL method, as in Golub and Van Loan, Matrix Computations, ch. 8.
#include "choose/eigen.hpp"

#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>

namespace thriftree {

namespace {

// The matrix as q * t * q' with three diagonals left in t.
struct ThreeDiagonals {
  std::vector<double> diagonal;
  std::vector<double> beside;  // beside[i] stands between rows i and i + 1; the last is 0
  std::vector<double> q;       // n * n, rows first
};

// a <- h a h and q <- q h with the reflection h = 1 - 2 v v' that leaves only the first number of the rest of
// column `k` below the diagonal.
void reflect(std::vector<double>& a, std::vector<double>& q, std::vector<double>& v,
             std::vector<double>& product, std::size_t k, std::size_t n) {
  double square = 0;
  for (std::size_t i = k + 1; i < n; ++i) square += a[i * n + k] * a[i * n + k];
  const double length = std::sqrt(square);
  if (length == 0) return;
  const double first = a[(k + 1) * n + k];
  const double image = first > 0 ? -length : length;
  // v = (column - image * first unit vector) / its length.
  const double scale = std::sqrt(2 * (square - first * image));
  for (std::size_t i = 0; i < n; ++i) v[i] = i <= k ? 0.0 : a[i * n + k] / scale;
  v[k + 1] = (first - image) / scale;
  // With p = a v and w = p - (v'p) v:  h a h = a - 2 v w' - 2 w v'.
  double along = 0;
  for (std::size_t i = k; i < n; ++i) {
    double sum = 0;
    for (std::size_t j = k + 1; j < n; ++j) sum += a[i * n + j] * v[j];
    product[i] = sum;
    along += v[i] * sum;
  }
  for (std::size_t i = k; i < n; ++i) product[i] -= along * v[i];
  for (std::size_t i = k; i < n; ++i) {
    for (std::size_t j = k; j < n; ++j) a[i * n + j] -= 2 * (v[i] * product[j] + product[i] * v[j]);
  }
  for (std::size_t i = 0; i < n; ++i) {
    double sum = 0;
    for (std::size_t j = k + 1; j < n; ++j) sum += q[i * n + j] * v[j];
    for (std::size_t j = k + 1; j < n; ++j) q[i * n + j] -= 2 * sum * v[j];
  }
}

ThreeDiagonals reduce(std::span<const double> matrix, std::size_t n, const std::function<void()>& poll) {
  std::vector<double> a(matrix.begin(), matrix.end());
  ThreeDiagonals result{std::vector<double>(n), std::vector<double>(n, 0.0), std::vector<double>(n * n, 0.0)};
  std::vector<double> v(n), product(n);
  for (std::size_t i = 0; i < n; ++i) result.q[i * n + i] = 1;
  for (std::size_t k = 0; k + 2 < n; ++k) {
    poll();
    reflect(a, result.q, v, product, k, n);
  }
  for (std::size_t i = 0; i < n; ++i) {
    result.diagonal[i] = a[i * n + i];
    if (i + 1 < n) result.beside[i] = a[(i + 1) * n + i];
  }
  return result;
}

// Where the block that begins at `first` ends: the first i whose number beside the diagonal is nothing next
// to the matrix.
std::size_t block_end(const ThreeDiagonals& t, std::size_t first, std::size_t n, double negligible) {
  std::size_t last = first;
  while (last + 1 < n && std::abs(t.beside[last]) > negligible) ++last;
  return last;
}

// One implicit QL step with Wilkinson's shift on the rows first..last.
void ql_step(ThreeDiagonals& t, std::size_t first, std::size_t last, std::size_t n) {
  auto& d = t.diagonal;
  auto& e = t.beside;
  const double half = (d[first + 1] - d[first]) / (2 * e[first]);
  const double root = std::sqrt(half * half + 1);
  const double shift = d[first] - e[first] / (half + (half >= 0 ? root : -root));
  double chased = d[last] - shift, sine = 1, cosine = 1, carry = 0;
  for (std::size_t i = last; i-- > first;) {
    const double off = sine * e[i], beside = cosine * e[i];
    const double length = std::sqrt(off * off + chased * chased);
    e[i + 1] = length;
    if (length == 0) {  // the matrix falls apart here
      d[i + 1] -= carry;
      e[last] = 0;
      return;
    }
    sine = off / length;
    cosine = chased / length;
    const double lower = d[i + 1] - carry;
    const double turned = (d[i] - lower) * sine + 2 * cosine * beside;
    carry = sine * turned;
    d[i + 1] = lower + carry;
    chased = cosine * turned - beside;
    for (std::size_t row = 0; row < n; ++row) {
      double& left = t.q[row * n + i];
      double& right = t.q[row * n + i + 1];
      const double old = right;
      right = sine * left + cosine * old;
      left = cosine * left - sine * old;
    }
  }
  d[first] -= carry;
  e[first] = chased;
  e[last] = 0;
}

}  // namespace

Eigen eigen_of_symmetric(std::span<const double> matrix, int n_rows, const std::function<void()>& poll) {
  const auto n = static_cast<std::size_t>(n_rows);
  ThreeDiagonals t = reduce(matrix, n, poll);
  double size = 0;
  for (std::size_t i = 0; i < n; ++i) size = std::max(size, std::abs(t.diagonal[i]) + std::abs(t.beside[i]));
  const double negligible = size * std::numeric_limits<double>::epsilon();
  for (std::size_t first = 0; first < n; ++first) {
    for (std::size_t last; (last = block_end(t, first, n, negligible)) > first;) {
      poll();
      ql_step(t, first, last, n);
    }
    t.beside[first] = 0;
  }
  return {std::move(t.diagonal), std::move(t.q)};
}

}  // namespace thriftree
