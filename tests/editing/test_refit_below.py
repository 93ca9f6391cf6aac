"""Growing anew below a node gives what fit would have grown there, with all that holds for the whole tree."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from edited_models import a_model
from edited_trees import below, leaves_of, questions_of, random_tree, structure
from hypothesis import given, settings
from hypothesis import strategies as st
from thoroughness import tries

import thriftree as tt
from thriftree.estimators.category_tests import FREE_SETS
from thriftree.testing.checks import all_estimators
from thriftree.testing.makers import small_table
from thriftree.tree import Tree


@pytest.mark.parametrize("parameters", [{"max_leaves": 5}, {"pruning": "reduced_error", "random_state": 1}])
def test_the_whole_tree_is_grown_again_by_any_settings(parameters):
    for seed in range(4):
        model, rows = a_model(seed, tt.CARTClassifier, parameters)
        assert model.refit_below(0, *rows).tree == model.tree_


@pytest.mark.parametrize("cls", all_estimators(), ids=lambda cls: cls.__name__)
def test_every_estimator_grows_anew_or_says_why_not(cls):
    parameters = {"cv": 2} if cls.__name__.startswith(("Thrift", "Optimal")) else {}
    model, rows = a_model(1, cls, parameters)  # a table without weights, which MSI does not take
    if cls in (tt.MSIClassifier, tt.OptimalTreeClassifier, tt.OptimalTreeRegressor):
        with pytest.raises(ValueError, match=r"weighs whole trees.*collapse, relabel or reorder"):
            model.refit_below(0, *rows)
    else:
        assert model.refit_below(0, *rows).tree.n_leaves >= 1


def test_the_rest_of_the_tree_stays_as_it_is():
    model, rows = a_model(2, tt.CARTClassifier, {"max_depth": 3})
    tree = model.tree_
    for node in questions_of(tree)[1:]:
        new = model.refit_below(node, *rows, max_depth=6).tree
        n_below, n_new = len(below(tree, node)), len(below(new, node))
        old_nodes, new_nodes = structure(tree), structure(new)
        assert [n[0] for n in new_nodes[:node]] == [n[0] for n in old_nodes[:node]]
        assert [n[0] for n in new_nodes[node + n_new :]] == [n[0] for n in old_nodes[node + n_below :]]
        elsewhere = ~np.isin(tree.apply(rows[0]), list(below(tree, node)))
        assert (new.predict(rows[0])[elsewhere] == tree.predict(rows[0])[elsewhere]).all()


def test_leaves_are_counted_over_the_whole_tree():
    table = small_table(3, n_rows=200, n_columns=4, n_values=12)
    model = tt.CARTClassifier(max_leaves=8).fit(table.X, table.y)
    for node in range(model.tree_.n_nodes):
        n_below = sum(n in below(model.tree_, node) for n in leaves_of(model.tree_))
        assert model.refit_below(node, table.X, table.y).tree.n_leaves == 8
        larger = model.refit_below(node, table.X, table.y, max_leaves=12).tree
        assert larger.n_leaves <= 12
        smaller = model.refit_below(node, table.X, table.y, max_leaves=1).tree
        assert smaller.n_leaves == 8 - n_below + 1
    assert model.refit_below(0, table.X, table.y, max_leaves=12).tree.n_leaves == 12


def test_a_forced_test_shares_the_leaves_by_what_they_are_worth():
    """Forcing the test that fit chose gives the tree of fit, whichever branch has the better splits."""
    for seed in range(6):
        table = small_table(seed, n_rows=120, n_columns=4, n_values=12, n_classes=3)
        for max_leaves in (3, 5, 8):
            model = tt.CARTClassifier(max_leaves=max_leaves).fit(table.X, table.y)
            chosen = int(model.tree_.core.column[0])
            tree = model.refit_below(0, table.X, table.y, feature=chosen).tree
            assert tree.n_leaves == max_leaves
            assert [n[0] for n in structure(tree)] == [n[0] for n in structure(model.tree_)]


def test_a_budget_counts_what_the_path_has_paid():
    X = pd.DataFrame({"a": [0, 0, 1, 1] * 10, "b": [0, 1, 0, 1] * 10, "c": [0, 0, 0, 1, 1, 1, 0, 1] * 5})
    y = (X["a"] ^ X["b"]).to_numpy()
    model = tt.WorstCaseTreeClassifier(costs={"a": 3, "b": 4, "c": 5}, budget=7).fit(X, y)
    assert model.worst_case_cost_ == 7
    first = "ab"[int(model.tree_.core.column[0])]
    paid = {"a": 3, "b": 4}[first]
    with pytest.raises(
        ValueError, match=rf"paid {paid} and the test costs 5, but budget=7.*budget={paid + 5}"
    ):
        model.refit_below(1, X, y, feature="c")
    assert model.refit_below(1, X, y, feature="c", budget=12).after.worst_case_cost == 12
    assert model.refit_below(1, X, y, feature="ba"["ab".index(first)]).after.worst_case_cost == 7


def test_categories_of_a_part_keep_their_place_in_the_code_book():
    X = pd.DataFrame({"x": [0.0] * 6 + [1.0] * 6, "c": list("abcabc") + list("xyzxyz")})
    y = ["p", "q", "p"] * 2 + ["q", "p", "q"] * 2
    model = tt.CARTClassifier(max_depth=2, **FREE_SETS).fit(X, y)
    by_x = model.refit_below(0, X, y, feature="x").estimator
    assert by_x.predict(X).tolist() == y
    again = by_x.refit_below(questions_of(by_x.tree_)[-1], X, y)
    assert again.tree == by_x.tree_
    assert again.tree.columns[1].categories == tuple("abcxyz")


def test_new_rows_may_bring_new_categories():
    X = pd.DataFrame({"x": [0.0] * 4 + [1.0] * 4, "c": list("abab") + list("bbaa")})
    y = ["p", "q", "p", "q"] + ["q"] * 4
    model = tt.CARTClassifier().fit(X, y).refit_below(0, X, y, feature="x").estimator
    more = pd.DataFrame({"x": [1.0] * 4, "c": ["Z", "Z", "a", "a"]})
    edit = model.refit_below(leaves_of(model.tree_)[-1], more, ["p", "p", "q", "q"])
    assert edit.tree.columns[1].categories == ("a", "b", "Z")
    assert edit.estimator.predict(more).tolist() == ["p", "p", "q", "q"]
    assert edit.estimator.predict(X[:4]).tolist() == y[:4]
    assert edit.estimator.predict(pd.DataFrame({"x": [0.0], "c": ["Z"]})) == model.predict(X[:1])


def test_a_part_without_rows_of_a_class_still_knows_all_classes():
    X, y = [[0, 0], [0, 1], [1, 0], [1, 1], [2, 0], [2, 1]] * 2, ["a", "b", "c", "c", "d", "d"] * 2
    model = tt.CARTClassifier(class_weight="balanced").fit(X, y)
    few = [(x, label) for x, label in zip(X, y, strict=True) if label != "d"]
    edit = model.refit_below(1, [x for x, _ in few], [label for _, label in few])
    assert edit.tree.classes == ("a", "b", "c", "d")


@settings(max_examples=tries(12, 5), deadline=None)
@given(seed=st.integers(0, 2**32 - 1))
def test_names_and_categories_that_are_hard_to_quote_are_edited_like_others(seed):
    _, X = random_tree(seed, n_rows=60, infinite=False)
    y = np.random.default_rng(seed).choice(["=1+1", "it's", "\n"], 60)
    model = tt.CARTClassifier(max_depth=3).fit(X, y)
    for node in questions_of(model.tree_):
        name = model.tree_.columns[model.tree_.core.column[node]].name
        again = model.refit_below(node, X, y, feature=name)
        assert structure(again.tree) == structure(model.tree_)
        assert again.tree == Tree.from_json(again.tree.to_json())
    names = [column.name for column in model.tree_.columns]
    for column in set(model.tree_.core.column.tolist()) - {-1, int(model.tree_.core.column[0])}:
        edit = model.reorder(0, names[column], X, y)
        assert (edit.tree.predict(X) == model.predict(X)).all()
        assert len(str(edit).splitlines()) == 7


def test_limits_are_kept_and_said():
    table = small_table(0, n_rows=400, n_columns=4, n_values=12)
    model = tt.CARTClassifier().fit(table.X, table.y)
    with pytest.warns(tt.LimitReachedWarning, match="time_limit_s"):
        edit = model.refit_below(0, table.X, table.y, time_limit_s=0.0)
    assert edit.estimator.stopped_by_ == "time_limit"
    assert model.stopped_by_ is None
