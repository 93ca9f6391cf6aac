#include "soft/lbfgs.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>

namespace thriftree::soft {

namespace {

using Numbers = std::vector<double>;

constexpr std::size_t kRemembered = 10;   // pairs of steps and changes of the gradient
constexpr double kEnoughDecrease = 1e-4;  // of what the slope promises (Armijo)
constexpr double kEnoughFlatter = 0.9;    // of the slope may be left (Wolfe)
constexpr int kMostTries = 40;            // of one line search

double dot(const Numbers& a, const Numbers& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

double largest(const Numbers& a) {
  double found = 0;
  for (const double x : a) found = std::max(found, std::abs(x));
  return found;
}

struct Iterate {
  Numbers at, gradient;
  double value = 0;
};

// What the last steps have taught of the curvature.
class Memory {
 public:
  void learn(const Iterate& from, const Iterate& to) {
    Pair pair;
    pair.step.resize(from.at.size());
    pair.change.resize(from.at.size());
    for (std::size_t i = 0; i < from.at.size(); ++i) {
      pair.step[i] = to.at[i] - from.at[i];
      pair.change[i] = to.gradient[i] - from.gradient[i];
    }
    const double curvature = dot(pair.step, pair.change);
    if (!(curvature > 1e-12 * dot(pair.change, pair.change))) return;
    pair.inverse = 1 / curvature;
    if (pairs_.size() == kRemembered) pairs_.pop_front();
    pairs_.push_back(std::move(pair));
  }

  bool forget() {
    const bool knew = !pairs_.empty();
    pairs_.clear();
    return knew;
  }

  // Downhill from here: minus the inverse of the curvature times the gradient.
  Numbers direction(const Numbers& gradient) const {
    Numbers way(gradient);
    std::vector<double> shares(pairs_.size());
    for (std::size_t p = pairs_.size(); p-- > 0;) {
      shares[p] = pairs_[p].inverse * dot(pairs_[p].step, way);
      add(way, -shares[p], pairs_[p].change);
    }
    if (!pairs_.empty()) {
      const Pair& last = pairs_.back();
      const double curvature = last.inverse * dot(last.change, last.change);
      for (double& x : way) x /= curvature;
    }
    for (std::size_t p = 0; p < pairs_.size(); ++p)
      add(way, shares[p] - pairs_[p].inverse * dot(pairs_[p].change, way), pairs_[p].step);
    for (double& x : way) x = -x;
    return way;
  }

  bool empty() const { return pairs_.empty(); }

 private:
  struct Pair {
    Numbers step, change;
    double inverse = 0;  // 1 / (step · change)
  };
  static void add(Numbers& to, double times, const Numbers& what) {
    for (std::size_t i = 0; i < to.size(); ++i) to[i] += times * what[i];
  }
  std::deque<Pair> pairs_;
};

// Looks along the way for a point that is enough lower and enough flatter, by doubling and halving. False:
// none is lower.
bool search_line(const Slope& slope, const Iterate& from, const Numbers& way, double step, Iterate& to) {
  const double promised = dot(from.gradient, way);
  if (!(promised < 0)) return false;
  double low = 0, high = std::numeric_limits<double>::infinity();
  Iterate tried = from;
  bool found = false;
  for (int t = 0; t < kMostTries; ++t) {
    for (std::size_t i = 0; i < way.size(); ++i) tried.at[i] = from.at[i] + step * way[i];
    tried.value = slope(tried.at, tried.gradient);
    if (!(tried.value <= from.value + kEnoughDecrease * step * promised)) {
      high = step;
    } else {
      const bool flat = dot(tried.gradient, way) >= kEnoughFlatter * promised;
      if (!found || tried.value <= to.value) to = tried;
      found = true;
      if (flat) return true;
      low = step;
    }
    step = std::isinf(high) ? 2 * step : low + (high - low) / 2;
  }
  return found && to.value < from.value;
}

bool little_gained(double before, double after, double tol) {
  return before - after <= tol * std::max({std::abs(before), std::abs(after), 1e-3});
}

void iterate(const Slope& slope, const DescentOptions& options, Iterate& here, Descent& descent) {
  here.value = slope(here.at, here.gradient);
  if (!std::isfinite(here.value)) throw BadInput("a soft tree cannot start where its loss is infinite");
  descent.values.push_back(here.value);
  Memory memory;
  Iterate next;
  while (largest(here.gradient) > options.tol) {
    if (descent.values.size() > static_cast<std::size_t>(options.max_iter)) {
      descent.ended_by = "max_iter";
      return;
    }
    const Numbers way = memory.direction(here.gradient);
    const double first = memory.empty() ? 1 / std::max(1.0, std::sqrt(dot(way, way))) : 1.0;
    if (!search_line(slope, here, way, first, next)) {
      if (memory.forget()) continue;  // steepest descent before giving up
      return;
    }
    memory.learn(here, next);
    const double before = here.value;
    std::swap(here, next);
    descent.at = here.at;
    descent.values.push_back(here.value);
    if (little_gained(before, here.value, options.tol)) return;
  }
}

}  // namespace

Descent descend(const Slope& slope, std::vector<double> start, const DescentOptions& options,
                Control& control) {
  if (options.max_iter < 0) throw BadInput("max_iter must be 0 or more");
  if (!(options.tol >= 0)) throw BadInput("tol must be 0 or more");
  Descent descent;
  descent.at = start;
  descent.ended_by = "converged";
  Iterate here;
  here.at = std::move(start);
  here.gradient.resize(here.at.size());
  control.reserve((2 * kRemembered + 10) * here.at.size() * sizeof(double), "the memory of L-BFGS");
  control.watch_time();
  const Slope counted = [&](std::span<const double> at, std::span<double> gradient) {
    ++descent.evaluations;
    return slope(at, gradient);
  };
  try {
    iterate(counted, options, here, descent);
  } catch (const OutOfTime&) {
    descent.ended_by = "time_limit";
  } catch (const Interrupted&) {
    if (!control.keeps_after(std::current_exception())) throw;
    descent.ended_by = "interrupt";
  }
  return descent;
}

}  // namespace thriftree::soft
