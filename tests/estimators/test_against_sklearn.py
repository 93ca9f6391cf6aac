"""Against scikit-learn, tie-aware: its tree is followed node by node, and every test of it must be among our
best.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from oracles import node_tests as oracles
from sklearn.datasets import load_breast_cancer, load_diabetes, load_digits, load_iris
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor
from thoroughness import tries

from thriftree import CARTClassifier, CARTRegressor
from thriftree.testing.makers import SmallTable, small_table, spread_table

CLOSE = 1e-9


def column_scores(model: Any, table: SmallTable, rows: Any, column: int) -> Any:
    """Our one-test tree on one column of these rows, or None if the column has no test."""
    weight = None if table.sample_weight is None else table.sample_weight[rows]
    stump = type(model)(impurity=model.impurity, max_depth=1)
    stump.fit(table.X[rows][:, [column]], table.y[rows], sample_weight=weight)
    return stump.tree_.core if stump.tree_.n_nodes > 1 else None


def decrease(reference: Any, node: int) -> float:
    """Decrease of impurity of a test of scikit-learn's tree, from its own figures."""
    t = reference.tree_
    left, right = t.children_left[node], t.children_right[node]
    children = sum(t.weighted_n_node_samples[c] * t.impurity[c] for c in (left, right))
    return float(t.impurity[node] - children / t.weighted_n_node_samples[node])


def assert_agrees(reference: Any, model: Any, table: SmallTable) -> None:
    """Follows the reference tree: no test of ours is better than its test, and a clear winner is the same
    test.
    """
    reference.fit(table.X, table.y, sample_weight=table.sample_weight)
    t = reference.tree_
    path = reference.decision_path(table.X).toarray().astype(bool)
    for node in range(t.node_count):
        if t.children_left[node] < 0:
            continue
        rows = np.flatnonzero(path[:, node])
        ours = [column_scores(model, table, rows, column) for column in range(table.X.shape[1])]
        scores = np.array([-np.inf if core is None else float(core.score[0]) for core in ours])
        theirs = decrease(reference, node)
        assert scores.max() >= theirs - CLOSE, f"node {node}: our best {scores.max()}, theirs {theirs}"
        assert theirs >= scores.max() - CLOSE, (
            f"node {node}: theirs {theirs} is worse than our best {scores.max()}"
        )
        column = int(np.argmax(scores))
        second = np.delete(scores, column).max(initial=-np.inf)
        core = ours[column]
        runner_up = second_best_threshold(model, table, rows, column)
        if scores[column] > max(second, runner_up) + CLOSE:
            assert t.feature[node] == column
            assert t.threshold[node] == core.keys[0]
            assert_same_sums(t, node, core, table, np.unique(table.y[rows]))


def second_best_threshold(model: Any, table: SmallTable, rows: Any, column: int) -> float:
    """Score of the best threshold of the column after its best one, by plain counting."""
    weight = np.ones(len(rows)) if table.sample_weight is None else table.sample_weight[rows]
    node = oracles.Node(table.X[rows][:, [column]], table.y[rows], weight, table.n_classes)
    rules = oracles.SplitRules(kinds=["threshold"], criterion=model.impurity)
    gains = sorted(candidate.score for candidate in oracles.candidates(node, rules))
    return gains[-2] if len(gains) > 1 else -np.inf


def assert_same_sums(t: Any, node: int, core: Any, table: SmallTable, classes: Any) -> None:
    for child, theirs in zip(core.children[:2], (t.children_left[node], t.children_right[node]), strict=True):
        assert core.weight[child] == pytest.approx(t.weighted_n_node_samples[theirs], rel=1e-12)
        value = core.value.reshape(core.n_nodes, -1)[child]
        if table.n_classes:
            sums = t.value[theirs, 0] * t.weighted_n_node_samples[theirs]
            np.testing.assert_allclose(value, sums[classes], rtol=1e-9, atol=1e-12)
        else:
            assert value[0] == pytest.approx(t.value[theirs, 0, 0], rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("impurity", ["gini", "entropy"])
@pytest.mark.parametrize("weighted", [False, True])
def test_classification_agrees_on_random_tables(impurity: str, weighted: bool) -> None:
    for seed in range(tries(25, 10)):
        table = small_table(seed, n_rows=25, n_classes=2 + seed % 3, n_values=6, weighted=weighted)
        assert_agrees(
            DecisionTreeClassifier(criterion=impurity, random_state=0),
            CARTClassifier(impurity=impurity),
            table,
        )


@pytest.mark.parametrize("weighted", [False, True])
def test_regression_agrees_on_random_tables(weighted: bool) -> None:
    for seed in range(tries(25, 10)):
        table = small_table(seed, n_rows=25, n_classes=0, n_values=6, weighted=weighted)
        assert_agrees(DecisionTreeRegressor(random_state=0), CARTRegressor(), table)


@pytest.mark.parametrize("impurity", ["gini", "entropy"])
def test_the_trees_are_the_same_down_to_the_first_tie(impurity: str) -> None:
    for seed in range(10):
        table = spread_table(seed, n_rows=400)
        settings: dict[str, Any] = {"max_depth": 5}
        ours = CARTClassifier(impurity=impurity, **settings).fit(table.X, table.y)
        theirs = DecisionTreeClassifier(criterion=impurity, random_state=0, **settings).fit(table.X, table.y)
        assert count_equal_nodes(ours.tree_.core, theirs) > 8


def count_equal_nodes(core: Any, reference: Any) -> int:
    """Walks both trees. Tests that differ must be equally good; what lies below them is not compared."""
    t = reference.tree_
    pairs, n_equal = [(0, 0)], 0
    while pairs:
        i, j = pairs.pop()
        assert core.impurity[i] == pytest.approx(t.impurity[j], abs=1e-12)
        assert (core.column[i] < 0) == (t.feature[j] < 0)
        if core.column[i] < 0:
            n_equal += 1
        elif core.column[i] == t.feature[j] and core.keys[core.key_begin[i]] == t.threshold[j]:
            first = core.child_begin[i]
            pairs += [
                (core.children[first], t.children_left[j]),
                (core.children[first + 1], t.children_right[j]),
            ]
            n_equal += 1
        else:
            assert core.score[i] == pytest.approx(decrease(reference, j), abs=CLOSE)
    return n_equal


@pytest.mark.parametrize(
    ("load", "ours", "theirs"),
    [
        (load_iris, CARTClassifier, DecisionTreeClassifier),
        (load_breast_cancer, CARTClassifier, DecisionTreeClassifier),
        (load_digits, CARTClassifier, DecisionTreeClassifier),
        (load_diabetes, CARTRegressor, DecisionTreeRegressor),
    ],
)
def test_known_data_sets_are_fitted_as_well_as_by_scikit_learn(load: Any, ours: Any, theirs: Any) -> None:
    X, y = load(return_X_y=True)
    X = np.asarray(X, dtype=np.float32)
    a = ours(max_depth=5).fit(X, y)
    b = theirs(max_depth=5, random_state=0).fit(X, y)
    assert a.score(X, y) == pytest.approx(b.score(X, y), abs=0.02)
    assert ours().fit(X, y).score(X, y) == pytest.approx(1.0)
