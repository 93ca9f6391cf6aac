// What parts written in Python see of the loop: borrowed views, valid during the call that hands them out.
#pragma once

#include <nanobind/nanobind.h>

#include <cstddef>
#include <memory>

#include "grow/growth.hpp"
#include "run/control.hpp"

namespace thriftree::bindings {

// A view of something that the loop owns. Using it after the call is an error: what it points to is gone.
template <class T>
class BorrowedView {
 public:
  explicit BorrowedView(const T& seen) : seen_(std::make_shared<const T*>(&seen)) {}
  const T& get() const {
    if (!*seen_)
      throw BadInput(
          "this is a borrowed view, and the call that it was for has ended: copy what you need during the "
          "call");
    return **seen_;
  }
  void end() const { *seen_ = nullptr; }

 private:
  std::shared_ptr<const T*> seen_;
};

// Ends a view when the call ends, also by an exception.
template <class T>
struct EndOfView {
  const BorrowedView<T>& view;
  ~EndOfView() { view.end(); }
};

// A node as a Python chooser sees it.
struct NodeInStore {
  const NodeContext& context;
  RowStore& store;
};
using NodeView = BorrowedView<NodeInStore>;

using GrowthView = BorrowedView<Growth>;

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
