#include "soft/gate_sums.hpp"

#include <algorithm>
#include <cstring>

#include "run/cpu.hpp"
#include "soft/soft_rows.hpp"

namespace thriftree::soft {

namespace {

constexpr std::size_t kLane = 4;  // numbers that one sum is kept in: part of the result, so never changed
typedef double Lane __attribute__((vector_size(kLane * sizeof(double))));
constexpr std::size_t kColumns = 4;  // that are weighed together

THRIFTREE_INLINE void load(Lane& to, const double* from) { std::memcpy(&to, from, sizeof(Lane)); }
THRIFTREE_INLINE void store(double* to, const Lane& from) { std::memcpy(to, &from, sizeof(Lane)); }

// out[t] += the weighted sum of C columns, for T gates. The sums lie in the cache nearest to the CPU, while
// the columns, whose rows are 2^n bytes apart, would push one another out of it if all were read row by row.
template <std::size_t T, std::size_t C>
THRIFTREE_INLINE void weigh_columns(const double* const* weights, std::size_t first, const double* columns,
                                    double* const* out) {
  double by[T][C];
  double* to[T];
  for (std::size_t t = 0; t < T; ++t) {
    to[t] = out[t];
    for (std::size_t c = 0; c < C; ++c) by[t][c] = weights[t][first + c];
  }
  for (std::size_t r = 0; r < kBlock; r += kLane) {
    Lane sums[T];
    for (std::size_t t = 0; t < T; ++t) load(sums[t], to[t] + r);
    for (std::size_t c = 0; c < C; ++c) {
      Lane x;
      load(x, columns + (first + c) * kBlock + r);
      for (std::size_t t = 0; t < T; ++t) sums[t] += by[t][c] * x;
    }
    for (std::size_t t = 0; t < T; ++t) store(to[t] + r, sums[t]);
  }
}

// out[t] = offset[t] + the weighted sum of n columns, one after the other, for T gates.
template <std::size_t T>
THRIFTREE_INLINE void weigh(const double* const* weights, const double* columns, std::size_t n,
                            double* const* out) {
  for (std::size_t t = 0; t < T; ++t) std::fill_n(out[t], kBlock, weights[t][n]);
  std::size_t c = 0;
  for (; c + kColumns <= n; c += kColumns) weigh_columns<T, kColumns>(weights, c, columns, out);
  for (; c < n; ++c) weigh_columns<T, 1>(weights, c, columns, out);
}

THRIFTREE_INLINE double sum_of(const Lane& lane) { return (lane[0] + lane[1]) + (lane[2] + lane[3]); }

// gradient[t][c] += the sum over rows of slopes[t] × column c, for T gates and C columns.
template <std::size_t T, std::size_t C>
THRIFTREE_INLINE void sum_columns(const double* const* slopes, const double* columns, std::size_t first,
                                  double* const* gradient) {
  const double *of[T], *column[C];
  for (std::size_t t = 0; t < T; ++t) of[t] = slopes[t];
  for (std::size_t c = 0; c < C; ++c) column[c] = columns + (first + c) * kBlock;
  Lane low[T][C] = {}, high[T][C] = {};
  for (std::size_t r = 0; r < kBlock; r += 2 * kLane) {
    Lane x[C], y[C];
    for (std::size_t c = 0; c < C; ++c) {
      load(x[c], column[c] + r);
      load(y[c], column[c] + r + kLane);
    }
    for (std::size_t t = 0; t < T; ++t) {
      Lane s, u;
      load(s, of[t] + r);
      load(u, of[t] + r + kLane);
      for (std::size_t c = 0; c < C; ++c) {
        low[t][c] += s * x[c];
        high[t][c] += u * y[c];
      }
    }
  }
  for (std::size_t t = 0; t < T; ++t)
    for (std::size_t c = 0; c < C; ++c) gradient[t][first + c] += sum_of(low[t][c]) + sum_of(high[t][c]);
}

// Asks for the rows of one of the columns.
THRIFTREE_INLINE void ask_for(const Ahead& ahead, std::size_t column) {
  if (!ahead.columns) return;
  for (std::size_t r = ahead.begin; r < ahead.end; r += kLine)
    __builtin_prefetch(ahead.columns + column * kBlock + r, /* to read */ 0, /* into the second cache */ 2);
}

// The same for n columns, of which two are summed at a time where there are registers for that. gradient[t]
// [n], the offset's, is the sum of slopes[t].
template <std::size_t T>
THRIFTREE_INLINE void sum_slopes(const double* const* slopes, const double* columns, std::size_t n,
                                 double* const* gradient, const Ahead& ahead) {
  std::size_t c = 0;
  if (cpu_has(CpuLevel::avx512))
    for (; c + 2 <= n; c += 2) {
      ask_for(ahead, c);
      ask_for(ahead, c + 1);
      sum_columns<T, 2>(slopes, columns, c, gradient);
    }
  for (; c < n; ++c) {
    ask_for(ahead, c);
    sum_columns<T, 1>(slopes, columns, c, gradient);
  }
  for (std::size_t t = 0; t < T; ++t) {
    Lane sum = Lane{};
    for (std::size_t r = 0; r < kBlock; r += kLane) {
      Lane s;
      load(s, slopes[t] + r);
      sum += s;
    }
    gradient[t][n] += sum_of(sum);
  }
}

}  // namespace

THRIFTREE_BY_CPU(void, weigh_tile,
                 (std::size_t gates, const double* const* weights, const double* columns, std::size_t n,
                  double* const* out),
                 (gates, weights, columns, n, out)) {
  if (gates == 4) return weigh<4>(weights, columns, n, out);
  if (gates == 3) return weigh<3>(weights, columns, n, out);
  if (gates == 2) return weigh<2>(weights, columns, n, out);
  weigh<1>(weights, columns, n, out);
}

THRIFTREE_BY_CPU(void, sum_tile,
                 (std::size_t gates, const double* const* slopes, const double* columns, std::size_t n,
                  double* const* gradient, const Ahead& ahead),
                 (gates, slopes, columns, n, gradient, ahead)) {
  if (gates == 4) return sum_slopes<4>(slopes, columns, n, gradient, ahead);
  if (gates == 3) return sum_slopes<3>(slopes, columns, n, gradient, ahead);
  if (gates == 2) return sum_slopes<2>(slopes, columns, n, gradient, ahead);
  sum_slopes<1>(slopes, columns, n, gradient, ahead);
}

}  // namespace thriftree::soft
