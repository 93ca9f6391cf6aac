#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "criterion/impurity_registry.hpp"
#include "prune/error_based.hpp"
#include "prune/per_node.hpp"
#include "prune/raising.hpp"
#include "prune/rebuild.hpp"
#include "prune/reduced_error.hpp"
#include "prune/small_gain.hpp"
#include "prune/weakest_link.hpp"
#include "run/control.hpp"
#include "testing.hpp"

using namespace thriftree;

namespace {

// A tree of tests "x <= 0" on column 0 from the children of each node, in preorder; a node's rows are its
// number.
Tree tree_of(const std::vector<std::vector<std::int32_t>>& children) {
  Tree tree;
  tree.n_columns = 1;
  tree.n_classes = 2;
  tree.child_begin = tree.key_begin = tree.to_begin = {0};
  tree.parent.assign(children.size(), -1);
  for (std::size_t t = 0; t < children.size(); ++t) {
    const bool leaf = children[t].empty();
    tree.kind.push_back(leaf ? TestKind::leaf : TestKind::ordered);
    tree.column.push_back(leaf ? -1 : 0);
    tree.missing.push_back(0);
    tree.other.push_back(0);
    for (std::size_t b = 0; b < children[t].size(); ++b) {
      tree.parent[static_cast<std::size_t>(children[t][b])] = static_cast<std::int32_t>(t);
      tree.children.push_back(children[t][b]);
      tree.to.push_back(static_cast<std::int32_t>(b));
      if (b > 0) tree.keys.push_back(static_cast<double>(b));
    }
    tree.child_begin.push_back(static_cast<std::int32_t>(tree.children.size()));
    tree.key_begin.push_back(static_cast<std::int32_t>(tree.keys.size()));
    tree.to_begin.push_back(static_cast<std::int32_t>(tree.to.size()));
    tree.rows.push_back(static_cast<std::int64_t>(t));
    tree.objects.push_back(static_cast<std::int64_t>(t));
    tree.weight.push_back(1.0);
    tree.value.insert(tree.value.end(), {1.0, 0.0});
    tree.impurity.push_back(0.0);
    tree.score.push_back(leaf ? std::numeric_limits<double>::quiet_NaN() : 0.5);
    tree.label.push_back(0);
  }
  return tree;
}

// Every test has a leaf as its first branch and the next test as its second.
Tree chain(std::int32_t n_tests) {
  std::vector<std::vector<std::int32_t>> children(2 * static_cast<std::size_t>(n_tests) + 1);
  for (std::int32_t i = 0; i < n_tests; ++i)
    children[2 * static_cast<std::size_t>(i)] = {2 * i + 1, 2 * i + 2};
  return tree_of(children);
}

bool near(double a, double b, double tolerance) { return std::abs(a - b) <= tolerance; }

}  // namespace

TEST(a_collapsed_node_becomes_a_leaf_and_the_rest_keeps_its_order) {
  const Tree tree = tree_of({{1, 2, 7}, {}, {3, 4}, {}, {5, 6}, {}, {}, {8, 9}, {}, {}});
  std::vector<bool> make_leaf(10, false);
  make_leaf[4] = make_leaf[7] = true;
  const Tree pruned = collapse(tree, make_leaf);
  CHECK((pruned.rows == std::vector<std::int64_t>{0, 1, 2, 3, 4, 7}));
  CHECK((pruned.parent == std::vector<std::int32_t>{-1, 0, 0, 2, 2, 0}));
  CHECK((pruned.children == std::vector<std::int32_t>{1, 2, 5, 3, 4}));
  CHECK((pruned.child_begin == std::vector<std::int32_t>{0, 3, 3, 5, 5, 5, 5}));
  CHECK((pruned.to == std::vector<std::int32_t>{0, 1, 2, 0, 1}));
  CHECK((pruned.keys == std::vector<double>{1, 2, 1}));
  CHECK(pruned.kind[4] == TestKind::leaf && pruned.column[4] == -1 && std::isnan(pruned.score[4]));
  CHECK(pruned.score[2] == 0.5);
}

