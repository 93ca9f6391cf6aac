// The door to sets of nearly best trees: a problem, limits and a slack to all trees within it of the best.
#pragma once

#include <cmath>
#include <memory>
#include <string>

#include "search/near_trees.hpp"
#include "search/search.hpp"

namespace thriftree {

// Which trees: those at most `slack` above the best or, if there is an `objective`, those at most that.
struct NearSlack {
  double slack = 0;  // in units of weight x error cost
  std::optional<double> objective;
};

class NearOptimal {
 public:
  // Where a limit or an interrupt ends the work, the set is that of the largest slack that was done, if any.
  NearOptimal(const SearchProblem& problem, const SearchOptions& options, const NearSlack& slack,
              Control& control, const SearchProgress& progress);

  const SearchResult& best() const { return best_; }
  const std::string& status() const { return status_; }  // "optimal" or what ended it
  bool has_trees() const { return trees_ != nullptr; }
  double slack() const { return slack_; }  // that was done
  NearTrees& trees();
  // In units of `cost_unit`; with prices they are part of it.
  std::int64_t cost(NearKey key) const { return rows_->entries.floor + key.cost; }
  // In units of weight x error cost.
  double cost_unit() const { return rows_ ? std::ldexp(1.0, -rows_->entries.shift()) : 1.0; }
  const NearRows& rows() const { return *rows_; }
  const NearGraph& graph() const { return *graph_; }

 private:
  void grow(const SearchProblem& problem, const NearSlack& slack, Control& control);

  SearchResult best_;
  std::string status_;
  double slack_ = 0;
  std::unique_ptr<NearRows> rows_;
  std::unique_ptr<NearGraph> graph_;
  std::unique_ptr<NearTrees> trees_;
};

}  // namespace thriftree
