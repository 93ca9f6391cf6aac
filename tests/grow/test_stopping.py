"""When growth stops: purity, size, depth, leaves, decrease."""

from __future__ import annotations

import numpy as np
import pytest
from grow_oracle import KINDS, GrowProblem, check_tree
from grow_problems import random_problem

from thriftree import _core


def numbers(n, seed=0, n_columns=2, n_classes=3, **given):
    rng = np.random.default_rng(seed)
    columns = [rng.normal(size=n) for _ in range(n_columns)]
    target = rng.integers(0, n_classes, n).astype(np.int32)
    return GrowProblem(
        columns, [None] * n_columns, target, n_classes, [KINDS["threshold"]] * n_columns, **given
    )


def leaves(tree):
    return tree.column < 0


def n_children(tree):
    return np.diff(tree.child_begin)


def decreases(tree):
    """Per node, weight share * impurity decrease, from the tree's own figures; NaN at leaves."""
    found = np.full(tree.n_nodes, np.nan)
    for node in np.flatnonzero(~leaves(tree)):
        below = tree.children[tree.child_begin[node] : tree.child_begin[node + 1]]
        weighted = tree.weight[node] * tree.impurity[node] - (tree.weight[below] * tree.impurity[below]).sum()
        found[node] = weighted / tree.weight[0]
    return found


def test_xor_still_grows_though_no_single_test_helps():
    x = np.array([[0, 0], [0, 1], [1, 0], [1, 1]] * 5, float)
    target = (x[:, 0] != x[:, 1]).astype(np.int32)
    for criterion in ("gini", "entropy"):
        problem = GrowProblem(list(x.T.copy()), [None] * 2, target, 2, [1, 1], criterion=criterion)
        tree = problem.grow()
        assert tree.n_leaves == 4
        assert tree.score[0] == 0
        assert tree.impurity[leaves(tree)].max() == 0


@pytest.mark.parametrize(
    "options", [{}, {"max_leaves": 40}, {"score": "enhanced", "trade_off": np.inf}], ids=str
)
def test_by_misclassification_a_test_that_gains_nothing_is_not_made(options):
    """It is not strictly concave: most tests gain nothing, and the first of them peels off one row."""
    rng = np.random.default_rng(3)
    x = rng.normal(size=(4000, 6))
    target = (x[:, 0] + x[:, 1] + 2 * rng.normal(size=4000) > 0).astype(np.int32)
    for weight in (None, rng.uniform(0.1, 7.3, 4000)):
        problem = GrowProblem(list(x.T.copy()), [None] * 6, target, 2, [1] * 6, weight=weight)
        tree = problem.grow(criterion="misclassification", **options)
        assert 3 < tree.n_leaves < 200
        assert tree.depths.max() < 40
        assert np.nanmin(decreases(tree)) > 1e-12


def test_by_misclassification_exclusive_or_is_one_leaf_and_the_enhanced_score_divides_it():
    x = np.array([[0, 0], [0, 1], [1, 0], [1, 1]] * 5, float)
    target = (x[:, 0] != x[:, 1]).astype(np.int32)
    problem = GrowProblem(list(x.T.copy()), [None] * 2, target, 2, [1, 1], criterion="misclassification")
    assert problem.grow().n_nodes == 1
    assert problem.grow(score="enhanced", trade_off=1.0).n_leaves == 4  # balance and efficiency count too
    assert problem.grow(score="enhanced", trade_off=np.inf).n_nodes == 1  # the decrease alone


def test_rows_that_contradict_each_other_get_the_heaviest_class_and_the_first_of_equals():
    x = np.array([0, 0, 0, 1, 1, 1, 1], float)
    target = np.array([2, 1, 2, 1, 0, 1, 0], np.int32)
    tree = GrowProblem([x], [None], target, 3, [1]).grow()
    assert tree.label.tolist()[1:] == [2, 0]
    weight = np.array([1, 3, 1, 1, 1, 1, 1.5])
    tree = GrowProblem([x], [None], target, 3, [1], weight=weight).grow()
    assert tree.label.tolist()[1:] == [1, 0]


def test_one_class_one_row_or_no_varying_column_is_one_leaf():
    assert numbers(20, n_classes=1).grow().n_nodes == 1
    assert numbers(1).grow().n_nodes == 1
    problem = numbers(20)
    problem.columns = [np.zeros(20), np.full(20, np.nan)]
    assert problem.grow().n_nodes == 1


