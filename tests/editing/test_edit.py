"""An edit is measured as predictions and prices measure it, and says so readably."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from edited_trees import leaves_of, questions_of
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from sklearn.exceptions import NotFittedError
from sklearn.metrics import r2_score

from thriftree import CARTClassifier, CARTRegressor, Edit, TestCosts, WorstCaseTreeClassifier
from thriftree.datasets import heart_prices, load_heart
from thriftree.estimators.category_tests import FREE_SETS
from thriftree.testing.checks import all_estimators
from thriftree.testing.makers import small_table, small_tables

QUICK = settings(max_examples=30, deadline=None)


def priced(n_columns: int) -> TestCosts:
    groups = {"draw": {"setup": 2.0, "members": [0, 1]}} if n_columns > 1 else {}
    return TestCosts({j: 1.0 + j for j in range(n_columns)}, groups=groups)


@QUICK
@given(table=small_tables(), data=st.data())
def test_the_change_is_what_predictions_and_prices_say(table, data):
    weight = table.sample_weight
    costs = priced(table.X.shape[1])
    model = CARTClassifier(categorical_features=list(table.categorical), costs=costs)
    model.fit(table.X, table.y, weight)
    assume(model.tree_.n_leaves > 1)
    node = data.draw(st.sampled_from(questions_of(model.tree_)))
    edit = model.collapse(node, table.X, table.y, weight)
    for one, measures in ((model, edit.before), (edit.estimator, edit.after)):
        right = one.predict(table.X) == table.y
        assert measures.score == pytest.approx(np.average(right, weights=weight))
        assert measures.expected_cost == pytest.approx(np.average(one.predict_cost(table.X), weights=weight))
        assert measures.expected_cost == pytest.approx(one.expected_cost_)
        assert measures.worst_case_cost == one.worst_case_cost_ == one.tree_.worst_case_cost()
        assert (measures.n_leaves, measures.depth) == (one.tree_.n_leaves, one.tree_.depth)
    assert edit.changed_rows == np.sum(model.predict(table.X) != edit.estimator.predict(table.X))
    assert edit.tree == edit.estimator.tree_ == model.tree_.collapse(node)


@QUICK
@given(table=small_tables(numbers=True), data=st.data())
def test_numbers_are_measured_by_r2(table, data):
    model = CARTRegressor(categorical_features=list(table.categorical))
    model.fit(table.X, table.y, table.sample_weight)
    assume(model.tree_.n_leaves > 1)
    leaf = data.draw(st.sampled_from(leaves_of(model.tree_)))
    edit = model.relabel(leaf, 0.125, table.X, table.y, table.sample_weight)
    got = edit.estimator.predict(table.X)
    assert edit.after.metric == "r2"
    assert edit.after.score == pytest.approx(r2_score(table.y, got, sample_weight=table.sample_weight))
    assert edit.changed_rows == np.sum(got != model.predict(table.X))


def test_the_estimator_stays_as_it_was_and_edits_follow_each_other():
    X, y = load_heart()
    model = CARTClassifier(max_leaves=6, costs=heart_prices()).fit(X, y)
    before = pickle.dumps(model.__dict__)
    first = model.collapse(1, X, y)
    second = first.estimator.relabel(1, "absent", X, y)
    assert pickle.dumps(model.__dict__) == before
    assert second.before == first.after
    assert second.estimator.get_params() == model.get_params()
    assert pickle.loads(pickle.dumps(second)).tree == second.tree
    assert second.estimator.feature_importances_.sum() == pytest.approx(1)


def test_importances_are_those_of_the_new_tree():
    X, y = load_heart()
    small, large = (CARTClassifier(max_leaves=n).fit(X, y) for n in (2, 4))
    edit = large
    for node in reversed([n for n in questions_of(large.tree_) if n]):
        edit = edit.collapse(node, X, y).estimator
    assert edit.tree_ == small.tree_
    assert edit.feature_importances_.tolist() == small.feature_importances_.tolist()
    assert edit.expected_cost_ == small.expected_cost_


def test_what_told_of_the_grown_tree_is_not_told_of_another():
    X, y = load_heart()
    model = WorstCaseTreeClassifier(max_depth=2).fit(X, y)
    assert hasattr(model, "training_error_")
    assert not hasattr(model.collapse(1, X, y).estimator, "training_error_")


def test_printing_shows_a_table_and_the_summary_one_line():
    X, y = load_heart()
    model = CARTClassifier(max_leaves=6, costs=heart_prices(), **FREE_SETS).fit(X, y)
    edit = model.collapse(1, X, y)
    assert str(edit).splitlines() == [
        "collapse node 1: 29 of 303 rows get another answer",
        "                  before   after  change",
        "accuracy          85.1 %  80.9 %    −4.3",
        "expected price    204.41  203.96   −0.45",
        "worst-case price  204.80  204.80    0.00",
        "leaves                 6       4      −2",
        "depth                  3       3       0",
    ]
    assert edit.summary == (
        "collapse node 1: accuracy 85.1 % → 80.9 % (−4.3), "
        "expected price 204.41 → 203.96 (−0.45), leaves 6 → 4"
    )


def test_names_of_the_users_cannot_break_the_lines_of_an_edit():
    X = {"evil\nname\x1b[31m": [0, 1, 0, 1], "b": [0, 0, 1, 1]}
    import pandas as pd

    y = ["a\nb", "\u202ec", "\u202ec", "a\nb"]
    model = CARTClassifier().fit(pd.DataFrame(X), y)
    leaf = leaves_of(model.tree_)[0]
    for edit in (
        model.relabel(leaf, "\u202ec", pd.DataFrame(X), y),
        model.refit_below(0, pd.DataFrame(X), y, feature="evil\nname\x1b[31m"),
    ):
        assert "\n" not in edit.summary
        assert "\x1b" not in str(edit)
        assert "\u202e" not in str(edit)
        assert len(str(edit).splitlines()) == 7


def test_other_rows_can_measure():
    X, y = load_heart()
    model = CARTClassifier(max_leaves=6).fit(X[:200], y[:200])
    edit = model.refit_below(1, X[:200], y[:200], max_leaves=12, measure_on=(X[200:], y[200:]))
    assert edit.n_rows == 103
    assert edit.after.score == pytest.approx(edit.estimator.score(X[200:], y[200:]))
    weight = np.arange(103) % 3
    edit = model.refit_below(1, X[:200], y[:200], max_leaves=12, measure_on=(X[200:], y[200:], weight))
    assert edit.n_rows == np.count_nonzero(weight)
    assert edit.after.score == pytest.approx(edit.estimator.score(X[200:], y[200:], weight))
    with pytest.raises(TypeError, match=r"measure_on must be \(X, y\)"):
        model.refit_below(1, X, y, measure_on=X)


def test_several_nodes_are_collapsed_in_one_edit():
    X, y = load_heart()
    model = CARTClassifier(max_leaves=8, alpha=0.0).fit(X, y)
    nodes = questions_of(model.tree_)[-2:]
    edit = model.collapse(nodes, X, y)
    assert edit.action == f"collapse nodes {nodes[0]}, {nodes[1]}"
    assert edit.tree == model.tree_.collapse(nodes[1]).collapse(nodes[0])


def test_any_two_trees_can_be_compared():
    X, y = load_heart()
    one, other = (CARTClassifier(max_leaves=n).fit(X, y) for n in (3, 8))
    edit = one.tree_.compare(other.tree_, X, y)
    assert isinstance(edit, Edit)
    assert (edit.before.score, edit.after.score) == (one.score(X, y), other.score(X, y))
    assert edit.estimator is None
    with pytest.raises(ValueError, match="X has 303 rows and y 302"):
        one.tree_.compare(other.tree_, X, y[1:])
    with pytest.raises(ValueError, match="sample_weight must hold 303 finite numbers"):
        one.tree_.compare(other.tree_, X, y, np.zeros(303))
    with pytest.raises(ValueError, match=r"y holds no class of the tree, which has \['absent', 'present'\]"):
        one.tree_.compare(other.tree_, X, (y == "present").astype(int))
    numbers = CARTRegressor(max_leaves=3).fit(X, np.arange(303.0))
    with pytest.raises(ValueError, match="one of the trees predicts classes, the other numbers"):
        one.tree_.compare(numbers.tree_, X, y)


def test_a_target_that_does_not_vary_has_no_r2():
    tree = CARTRegressor().fit([[0], [1]], [1, 2]).tree_
    edit = tree.compare(tree.collapse(0), [[0]], [1.0])
    assert np.isnan(edit.before.score)
    assert "nan" in str(edit)


@pytest.mark.parametrize("cls", all_estimators(), ids=lambda cls: cls.__name__)
def test_every_estimator_can_be_edited(cls):
    regressor = cls.__name__.endswith("Regressor")
    table = small_table(7, n_rows=60, n_columns=3, n_classes=0 if regressor else 2, n_values=4)
    target = (
        table.X[:, 0] + 10.0 * (table.X[:, 1] > 0) if regressor else np.where(table.X[:, 0] > 0, "a", "b")
    )
    model = cls()
    model.fit(table.X, target)
    assert model.tree_.n_leaves > 1
    collapsed = model.collapse(0, table.X, target)
    assert collapsed.tree.n_leaves == 1
    assert collapsed.after.score < collapsed.before.score
    label = 3.0 if regressor else "b"
    relabelled = collapsed.estimator.relabel(0, label, table.X, target).estimator
    assert set(relabelled.predict(table.X).tolist()) == {label}


@pytest.mark.parametrize("cls", all_estimators(), ids=lambda cls: cls.__name__)
def test_what_was_not_fitted_has_no_tree_to_edit(cls):
    with pytest.raises(NotFittedError):
        cls().collapse(0, [[1.0]], [1])
