// The best tree for each of many leaf penalties, from few searches. The least objective is a concave function
// of the penalty, made of straight lines: a tree that is best for two penalties is best for all between them.
#pragma once

#include <functional>
#include <vector>

#include "search/problem.hpp"

namespace thriftree {

class PenaltyPath {
 public:
  // Searches with this penalty, from this tree on.
  using Search = std::function<SearchResult(double, const SearchTree&)>;

  PenaltyPath(const std::vector<double>& penalties, double price_weight, Search search);

  // In the order of the penalties that were given.
  std::vector<SearchResult> run(const SearchTree& warm_start);

 private:
  double objective(const SearchResult& result, double penalty) const;
  void search(std::size_t i, const SearchTree& start);
  void between(std::size_t low, std::size_t high);

  const std::vector<double>& penalties_;
  double price_weight_;
  Search search_;
  std::vector<std::size_t> order_;    // indices of penalties_, rising
  std::vector<SearchResult> result_;  // in the order of order_
};

}  // namespace thriftree
