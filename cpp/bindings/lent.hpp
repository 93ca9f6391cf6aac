// What the loop lends to parts written in Python: views that are valid during one call.
#pragma once

#include <nanobind/nanobind.h>

#include <cstddef>
#include <memory>

#include "grow/growth.hpp"
#include "run/control.hpp"

namespace thriftree::bindings {

// Something lent to Python for one call. Whoever keeps it longer gets an error: what it points to is gone.
template <class T>
class Loan {
 public:
  explicit Loan(const T& lent) : lent_(std::make_shared<const T*>(&lent)) {}
  const T& get() const {
    if (!*lent_)
      throw BadInput("this object was lent for one call that has ended: copy what you need during the call");
    return **lent_;
  }
  void end() const { *lent_ = nullptr; }

 private:
  std::shared_ptr<const T*> lent_;
};

// Ends a loan when the call does, also by an exception.
template <class T>
struct EndOfLoan {
  const Loan<T>& loan;
  ~EndOfLoan() { loan.end(); }
};

// A node as a Python chooser sees it.
struct LentNode {
  const NodeContext& context;
  RowStore& store;
};
using NodeView = Loan<LentNode>;

using GrowthView = Loan<Growth>;

// A node of a growth, looked up anew at each use: nodes move in memory as a tree grows.
struct GrowthNodeView {
  GrowthView growth;
  std::size_t index;
  const GrowthNode& get() const { return growth.get().nodes[index]; }
};

// The steps from the root as (column, branch) pairs.
using Path = nanobind::typed<nanobind::list, nanobind::typed<nanobind::tuple, int, int>>;

inline Path path_of(std::span<const PathStep> path) {
  Path steps;
  for (const auto& step : path) steps.append(nanobind::make_tuple(step.column, step.branch));
  return steps;
}

}  // namespace thriftree::bindings
