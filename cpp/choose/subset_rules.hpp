// Rules that keep tests of categories from fitting noise. A free choice among the 2^m sets of m categories
// finds a good one in any column, random codes included; as they are by default, the rules leave it free.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numbers>
#include <vector>

#include "rows/sums.hpp"

namespace thriftree {

struct SubsetRules {
  static constexpr std::size_t kAnyNumber = std::numeric_limits<std::size_t>::max();

  // The order whose prefixes are sets goes by the share (or mean) that each category would have with so much
  // weight more of the node's own share.
  double smoothing = 0;
  // A category of fewer rows at the node is rare: no test places it by its own share.
  std::int64_t min_rows = 1;
  // The side of fewer categories has at most so many.
  std::size_t max_categories = kAnyNumber;
  // How often what a set gains by chance is taken from its decrease: see chance_share.
  double correction = 0;
};

// Of a node's impurity, what the best two sets of n_codes codes take away if the codes mean nothing, beyond
// what two codes do. Shuffle the target of n rows: of squared error, and of gini, which is a sum of squares,
// codes take (n_codes - 1) / (n - 1) on average, whatever their sizes; and two sets take of that 2 / pi, if
// there are many codes of about one size, whose means are then normal. As in tests of significance, n is the
// sum of sample_weight.
inline double chance_share(std::size_t n_codes, double n) {
  if (n_codes <= 2 || n <= 1) return 0;
  return 2 / std::numbers::pi * static_cast<double>(n_codes - 2) / (n - 1);
}

// Candidates of two branches, by the sums of the left one, as BinarySearch::consider takes them.
struct CandidateSums {
  std::vector<double> left, left_total;  // width for each candidate, and 1
  std::vector<std::int64_t> left_rows;

  std::size_t size() const { return left_total.size(); }
  // Those there are keep their sums; new ones are for the caller to set.
  void resize(std::size_t n, std::size_t width) {
    left.resize(n * width);
    left_total.resize(n);
    left_rows.resize(n);
  }
  void copy(std::size_t from, std::size_t to, std::size_t width) {
    std::copy_n(left.data() + from * width, width, left.data() + to * width);
    left_total[to] = left_total[from];
    left_rows[to] = left_rows[from];
  }
  void add(std::size_t candidate, const double* sums, std::size_t width, double total, std::int64_t rows) {
    double* own = left.data() + candidate * width;
    for (std::size_t k = 0; k < width; ++k) own[k] += sums[k];
    left_total[candidate] += total;
    left_rows[candidate] += rows;
  }
};

// The runs of a column at a node as its subset tests see them: those that tests place, and the rare ones,
// which go with the heavier side (of equals the left). That is where categories that were not seen go, too.
//
// Missing values are no category: they are placed always, and no side counts them. Where a node has two codes
// there is one test, and nothing to choose: none is rare.
class SubsetPlacing {
 public:
  // Looks at runs anew; all but the last `n_missing`, 0 or 1, are known.
  void look(const SubsetRules& rules, const ColumnRuns& runs, std::size_t n_missing, std::size_t width);

  // Runs that tests place, ascending; a missing one is last.
  const std::vector<std::uint32_t>& placed() const { return placed_; }
  bool is_rare(std::size_t run) const { return is_rare_[run] != 0; }
  std::size_t n_known() const { return n_known_; }

  // Takes candidates with the sums of the runs that they place, and leaves those that may be made, with all
  // sums. n_left(i): known runs that the i-th places on the left.
  template <class NLeft>
  void settle(const SubsetRules& rules, std::size_t width, CandidateSums& candidates, const NLeft& n_left) {
    kept_.clear();
    rare_left_.clear();
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      const bool is_left = candidates.left_total[i] >= placed_total_ - candidates.left_total[i];
      const std::size_t on_left = n_left(i) + (is_left ? n_rare_ : 0);
      if (std::min(on_left, n_known_ - on_left) > rules.max_categories) continue;
      const std::size_t place = kept_.size();
      if (place != i) candidates.copy(i, place, width);
      if (is_left && n_rare_ > 0) candidates.add(place, rare_sums_.data(), width, rare_total_, rare_rows_);
      kept_.push_back(i);
      rare_left_.push_back(is_left);
    }
    candidates.resize(kept_.size(), width);
  }
  // Of the i-th candidate that was left: which it was before, and whether rare runs are on its left.
  std::size_t was(std::size_t i) const { return kept_[i]; }
  bool rare_left(std::size_t i) const { return rare_left_[i] != 0; }

 private:
  std::vector<std::uint32_t> placed_;
  std::vector<std::uint8_t> is_rare_;  // by run
  std::size_t n_known_ = 0;            // runs, rare ones included
  std::size_t n_rare_ = 0;
  double placed_total_ = 0, rare_total_ = 0;  // growth weight
  std::int64_t rare_rows_ = 0;
  std::vector<double> rare_sums_;
  std::vector<std::size_t> kept_;
  std::vector<std::uint8_t> rare_left_;
};

}  // namespace thriftree
