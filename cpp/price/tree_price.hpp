// What a tree costs: per node, per leaf, per row, expected and at worst.
//
// For a row x let A(x) be what its path buys: the features tested on the path that are neither known nor
// delayed, and all that its first delayed node orders. Then
//
//     price(x) = sum of the own prices of A(x), at x's outcomes, + set-up price of each group that A(x)
//     meets.
//
// Where every test is paid, A(x) counts one entry for each immediate node on the path and, in an order, one
// for each distinct (feature, split). Whether missing values go left or right does not make a split a
// different one.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "price/prices.hpp"
#include "tree/tree.hpp"

namespace thriftree {

// A node's own test is in `marginal`, not in what arriving there has paid. Where outcomes differ in price,
// `paid` and `marginal` are at the most expensive outcome that can still occur.
struct TreePrice {
  std::vector<double> paid;          // per node: on arrival; at a leaf the price of the whole path
  std::vector<double> marginal;      // per node: what its test, and the order it may set off, adds
  std::vector<double> fixed;         // per node: the part of `paid` that no outcome changes
  std::vector<std::int64_t> times;   // node x rules.outcomes: how often arriving has paid for that column
  std::vector<std::int32_t> bought;  // per node: for how many columns its test pays
  std::vector<bool> varies;          // per node: whether the price of one of these depends on its outcome
  std::vector<PathState> arrived;    // per node: what arriving has bought
  std::size_t n_outcomes = 0;        // columns of `times`

  // The largest price of any path, missing and other branches included.
  double worst_case(const Tree& tree) const;
  // The mean price over the leaves, by weight. Throws BadInput if some price depends on an outcome, which
  // weights do not tell.
  double expected(const Tree& tree) const;
};

// Of the tree's arrays only structure and weight are read. Throws BadInput if it tests a column without
// rules.
TreePrice price_tree(const Tree& tree, const Prices& prices);

// What each row pays, given its leaf; outcomes[slot][row], needed where a leaf's `times` are not 0, is the
// row's value in that column (as OutcomePrices takes it).
std::vector<double> price_rows(const TreePrice& tree, const PriceRules& rules,
                               std::span<const std::int64_t> leaf,
                               std::span<const std::span<const double>> outcomes);

}  // namespace thriftree
