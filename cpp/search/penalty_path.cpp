#include "search/penalty_path.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "run/control.hpp"

namespace thriftree {

PenaltyPath::PenaltyPath(const std::vector<double>& penalties, double price_weight, Search search)
    : penalties_(penalties),
      price_weight_(price_weight),
      search_(std::move(search)),
      order_(penalties.size()),
      result_(penalties.size()) {
  for (double penalty : penalties) {
    if (!(penalty >= 0)) throw BadInput("leaf_penalties must be 0 or more");
  }
  std::iota(order_.begin(), order_.end(), std::size_t{0});
  std::stable_sort(order_.begin(), order_.end(),
                   [&](std::size_t a, std::size_t b) { return penalties[a] < penalties[b]; });
}

double PenaltyPath::objective(const SearchResult& result, double penalty) const {
  const double cost = static_cast<double>(result.cost) + penalty * result.leaves;
  return price_weight_ > 0 ? cost + price_weight_ * result.price : cost;
}

void PenaltyPath::search(std::size_t i, const SearchTree& start) {
  result_[i] = search_(penalties_[order_[i]], start);
}

// Fills in what lies between two penalties whose trees are known.
void PenaltyPath::between(std::size_t low, std::size_t high) {
  if (high - low < 2) return;
  const SearchResult &a = result_[low], &b = result_[high];
  const bool proved = a.status == "optimal" && b.status == "optimal";
  if (proved && a.cost == b.cost && a.leaves == b.leaves && a.price == b.price) {
    for (std::size_t i = low + 1; i < high; ++i) {
      result_[i] = a;
      result_[i].objective = objective(a, penalties_[order_[i]]);
      const double rounded = std::max(a.objective - a.lower_bound, b.objective - b.lower_bound);
      result_[i].lower_bound = std::max(0.0, result_[i].objective - rounded);
      // Nothing was searched for this one.
      result_[i].statistics = {};
      result_[i].history = {{a.history.back().seconds, result_[i].objective, result_[i].lower_bound}};
    }
    return;
  }
  const std::size_t middle = low + (high - low) / 2;
  const double penalty = penalties_[order_[middle]];
  const bool a_is_better = objective(a, penalty) <= objective(b, penalty);
  search(middle, SearchTree(a_is_better ? a.tree : b.tree));
  between(low, middle);
  between(middle, high);
}

std::vector<SearchResult> PenaltyPath::run(const SearchTree& warm_start) {
  const std::size_t n = order_.size();
  if (n > 0) search(n - 1, warm_start);
  if (n > 1) {
    search(0, warm_start.test.empty() ? SearchTree(result_[n - 1].tree) : warm_start);
    between(0, n - 1);
  }
  std::vector<SearchResult> made(n);
  for (std::size_t i = 0; i < n; ++i) made[order_[i]] = std::move(result_[i]);
  return made;
}

}  // namespace thriftree
