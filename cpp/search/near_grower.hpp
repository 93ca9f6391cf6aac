// From rows to the graph of all trees up to some value.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "run/team.hpp"
#include "search/near_graph.hpp"
#include "search/solver.hpp"

namespace thriftree {

constexpr int kLastLevels = 2;  // that are not stored

class NearGrower {
 public:
  NearGrower(const NearRows& rows, Solver& solver, Control& control)
      : rows_(rows), solver_(solver), control_(control), graph_(rows.units), nodes_(graph_.nodes) {}
  // What was booked stays booked if the graph is finished.
  ~NearGrower() { control_.release(booked_); }
  NearGrower(const NearGrower&) = delete;
  NearGrower& operator=(const NearGrower&) = delete;

  // Every tree of a value of `most` at most. Memory is booked as it grows. To be called once.
  NearGraph grow(SearchValue most, Team& team);

 private:
  void add_root(SearchValue most);
  void expand(std::uint32_t node);
  void add_option(std::uint32_t node, const NodeBits& rows, std::size_t column, std::int64_t pay,
                  const SearchValue best[2]);
  std::uint32_t child(std::uint32_t parent, const NodeBits& rows, std::size_t column, int side, Hash128 hash,
                      std::uint32_t n_entries, SearchValue most);
  // The least value of each side of the test, if both together may be what the node's trees are at most.
  bool solve_sides(const NodeBits& rows, const KernelAnswer& looked, std::size_t column, const NearNode& node,
                   SearchValue best[2]);
  NearHistogram last_histogram(std::uint32_t node, const HistogramRoom& room) const;
  NearHistogram histogram_of(const NearNode& node) const;
  NearHistogram sum_of(const NearNode& node, const std::vector<NearPairs>& pairs,
                       const HistogramRoom& room) const;
  HistogramRoom room(int worker) const;  // that is left
  // Without what the solver adds so that fewer leaves win.
  SearchValue plain(SearchValue value) const {
    return rows_.units.leaf > 0 ? value : value - value % rows_.units.unit;
  }
  void book(std::size_t bytes);

  const NearRows& rows_;
  Solver& solver_;
  Control& control_;
  NearGraph graph_;
  std::vector<NearNode>& nodes_;  // of the graph
  std::unordered_map<Hash128, std::uint32_t, HashOfHash> known_;
  std::vector<std::uint32_t> open_;  // a heap: most entries first, so that a node comes after all above it
  std::size_t booked_ = 0, unbooked_ = 0;
};

}  // namespace thriftree