@pytest.mark.parametrize("rows", [1, 2, 5, 30, 75, 76])
def test_no_leaf_is_smaller_than_min_leaf_rows_and_every_leaf_that_could_split_did(rows):
    for weight in (None, np.random.default_rng(1).random(150)):
        problem = numbers(150, weight=weight, min_leaf_rows=rows)
        tree = problem.grow()
        assert tree.rows[leaves(tree)].min() >= rows
        assert tree.n_leaves == 1 if rows > 75 else tree.n_leaves > 1
        check_tree(problem, tree)


@pytest.mark.parametrize("share", [0.01, 0.1, 0.3, 0.5])
def test_no_leaf_is_lighter_than_min_leaf_share(share):
    rng = np.random.default_rng(2)
    for weight in (None, rng.random(150) + 0.01, rng.integers(1, 9, 150).astype(float)):
        problem = numbers(150, weight=weight, min_leaf_share=share)
        tree = problem.grow()
        assert tree.weight[leaves(tree)].min() >= share * tree.weight[0] * (1 - 1e-9)
        check_tree(problem, tree)


def test_a_share_of_exactly_half_allows_two_halves():
    x = np.arange(10.0)
    tree = GrowProblem([x], [None], (x > 6).astype(np.int32), 2, [1], min_leaf_share=0.5).grow()
    assert tree.rows.tolist() == [10, 5, 5]


def test_multiway_needs_two_branches_that_are_large_enough():
    category = np.array([0] * 6 + [1] * 6 + [2], np.int32)
    target = np.array([0, 1] * 6 + [0], np.int32)
    problem = GrowProblem([category], [3], target, 2, [KINDS["multiway"]], min_leaf_rows=2)
    assert n_children(problem.grow())[0] == 3
    problem.columns = [np.array([0] * 12 + [1], np.int32)]
    assert problem.grow().n_nodes == 1


@pytest.mark.parametrize("depth", [0, 1, 2, 5])
def test_max_depth_cuts_the_same_tree_off(depth):
    problem = numbers(200)
    full, cut = problem.grow(), problem.grow(max_depth=depth)
    assert cut.depths.max() == depth
    shallow = full.depths <= depth
    np.testing.assert_array_equal(full.rows[shallow], cut.rows)
    inner = full.depths < depth
    np.testing.assert_array_equal(full.column[inner], cut.column[cut.depths < depth])


@pytest.mark.parametrize("mass", [0.02, 0.1, 0.4])
def test_a_node_of_weight_at_most_min_mass_is_a_leaf_and_a_heavier_one_is_split(mass):
    rng = np.random.default_rng(3)
    for weight in (None, rng.random(200) + 0.01):
        tree = numbers(200, weight=weight).grow(min_mass=mass)
        light = tree.weight <= mass * tree.weight[0]
        assert light.any()
        pure = tree.impurity == 0
        np.testing.assert_array_equal(leaves(tree), light | pure)


def test_min_mass_holds_at_equality():
    x = np.arange(8.0)
    problem = GrowProblem([x], [None], np.array([0, 1] * 4, np.int32), 2, [1])
    assert problem.grow(min_mass=1.0).n_nodes == 1
    assert problem.grow(min_mass=0.999).n_nodes > 1


@pytest.mark.parametrize("least", [0.001, 0.01, 0.05])
def test_min_decrease_keeps_exactly_the_splits_that_reach_it(least):
    problem = numbers(300, n_classes=2)
    full, kept = problem.grow(), problem.grow(min_decrease=least)
    reached = decreases(kept)[~leaves(kept)]
    assert (reached >= least * (1 - 1e-9)).all()
    reachable = np.zeros(full.n_nodes, bool)  # by splits that are large enough
    large = decreases(full) >= least
    for node in range(full.n_nodes):
        parent = full.parent[node]
        reachable[node] = parent < 0 or (reachable[parent] and large[parent])
    np.testing.assert_array_equal(full.rows[reachable], kept.rows)