TEST(a_replaced_node_gives_its_place_to_its_branch) {
  const Tree tree = tree_of({{1, 2}, {}, {3, 4}, {}, {5, 6}, {}, {}});
  Edits edits(tree.n_nodes());
  edits.replaced_by[0] = 2;
  edits.replaced_by[2] = 4;
  const Rebuilt built = rebuild(tree, 0, edits);
  CHECK((built.origin == std::vector<std::int32_t>{4, 5, 6}));
  CHECK(built.tree.parent[0] == -1);
}

TEST(weakest_links_of_a_small_tree_are_those_worked_by_hand) {
  // g(2) = (4 - 2) / 1 = 2, g(0) = (9 - 3) / 2 = 3 with node 2 whole, (9 - 5) / 1 = 4 once it is a leaf.
  const Tree tree = tree_of({{1, 2}, {}, {3, 4}, {}, {}});
  const std::vector<double> cost{9, 1, 4, 1, 1};
  const auto path = cost_complexity_path(tree, cost);
  CHECK(path.cost == 3 && path.size == 3);
  CHECK(path.links.size() == 2);
  CHECK(path.links[0].node == 2 && path.links[0].alpha == 2 && path.links[0].cost == 5 &&
        path.links[0].size == 2);
  CHECK(path.links[1].node == 0 && path.links[1].alpha == 4 && path.links[1].cost == 9 &&
        path.links[1].size == 1);
  CHECK(prune_cost_complexity(tree, cost, 1.99).n_nodes() == 5);
  CHECK(prune_cost_complexity(tree, cost, 2).n_nodes() == 3);
  CHECK(prune_cost_complexity(tree, cost, 4).n_nodes() == 1);
}

TEST(a_node_that_collapses_first_takes_its_branches_with_it) {
  // g(2) = (5 - 0) / 1 = 5, but g(0) = (6 - 0) / 2 = 3.
  const auto path =
      cost_complexity_path(tree_of({{1, 2}, {}, {3, 4}, {}, {}}), std::vector<double>{6, 0, 5, 0, 0});
  CHECK(path.links.size() == 1);
  CHECK(path.links[0].node == 0 && path.links[0].alpha == 3 && path.links[0].size == 1);
  CHECK(path.collapse_alpha[2] == 5);
}

