// The cheapest tree of a set: of all trees of a graph the one with the lowest expected price, by the rules of
// price/. A part of a tree is kept for as long as no other of the same rows, after a path that has bought the
// same, has at most its objective and its price.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "price/prices.hpp"
#include "search/near_graph.hpp"

namespace thriftree {

// Who pays what, by row of the problem.
struct NearPayers {
  std::span<const double> weight;         // of each row; prices are sums of weight x price
  std::span<const double> outcome_price;  // [slot of the rules' outcomes * n_rows + row]
};

struct PricedNearTree {
  std::vector<std::int32_t> test;  // as NearTree's
  double price = 0;
};

class NearCheapest {
 public:
  // `largest`: the tree of the highest price is found, not of the lowest. Trees above `most_price` are left
  // out. `poll` is called every few milliseconds and may throw.
  NearCheapest(const NearRows& rows, const NearGraph& graph, const Prices& rules, const NearPayers& payers,
               double most_price, std::function<void()> poll, bool largest = false);

  // None: no tree of the set is within the price.
  std::optional<PricedNearTree> find();

 private:
  using Features = std::vector<std::uint32_t>;  // rising

  // What a set of rows pays together.
  struct Paying {
    double weight = 0;
    std::vector<double> by_slot;
  };
  struct Point {
    SearchValue value = 0;
    std::int32_t leaves = 1;
    double price = 0;
    std::int32_t option = -1;              // of the node; -1: a leaf
    std::uint32_t order = 0;               // which of its orders
    std::int32_t first = -1, second = -1;  // points of the two sides
  };
  using Points = std::vector<Point>;  // by rising value and falling price
  struct State {
    std::uint32_t node;
    PathState path;
    bool operator==(const State&) const = default;
  };
  struct HashOfState {
    std::size_t operator()(const State& state) const {
      return state.path.hash() ^ (state.node * std::size_t{0x9e3779b97f4a7c15U});
    }
  };
  // The last levels of a node, with what its rows pay.
  struct Opened {
    NearLastLevels levels;
    std::vector<Paying> sides;    // [option * 2]: first, second
    std::vector<Features> below;  // of each option
  };

  const Points& points(std::uint32_t node, const PathState& path);
  Points last_points(std::uint32_t node, const PathState& path);
  Points side_points(const NearSide& side, const Paying& paying, const PathState& path) const;
  // `same`: leaves on both sides would give the same answer, so such a pair is no tree of the set.
  void combine(const NearNode& node, const Points& first, const Points& second, const Point& begun, bool same,
               Points& made) const;
  void keep_best(Points& points) const;
  void write(std::uint32_t node, const PathState& path, const Point& point, PricedNearTree& tree);
  void write_side(const NearSide& side, const Point& point, PricedNearTree& tree) const;

  // The orders that a test may place: each a set of features; one that is empty where it places none.
  std::vector<Features> orders(const PathState& path, std::uint32_t feature, const Features& below) const;
  bool is_forbidden(const PathState& path, std::uint32_t feature) const;
  // What the rows pay for the test; the path has asked for it.
  double ask(PathState& path, std::uint32_t feature, const Features& order, const Paying& paying) const;
  Paying paying(const NodeBits& rows, const std::uint64_t* mask, int side) const;
  const Opened& opened(std::uint32_t node);
  std::uint32_t feature(std::int32_t column) const {
    return static_cast<std::uint32_t>(rows_.entries.feature[static_cast<std::size_t>(column)]);
  }

  const NearRows& rows_;
  const NearGraph& graph_;
  const Prices& rules_;
  double most_price_;
  double sign_;  // -1 where the highest price is looked for: then prices here are those times -1
  std::function<void()> poll_;
  std::vector<double> weight_;                // of each group
  std::vector<std::vector<double>> by_slot_;  // [slot][group]
  std::vector<std::int32_t> group_;           // of each entry that stands for its group; else -1
  std::vector<Paying> paying_;                // of each node
  std::vector<Features> asked_;               // of each node: features that trees of the set ask there
  std::unordered_map<State, Points, HashOfState> known_;
  std::unordered_map<std::uint32_t, Opened> opened_;
};

}  // namespace thriftree
