"""Asking another question first changes no answer; the figures of the new nodes are true."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from edited_trees import below, leaves_of, questions_of, random_tree
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone

from thriftree import (
    CARTClassifier,
    CARTRegressor,
    EnhancedTreeClassifier,
    HingedPairs,
    ImpurePairsClassifier,
    WorstCaseTreeClassifier,
)
from thriftree.editing.asking_order import asked_first
from thriftree.testing.makers import SmallTable, small_tables
from thriftree.tree import Tree


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), n_columns=st.integers(2, 5), n_tests=st.integers(2, 12))
def test_every_row_gets_the_answer_it_got(seed, n_columns, n_tests):
    tree, X = random_tree(seed, n_columns=n_columns, n_tests=n_tests)
    document, answers, leaves = tree.to_dict(), tree.predict(X), tree.apply(X)
    for node in questions_of(tree):
        asked_below = {int(tree.core.column[n]) for n in below(tree, node) if n != node} - {-1}
        for column in asked_below - {int(tree.core.column[node])}:
            try:
                moved = asked_first(document, node, column)
            except ValueError as error:
                if "to any effect" not in str(error):
                    raise
                continue
            new = Tree.from_dict(moved.document)
            assert new.core.column[node] == column
            assert (new.predict(X) == answers).all()
            # And for the same reason: the answer comes from a copy of the leaf that gave it.
            assert (np.array(moved.origin)[new.apply(X)] == leaves).all()


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 2**32 - 1))
def test_no_test_is_left_that_cannot_decide(seed):
    """A new test of the column asked first has at least two branches that some value of it can take."""
    from thriftree.explain.values import all_values, values_by_branch

    tree, _ = random_tree(seed, n_columns=2, n_tests=12)
    for column in (0, 1):
        try:
            moved = asked_first(tree.to_dict(), 0, column)
        except ValueError:
            continue
        nodes, schema = moved.document["nodes"], moved.document["columns"][column]
        open_ = [(0, all_values(schema))]
        while open_:
            number, values = open_.pop()
            if "test" not in nodes[number]:
                continue
            is_own = nodes[number]["test"]["column"] == column
            ways = values_by_branch(nodes[number], schema) if is_own else None
            left = [values & way for way in ways] if ways else [values] * len(nodes[number]["children"])
            if ways:
                assert all(some.intervals or some.codes or some.missing or some.other for some in left)
            open_ += zip(nodes[number]["children"], left, strict=True)


@settings(max_examples=40, deadline=None)
@given(table=small_tables(max_rows=40))
def test_the_figures_of_the_new_part_are_those_of_its_rows(table):
    model = CARTClassifier(categorical_features=list(table.categorical), min_leaf=2)
    model.fit(table.X, table.y, table.sample_weight)
    for column in range(table.X.shape[1]):
        try:
            edit = model.reorder(0, column, table.X, table.y, table.sample_weight)
        except ValueError:
            continue
        assert edit.changed_rows == 0
        assert edit.estimator.predict_proba(table.X) == pytest.approx(model.predict_proba(table.X))
        check_figures(edit.tree, table)
        reached = [n for n in leaves_of(edit.tree) if edit.tree.core.rows[n]]
        assert edit.tree.core.value[reached].sum(axis=0) == pytest.approx(model.tree_.core.value[0])


def check_figures(tree: Tree, table: SmallTable) -> None:
    passed = tree.decision_path(table.X).toarray().astype(bool)
    weight = np.ones(len(table.y)) if table.sample_weight is None else table.sample_weight
    for number in range(tree.n_nodes):
        at = passed[:, number]
        assert tree.core.rows[number] == at.sum()
        assert tree.core.weight[number] == pytest.approx(weight[at].sum())
        if tree.core.column[number] >= 0 and at.any():
            sums = np.bincount(table.y[at], weight[at], table.n_classes)
            assert tree.core.value[number] == pytest.approx(sums)
            assert tree.core.impurity[number] == pytest.approx(1 - (sums / sums.sum()) @ (sums / sums.sum()))


def test_a_cheap_question_first_saves_the_expensive_one_where_it_is_not_needed():
    """The scan is asked only of those whom the cheap question leaves undecided."""
    X = pd.DataFrame({"scan": [0, 0, 1, 1] * 10, "pain": ["no", "yes"] * 20})
    y = np.where(X["pain"] == "no", "healthy", np.where(X["scan"] == 1, "ill", "fit"))
    model = CARTClassifier(costs={"scan": 100, "pain": 1}).fit(X, y)
    by_scan = model.refit_below(0, X, y, feature="scan").estimator
    edit = by_scan.reorder(0, "pain", X, y)
    assert (edit.before.expected_cost, edit.after.expected_cost) == (101, 101)
    # The order alone saves nothing; what it makes needless can then be collapsed.
    needless = next(
        node
        for node in questions_of(edit.tree)
        if node and set(edit.tree.core.label[node + 1 : node + 3]) == {1}
    )
    cheaper = edit.estimator.collapse(needless, X, y)
    assert (cheaper.changed_rows, cheaper.after.expected_cost) == (0, 51)


def test_numbers_keep_their_answers_too():
    random = np.random.default_rng(0)
    X, y = random.integers(0, 5, (80, 3)).astype(float), random.normal(size=80)
    model = CARTRegressor(max_depth=4).fit(X, y)
    for column in range(3):
        if model.tree_.core.column[0] != column:
            edit = model.reorder(0, column, X, y)
            assert edit.changed_rows == 0
            assert edit.estimator.predict(X).tolist() == model.predict(X).tolist()
            assert edit.tree.core.column[0] == column
            assert np.isfinite(edit.estimator.feature_importances_).all()


@pytest.mark.parametrize(
    "model",
    [
        EnhancedTreeClassifier(),
        ImpurePairsClassifier(),
        WorstCaseTreeClassifier(),
        WorstCaseTreeClassifier(impurity=HingedPairs(epsilon=0.01)),
    ],
    ids=["enhanced", "impure pairs", "worst case", "hinged pairs"],
)
def test_objects_are_counted_where_the_learner_counts_them(model):
    X = np.array([[0, 0], [0, 0], [0, 1], [1, 0], [1, 1], [1, 1], [2, 0], [2, 1]] * 3, dtype=float)
    y = ["a", "a", "b", "b", "a", "a", "b", "a"] * 3
    model = clone(model).fit(X, y)
    other = 1 - int(model.tree_.core.column[0])
    edit = model.reorder(0, other, X, y)
    assert edit.changed_rows == 0
    tree = edit.tree
    for number, passed in enumerate(tree.decision_path(X).toarray().T.astype(bool)):
        assert tree.core.objects[number] == len(np.unique(X[passed], axis=0))


def test_what_cannot_be_asked_first_is_said_with_a_way_out():
    X, y = [[0, 0, 5], [0, 1, 5], [1, 0, 5], [1, 1, 5]] * 3, ["a", "b", "b", "c"] * 3
    model = CARTClassifier().fit(X, y)
    leaf = leaves_of(model.tree_)[0]
    with pytest.raises(ValueError, match=f"node {leaf} is a leaf and asks nothing"):
        model.reorder(leaf, 1, X, y)
    with pytest.raises(ValueError, match="node 0 asks about 'x0' already"):
        model.reorder(0, "x0", X, y)
    with pytest.raises(ValueError, match=r"asks about 'x2' to any effect \(asked are: 'x1'\).*feature='x2'"):
        model.reorder(0, "x2", X, y)
    with pytest.raises(ValueError, match="no column 'x9'"):
        model.reorder(0, "x9", X, y)