def best_first(full, max_leaves):
    """Which nodes of the full tree best-first growth splits; rows of the nodes it makes, in preorder."""
    priority = decreases(full)
    born = {0: 0}  # node -> when it was made, for ties
    frontier, split, n_leaves = [0], set(), 1
    while True:
        able = [i for i in frontier if not leaves(full)[i]]
        if not able:
            break
        node = min(able, key=lambda i: (-np.round(priority[i], 12), born[i]))
        frontier.remove(node)
        below = full.children[full.child_begin[node] : full.child_begin[node + 1]].tolist()
        if n_leaves + len(below) - 1 > max_leaves:
            continue
        split.add(node)
        n_leaves += len(below) - 1
        for child in below:
            born[child] = len(born)
        frontier += below
    return [node for node in range(full.n_nodes) if full.parent[node] < 0 or full.parent[node] in split]


@pytest.mark.parametrize("kind", ["threshold", "multiway"])
@pytest.mark.parametrize("max_leaves", [1, 2, 3, 5, 8, 20, 10**6])
def test_best_first_splits_the_leaf_of_the_largest_weighted_decrease_and_skips_what_does_not_fit(
    kind, max_leaves
):
    for seed in range(5):
        rng = np.random.default_rng(seed)
        problem = random_problem(
            rng, "entropy", kind, n=120, n_values=4 if kind == "multiway" else 50, n_columns=4
        )
        problem.weight = rng.random(120) + 0.1
        full = problem.grow()
        tree = problem.grow(max_leaves=max_leaves)
        assert tree.n_leaves <= max(max_leaves, 1)
        made = best_first(full, max_leaves)
        np.testing.assert_array_equal(tree.rows, full.rows[made])
        np.testing.assert_array_equal(tree.value, full.value[made])


def test_best_first_without_a_bound_grows_the_depth_first_tree():
    problem = numbers(300)
    assert problem.grow(max_leaves=10**9) == problem.grow()


def test_equal_columns_go_to_the_first_and_equal_cuts_to_the_lowest():
    x = np.array([0.0, 1, 2, 3])
    tree = GrowProblem([x, x.copy()], [None] * 2, np.array([0, 1, 0, 1], np.int32), 2, [1, 1]).grow()
    assert tree.column[0] == 0
    assert tree.keys[0] == 0.5


def test_a_missing_value_that_helps_neither_side_goes_left():
    x = np.array([0, 0, 1, 1, np.nan, np.nan])
    target = np.array([0, 0, 1, 1, 0, 1], np.int32)
    for columns in ([x], [np.concatenate([x, np.arange(300) * 1e-3 - 9])]):
        y = np.concatenate([target, np.zeros(len(columns[0]) - 6, np.int32)])
        if len(y) > 6:  # wide: as many rows of class 1 beyond, so that both sides stay alike
            columns = [np.concatenate([columns[0], np.arange(300) * 1e-3 + 9])]
            y = np.concatenate([y, np.ones(300, np.int32)])
        tree = GrowProblem(columns, [None], y.astype(np.int32), 2, [1]).grow(max_depth=1)
        assert tree.keys[0] == 0.5
        assert tree.missing[0] == 0


def test_known_against_missing_is_a_test_of_its_own():
    x = np.array([3.0, 3.0, np.nan, np.nan])
    tree = GrowProblem([x], [None], np.array([0, 0, 1, 1], np.int32), 2, [_core.THRESHOLD]).grow()
    assert tree.n_leaves == 2
    assert len(tree.keys) == 0
    assert tree.missing[0] == 1


def test_min_mass_holds_at_equality_for_a_share_that_binary_numbers_cannot_hold():
    labels = np.r_[np.arange(29) % 2, np.full(71, 2)].astype(np.int32)
    table = _core.encode_matrix(np.arange(100.0)[:, None])
    options = _core.GrowOptions(candidates=[_core.THRESHOLD], min_mass=0.29)
    assert _core.grow(table, _core.Target.classes(labels, 3), options).tree.rows.tolist() == [100, 29, 71]


def test_a_test_may_have_more_branches_than_16_bits_can_number():
    n = 65_600
    table = _core.encode_columns([np.arange(n, dtype=np.int32), np.arange(n) % 2.0], [n, None])
    options = _core.GrowOptions(candidates=[_core.MULTIWAY, 0], criterion="entropy")
    tree = _core.grow(table, _core.Target.classes((np.arange(n) % 2).astype(np.int32), 2), options).tree
    assert tree.n_nodes == n + 1
    assert (tree.rows[1:] == 1).all()
