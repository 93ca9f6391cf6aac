#include "choose/chaid_halves.hpp"

#include <algorithm>
#include <numeric>

namespace thriftree {

namespace {

constexpr std::size_t kMostForAllHalves = 8;  // unordered categories of which every division in two is tried
constexpr double kHalvesTie = 1e-12;          // relative: of statistics that are nearer the first is taken

// Divisions of a group in two, one after the other: the table of the left part, and which rows are in it.
class Divisions {
 public:
  Divisions(const Categories& categories, const std::vector<std::uint32_t>& group, std::size_t n_classes)
      : n_(group.size()), n_classes_(n_classes), total_(n_classes, 0.0), left_(n_classes), right_(n_classes) {
    for (const std::uint32_t i : group) {
      const double* const row = categories.table.data() + i * n_classes;
      table_.insert(table_.end(), row, row + n_classes);
      for (std::size_t k = 0; k < n_classes; ++k) total_[k] += row[k];
    }
    floating_ = categories.floating && group.back() + 1 == categories.size();
    ordered_ = categories.ordered;
  }

  std::span<const double> table() const { return table_; }

  // Calls use(left, right, in_left) for every division; in_left(i) tells of the group's i-th category.
  template <class Use>
  void each(const Use& use) {
    if (ordered_) {
      cuts(use);
    } else if (n_ <= kMostForAllHalves) {
      subsets(use);
    } else {
      by_shares(use);
    }
  }

 private:
  // Every way to cut a row of categories in two; a floating one, the last, is on either side or alone.
  template <class Use>
  void cuts(const Use& use) {
    const std::size_t in_row = n_ - (floating_ ? 1 : 0);
    for (const bool with_last : {false, true}) {
      if (with_last && !floating_) break;
      std::fill(left_.begin(), left_.end(), 0.0);
      for (std::size_t cut = 0; cut + 1 < in_row; ++cut) {
        add(cut);
        std::vector<double> left = left_;
        if (with_last) {
          for (std::size_t k = 0; k < n_classes_; ++k) left[k] += at(n_ - 1, k);
        }
        offer(use, left, [=, this](std::size_t i) { return i <= cut || (with_last && i + 1 == n_); });
      }
    }
    if (!floating_) return;
    add(in_row - 1 < n_ ? in_row - 1 : 0);
    offer(use, left_, [this](std::size_t i) { return i + 1 < n_; });
  }

  // The last category is always in the right part.
  template <class Use>
  void subsets(const Use& use) {
    for (std::size_t bits = 1; bits < std::size_t{1} << (n_ - 1); ++bits) {
      std::fill(left_.begin(), left_.end(), 0.0);
      for (std::size_t i = 0; i + 1 < n_; ++i) {
        if (bits >> i & 1) add(i);
      }
      offer(use, left_, [bits](std::size_t i) { return (bits >> i & 1) != 0; });
    }
  }

  // Those that take the categories of the largest share of a class, for each class. Of two classes the best
  // division is always among these.
  template <class Use>
  void by_shares(const Use& use) {
    std::vector<double> share(n_);
    std::vector<std::size_t> order(n_), rank(n_);
    for (std::size_t k = 0; k < n_classes_; ++k) {
      for (std::size_t i = 0; i < n_; ++i) {
        const double* const row = table_.data() + i * n_classes_;
        share[i] = row[k] / std::accumulate(row, row + n_classes_, 0.0);
      }
      std::iota(order.begin(), order.end(), std::size_t{0});
      std::stable_sort(order.begin(), order.end(),
                       [&](std::size_t a, std::size_t b) { return share[a] > share[b]; });
      for (std::size_t r = 0; r < n_; ++r) rank[order[r]] = r;
      std::fill(left_.begin(), left_.end(), 0.0);
      for (std::size_t r = 0; r + 1 < n_; ++r) {
        add(order[r]);
        offer(use, left_, [&rank, r](std::size_t i) { return rank[i] <= r; });
      }
    }
  }

  double at(std::size_t i, std::size_t k) const { return table_[i * n_classes_ + k]; }
  void add(std::size_t i) {
    for (std::size_t k = 0; k < n_classes_; ++k) left_[k] += at(i, k);
  }
  template <class Use, class InLeft>
  void offer(const Use& use, const std::vector<double>& left, const InLeft& in_left) {
    for (std::size_t k = 0; k < n_classes_; ++k) right_[k] = total_[k] - left[k];
    use(left.data(), right_.data(), in_left);
  }

  std::size_t n_, n_classes_;
  bool ordered_ = false, floating_ = false;
  std::vector<double> table_, total_, left_, right_;
};

}  // namespace

std::optional<GroupHalves> best_halves(const Categories& categories, const std::vector<std::uint32_t>& group,
                                       double threshold, ContingencyTests& tests,
                                       const std::function<void()>& poll) {
  if (group.size() < 3) return {};
  Divisions divisions(categories, group, tests.n_classes());
  TableTest test = tests.of_table(divisions.table());
  test.freedom /= group.size() - 1;
  if (test.log_p() > threshold) return {};  // no two parts can differ more than all categories do
  double largest = 0;
  divisions.each([&](const double* left, const double* right, const auto&) {
    poll();
    largest = std::max(largest, tests.of_pair(left, right).statistic);
  });
  GroupHalves found;
  bool is_found = false;
  divisions.each([&](const double* left, const double* right, const auto& in_left) {
    if (is_found) return;
    const double statistic = tests.of_pair(left, right).statistic;
    if (statistic < largest * (1 - kHalvesTie)) return;
    is_found = true;
    test.statistic = statistic;
    for (std::size_t i = 0; i < group.size(); ++i)
      (in_left(i) ? found.left : found.right).push_back(group[i]);
  });
  found.log_p = test.log_p();
  if (found.log_p > threshold) return {};
  return found;
}

}  // namespace thriftree
