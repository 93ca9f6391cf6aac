"""Outlines: trees of any learner in codes, cut to a shape, and finished trees of them."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from optimal_problems import NO_LIMITS, problem, sample, table
from thoroughness import tries

import thriftree
from thriftree.learning import growth
from thriftree.methods.optimal.binary_tests import SeenTable
from thriftree.methods.optimal.finish import OutlinedChooser, finished
from thriftree.methods.optimal.from_trees import outline_of, outline_with_classes
from thriftree.methods.optimal.greedy import greedy_outlines
from thriftree.methods.optimal.outline import LEAF, Outline, in_preorder
from thriftree.methods.optimal.problem import Problem
from thriftree.methods.optimal.trimmed import trimmed, trimmed_with_cost
from thriftree.testing.makers import SmallTable


def leaves_of(given, outline):
    """The leaf of each row, by walking the outline row by row."""
    leaf = []
    for row in range(len(given.rows)):
        node = 0
        while (test := outline.tests[node]) is not None:
            code = given.seen[test.column].codes[row]
            node = (outline.left if test.mask[code] else outline.right)[node]
        leaf.append(node)
    return np.array(leaf)


def partition(leaf):
    """The sets of rows that share a leaf."""
    return {tuple(np.flatnonzero(leaf == one)) for one in np.unique(leaf)}


@pytest.mark.parametrize(
    "learner",
    ["CARTClassifier", "C45Classifier", "CHAIDClassifier", "ID3Classifier", "WorstCaseTreeClassifier"],
)
def test_the_outline_of_a_tree_leads_rows_as_the_tree_does(learner):
    for seed in range(tries(200, 24)):
        rows = table(seed, n_values=2 + seed % 9, n_rows=30)
        words = {"categorical_features": list(rows.categorical)}
        words |= {"max_bins": None, "min_leaf": 1, "alpha_split": 0.9} if learner.startswith("CHAID") else {}
        model = getattr(thriftree, learner)(**words).fit(rows.X, rows.y, sample_weight=rows.sample_weight)
        given, _ = problem(rows)
        outline = outline_of(model.tree_.core, model.tree_.columns, given.seen)
        found = partition(leaves_of(given, outline))
        wanted = partition(model.tree_.apply(rows.X))
        assert found == wanted, seed


@pytest.mark.parametrize(
    ("learner", "words"),
    [
        ("CARTClassifier", {"max_depth": 3}),
        ("C45Classifier", {"max_depth": 2}),
        ("ID3Classifier", {"max_depth": 2}),
        ("EnhancedTreeClassifier", {"max_leaves": 6}),
    ],
)
def test_what_a_tree_knows_of_its_classes_is_what_rows_led_down_its_outline_add_up_to(learner, words):
    known = 0
    for seed in range(tries(200, 24)):
        rows = table(seed, n_values=2 + seed % 5, n_rows=40)
        words = {**words, "categorical_features": list(rows.categorical)}
        weight = rows.sample_weight if seed % 3 else np.full(40, (1.0, 0.3)[seed % 2])
        model = getattr(thriftree, learner)(**words).fit(rows.X, rows.y, sample_weight=weight)
        same = SmallTable(rows.X, rows.y, weight, rows.categorical, rows.n_classes)
        given, _ = problem(same, (0.0, 0.02)[seed % 2], max_depth=1 + seed % 3, min_leaf=1 + seed % 4)
        outline, classes = outline_with_classes(model.tree_.core, model.tree_.columns, given.seen)
        leaf = leaves_of(given, outline)
        of_rows = np.ones(40) if weight is None else weight
        for node in range(len(outline.tests)):
            below = np.isin(leaf, subtree(outline, node))
            wanted = np.bincount(rows.y[below], weights=of_rows[below], minlength=rows.n_classes)
            assert classes[node] == pytest.approx(wanted), seed
        assert trimmed_with_cost(given, outline, classes) == trimmed_with_cost(given, outline), seed
        known += given.weights is None
    assert known


def test_a_greedy_tree_is_pruned_without_leading_rows_down_it_again(monkeypatch):
    walked, walk = [], Problem.walk

    def noted(self, outline, *more):
        walked.append(outline)
        return walk(self, outline, *more)

    monkeypatch.setattr(Problem, "walk", noted)
    for weighted in (False, True):
        given, plan = problem(table(8 + weighted, n_rows=60), max_depth=3)
        walked.clear()
        found = list(greedy_outlines(given, plan, None, NO_LIMITS))
        assert any(grown.asked for grown, *_ in found)
        assert bool(walked) == weighted
        for grown, pruned, objective in found:
            assert (pruned, objective) == (trimmed(given, grown), given.objective(pruned))


def test_a_finished_tree_is_the_greedy_tree_whose_outline_it_has():
    for seed in range(tries(200, 24)):
        rows = table(seed, n_values=2 + seed % 9, n_rows=30)
        given, plan = problem(rows, max_depth=3)
        grown = growth.grow(given.rows, plan, NO_LIMITS)
        again = finished(given.rows, plan, outline_of(grown.core, grown.columns, given.seen))
        assert figures(again, rows) == figures(grown, rows), seed
        assert again.core.n_nodes == grown.core.n_nodes


def figures(grown, rows):
    """By the set of rows of each leaf, what the leaf says of them: branches may be in another order."""
    leaf = growth.leaves(grown, sample(rows), 1)
    core = grown.core
    value = core.value.reshape(core.n_nodes, -1)
    return {
        tuple(np.flatnonzero(leaf == one)): (
            int(core.rows[one]),
            float(core.weight[one]),
            value[one].tolist(),
            int(core.label[one]),
            float(core.impurity[one]),
        )
        for one in np.unique(leaf)
    }


def prunings(outline: Outline):
    """Every tree that collapsing nodes makes of an outline."""
    inner = [node for node, test in enumerate(outline.tests) if test is not None]
    seen = set()
    for kept in product([True, False], repeat=len(inner)):
        leaf = {node for node, keep in zip(inner, kept, strict=True) if not keep}
        tests = [None if node in leaf else test for node, test in enumerate(outline.tests)]
        left = [-1 if node in leaf else child for node, child in enumerate(outline.left)]
        right = [-1 if node in leaf else child for node, child in enumerate(outline.right)]
        one = in_preorder(tests, left, right)
        if one not in seen:
            seen.add(one)
            yield one


def is_allowed(given, outline):
    """Whether every leaf and test keeps to the shape."""
    leaf = leaves_of(given, outline)
    for node in range(len(outline.tests)):
        below = np.isin(leaf, subtree(outline, node))
        weight = int(below.sum()) if given.weights is None else int(given.weights[below].sum())
        if node and not given.admits(int(below.sum()), weight):
            return False
    shape = given.shape
    return (shape.max_depth is None or outline.depth <= shape.max_depth) and (
        shape.max_leaves is None or outline.n_leaves <= shape.max_leaves
    )


def subtree(outline, node):
    nodes, stack = [], [node]
    while stack:
        one = stack.pop()
        nodes.append(one)
        if outline.tests[one] is not None:
            stack += [outline.left[one], outline.right[one]]
    return nodes


def test_trimmed_is_the_best_of_all_prunings_that_the_shape_allows():
    for seed in range(tries(150, 20)):
        rows = table(seed, n_values=3, n_rows=24)
        grown, plan = problem(rows, max_depth=3)
        tree = growth.grow(grown.rows, plan, NO_LIMITS)
        shape = {"max_depth": 1 + seed % 3, "max_leaves": (None, 2, 3, 5)[seed % 4], "min_leaf": 1 + seed % 5}
        penalty = (0.0, 0.01, 0.05, 0.2)[seed % 4]
        given, _ = problem(rows, penalty, share=0.1 * (seed % 3), **shape)
        outline = outline_of(tree.core, tree.columns, given.seen)
        best = trimmed(given, outline)
        assert is_allowed(given, best), seed
        allowed = [one for one in prunings(outline) if is_allowed(given, one)]
        assert given.objective(best) == min(map(given.objective, allowed)), seed
        equal = [one.n_leaves for one in allowed if given.objective(one) == given.objective(best)]
        assert best.n_leaves == min(equal)


def test_a_test_that_all_rows_answer_alike_is_left_out():
    rows = table(0, n_rows=12, n_values=2)
    given, _ = problem(rows)
    test = given.seen[0].cut_after(0)
    twice = Outline((test, test, None, None, None), (1, 2, -1, -1, -1), (4, 3, -1, -1, -1))
    assert trimmed(given, twice).n_leaves <= 2
    assert trimmed(given, LEAF) == LEAF


def test_a_tree_is_finished_with_a_look_at_the_columns_that_it_asks_for_alone(monkeypatch):
    rng = np.random.default_rng(4)
    X = rng.normal(size=(60, 12))
    model = thriftree.CARTRegressor(max_leaves=4).fit(X[:, [2, 7]], X[:, 2] + 3 * (X[:, 7] > 0))
    rows = thriftree.CARTRegressor()._read(X, X[:, 2] + 3 * (X[:, 7] > 0), None, NO_LIMITS)
    plan = thriftree.CARTRegressor(max_leaves=4)._plan(rows)
    grown = growth.grow(rows, plan, NO_LIMITS)
    asked = sorted({int(column) for column in grown.core.column if column >= 0})
    seen = SeenTable(growth.table_of(rows, plan, NO_LIMITS), whole=True)
    looked_at, choose = [], OutlinedChooser.choose

    def noted(self, node):
        looked_at.append(len(node.columns))
        return choose(self, node)

    monkeypatch.setattr(OutlinedChooser, "choose", noted)
    again = finished(rows, plan, outline_of(grown.core, grown.columns, seen))
    assert set(looked_at) == {len(asked)}
    assert asked == [2, 7]
    for name in ("column", "keys", "to", "rows", "weight", "value", "children", "n_columns"):
        assert np.array_equal(getattr(again.core, name), getattr(grown.core, name)), name
    assert again.core.n_leaves == model.tree_.n_leaves