TEST(every_pruner_takes_a_chain_of_a_hundred_thousand_nodes) {
  const Tree tree = chain(50'000);
  std::mt19937 random(7);
  std::vector<double> cost(tree.n_nodes());
  for (auto& c : cost) c = static_cast<double>(random() % 1000);
  const auto path = cost_complexity_path(tree, cost);
  for (std::size_t i = 1; i < path.links.size(); ++i) CHECK(path.links[i - 1].alpha <= path.links[i].alpha);
  CHECK(path.links.back().node == 0 && path.links.back().cost == cost[0] && path.links.back().size == 1);
  CHECK(prune_reduced_error(tree, std::vector<double>(tree.n_nodes(), 0.0)).n_nodes() == 1);
  CHECK(prune_error_based(tree, std::vector<double>(tree.n_nodes() * 2, 0.0), 0.25).n_nodes() == 1);
  CHECK(prune_small_gain(tree, std::vector<double>(tree.n_nodes() * 2, 1.0), *make_impurity("gini"), 1.0)
            .n_nodes() == 1);
}

TEST(reduced_error_prefers_the_leaf_on_a_tie) {
  const Tree tree = tree_of({{1, 2}, {}, {3, 4}, {}, {}});
  CHECK(prune_reduced_error(tree, std::vector<double>{9, 1, 2, 1, 1}).n_nodes() == 3);
  CHECK(prune_reduced_error(tree, std::vector<double>{9, 1, 3, 1, 1}).n_nodes() == 5);
  CHECK(prune_reduced_error(tree, std::vector<double>{3, 1, 3, 1, 1}).n_nodes() == 1);
}

TEST(upper_limits_are_those_of_quinlans_book) {
  CHECK(near(added_errors(6, 0, 0.25) / 6, 0.206, 0.0006));
  CHECK(near(added_errors(9, 0, 0.25) / 9, 0.143, 0.0006));
  CHECK(near(added_errors(1, 0, 0.25), 0.750, 1e-12));
  CHECK(near((1 + added_errors(16, 1, 0.25)) / 16, 0.157, 0.0006));
}

TEST(the_vote_subtree_of_quinlans_book_becomes_a_leaf) {
  // (6, 0), (9, 0) and (0, 1) democrats and republicans: 3.273 errors expected of the branches, 2.512 of the
  // leaf.
  Tree tree = tree_of({{1, 2, 3}, {}, {}, {}});
  tree.label[3] = 1;
  const std::vector<double> cases{15, 1, 6, 0, 9, 0, 0, 1};
  CHECK(near(expected_leaf_errors(std::span(cases).subspan(0, 2), 0, 0.25), 2.512, 0.006));
  CHECK(prune_error_based(tree, cases, 0.25).n_nodes() == 1);
}

TEST(raising_moves_the_rows_of_the_other_branch) {
  // The root's test only parts three rows from the rest, which its second branch would label right as well.
  const Tree tree = tree_of({{1, 2}, {}, {3, 4}, {}, {}});
  std::vector<std::int32_t> leaf, label;
  const auto add = [&](int n, std::int32_t at, std::int32_t of) {
    leaf.insert(leaf.end(), static_cast<std::size_t>(n), at);
    label.insert(label.end(), static_cast<std::size_t>(n), of);
  };
  add(3, 1, 0);
  add(20, 3, 0);
  add(20, 4, 1);
  Tree grown = tree;
  grown.label[4] = 1;
  grown.rows = grown.objects = {43, 3, 40, 20, 20};
  const std::vector<double> weight(leaf.size(), 1.0);
  const Route to_the_left = [&](const Tree& branch, std::span<const std::int32_t> rows) {
    CHECK(branch.n_nodes() == 3);
    std::vector<std::int32_t> reached;
    for (const auto row : rows) reached.push_back(leaf[static_cast<std::size_t>(row)] == 4 ? 2 : 1);
    return reached;
  };
  const auto entropy = make_impurity("entropy");
  const NodeRules rules{*entropy, {}, {}};
  const Tree pruned = prune_error_based_raising(grown, {leaf, label, weight}, rules, to_the_left, 0.25);
  CHECK((pruned.rows == std::vector<std::int64_t>{43, 23, 20}));
  CHECK((pruned.value == std::vector<double>{23, 20, 23, 0, 0, 20}));
  CHECK((pruned.label == std::vector<std::int32_t>{0, 0, 1}));
  CHECK(pruned.impurity[1] == 0.0 && pruned.impurity[0] > 0.99);
}

TEST(figures_that_do_not_fit_the_tree_are_refused) {
  const Tree tree = tree_of({{1, 2}, {}, {}});
  const auto refused = [](const auto& call) {
    try {
      call();
    } catch (const BadInput&) {
      return true;
    }
    return false;
  };
  CHECK(refused([&] { collapse(tree, {true}); }));
  CHECK(refused([&] { cost_complexity_path(tree, std::vector<double>{1, 2}); }));
  CHECK(refused([&] { prune_reduced_error(tree, std::vector<double>{1, 2, std::nan("")}); }));
  CHECK(refused([&] { prune_error_based(tree, std::vector<double>(6, 1.0), 0.0); }));
  CHECK(refused(
      [&] { prune_small_gain(tree, std::vector<double>(6, 1.0), *make_impurity("squared_error"), 0.1); }));
}
