"""Growing anew below a node gives what fit would have grown there, with all that holds for the whole tree."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest
from edited_trees import below, leaves_of, questions_of, structure

import thriftree as tt
from thriftree.testing.checks import all_estimators
from thriftree.testing.makers import SmallTable, small_table

PRICES = tt.TestCosts({0: 1.0, 1: 2.0, 2: 3.0, 3: 4.0}, groups={"draw": {"setup": 2.0, "members": [0, 1]}})

#: Settings under which a part is grown as it was grown in the whole tree.
SAME: list[tuple[Any, dict[str, Any]]] = [
    (tt.CARTClassifier, {}),
    (tt.CARTClassifier, {"min_leaf": 0.1, "impurity": "entropy"}),
    (tt.CARTClassifier, {"min_mass": 0.2}),
    (tt.CARTClassifier, {"max_depth": 3}),
    (tt.CARTClassifier, {"class_weight": "balanced", "min_leaf": 0.08, "min_decrease": 0.01}),
    (tt.CARTClassifier, {"pruning": "cost_complexity", "alpha": 0.02}),
    (tt.CARTClassifier, {"pruning": "cost_complexity", "cv": 3, "random_state": 0}),
    (tt.CARTClassifier, {"costs": PRICES, "cost_benefit": True}),
    (tt.C45Classifier, {"pruning": None, "min_leaf": 1}),
    (tt.C45Classifier, {"raising": False}),
    (tt.ID3Classifier, {}),
    (tt.EnhancedTreeClassifier, {"costs": PRICES, "min_mass": 0.1}),
    (tt.EnhancedTreeClassifier, {"trade_off": "auto", "random_state": 0}),
    (tt.ImpurePairsClassifier, {"costs": PRICES, "cost_benefit": True}),
    (tt.BalancedClassifier, {"min_mass": 0.15}),
    (tt.WorstCaseTreeClassifier, {"costs": PRICES, "min_mass": 0.05}),
    (tt.WorstCaseTreeClassifier, {"impurity": tt.HingedPairs(epsilon=0.1)}),
    (tt.WorstCaseTreeClassifier, {"costs": PRICES, "impurity": "search", "budget": 6}),
    (tt.CHAIDClassifier, {"alpha_split": 0.5, "alpha_merge": 0.5}),
    (tt.QUESTClassifier, {"min_leaf": 0.1, "class_weight": "balanced"}),
    (tt.PUBLICClassifier, {}),
    (tt.ThriftTreeClassifier, {"costs": PRICES, "cv": 2, "random_state": 0}),
    (tt.ThriftTreeClassifier, {"costs": PRICES, "cv": 2, "random_state": 0, "budget": 5}),
    (tt.CARTRegressor, {"min_decrease": 0.05}),
    (tt.EnhancedTreeRegressor, {"costs": PRICES, "target_bins": 4}),
    (tt.ThriftTreeRegressor, {"costs": PRICES, "cv": 2, "random_state": 0}),
]


def a_table(seed: int, cls: Any) -> SmallTable:
    """Forty rows with everything: weights, missing values, categories; the target follows two columns."""
    table = small_table(
        seed,
        n_rows=40,
        n_columns=4,
        n_classes=0 if cls.__name__.endswith("Regressor") else 2 + seed % 2,
        n_values=(3, 5, 12)[seed % 3],
        weighted=seed % 2 == 0,
        missing=seed % 3 == 0,
        categories=True,
    )
    known = np.nan_to_num(table.X)
    if table.n_classes:
        table.y[5:] = np.where(known[5:, 0] > 0, known[5:, 1] > 0, table.y[5:])
        return table
    y = np.round(4 * known[:, 0] + 8 * (known[:, 1] > 0)) + table.y / 4
    return SmallTable(table.X, y, table.sample_weight, table.categorical, 0)


def a_model(seed: int, cls: Any, words: dict[str, Any]) -> tuple[Any, tuple[Any, ...]]:
    table = a_table(seed, cls)
    rows = (table.X, table.y, table.sample_weight)
    model = cls(**words, categorical_features=list(table.categorical))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # small tables: some budgets buy nothing
        return model.fit(*rows), rows


@pytest.mark.parametrize(("cls", "words"), SAME, ids=lambda x: getattr(x, "__name__", None))
def test_unchanged_settings_grow_the_same_part_again(cls, words):
    n_parts = 0
    for seed in range(4):
        model, rows = a_model(seed, cls, words)
        edit = model.refit_below(0, *rows)
        assert edit.tree == model.tree_
        assert edit.estimator.expected_cost_ == pytest.approx(model.expected_cost_)
        for node in range(1, model.tree_.n_nodes):
            edit = model.refit_below(node, *rows)
            assert structure(edit.tree) == structure(model.tree_), (seed, node)
            assert edit.changed_rows == 0
            n_parts += 1
    assert n_parts > 8


@pytest.mark.parametrize("words", [{"max_leaves": 5}, {"pruning": "reduced_error", "random_state": 1}])
def test_the_whole_tree_is_grown_again_by_any_settings(words):
    for seed in range(4):
        model, rows = a_model(seed, tt.CARTClassifier, words)
        assert model.refit_below(0, *rows).tree == model.tree_


@pytest.mark.parametrize("cls", all_estimators(), ids=lambda cls: cls.__name__)
def test_every_estimator_grows_anew_or_says_why_not(cls):
    words = {"cv": 2} if cls.__name__.startswith("Thrift") else {}
    model, rows = a_model(1, cls, words)
    if cls is tt.MSIClassifier:
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
        assert larger.n_leaves == 12
        smaller = model.refit_below(node, table.X, table.y, max_leaves=1).tree
        assert smaller.n_leaves == 8 - n_below + 1


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


@pytest.mark.parametrize(("cls", "words"), SAME, ids=lambda x: getattr(x, "__name__", None))
def test_forcing_the_test_that_fit_chose_changes_nothing(cls, words):
    for seed in range(3):
        model, rows = a_model(seed, cls, words)
        for node in questions_of(model.tree_)[:3]:
            edit = model.refit_below(node, *rows, feature=int(model.tree_.core.column[node]))
            assert structure(edit.tree) == structure(model.tree_), (seed, node)


@pytest.mark.parametrize(("cls", "words"), SAME, ids=lambda x: getattr(x, "__name__", None))
def test_any_column_that_varies_can_be_forced(cls, words):
    forced = 0
    for seed in range(2):
        model, rows = a_model(seed, cls, words)
        for column in range(4):
            try:
                edit = model.refit_below(0, *rows, feature=f"x{column}")
            except ValueError as error:
                assert "node 0 cannot ask about" in str(error)
                continue
            assert edit.tree.core.column[0] == column
            assert edit.tree.core.rows[0] == np.count_nonzero(rows[1] == rows[1])
            if getattr(model, "budget", None) is not None:
                assert edit.tree.worst_case_cost() <= model.budget
            forced += 1
    assert forced


def test_a_budget_counts_what_the_path_has_paid():
    X = pd.DataFrame({"a": [0, 0, 1, 1] * 10, "b": [0, 1, 0, 1] * 10, "c": [0, 0, 0, 1, 1, 1, 0, 1] * 5})
    y = (X["a"] ^ X["b"]).to_numpy()
    model = tt.WorstCaseTreeClassifier(costs={"a": 3, "b": 4, "c": 5}, budget=7).fit(X, y)
    assert model.worst_case_cost_ == 7
    with pytest.raises(ValueError, match=r"paid 3 and the test costs 5, but budget=7.*budget=8"):
        model.refit_below(1, X, y, feature="c")
    dearer = model.refit_below(1, X, y, feature="c", budget=12)
    assert dearer.after.worst_case_cost == 12


def test_categories_of_a_part_keep_their_place_in_the_code_book():
    X = pd.DataFrame({"x": [0.0] * 6 + [1.0] * 6, "c": list("abcabc") + list("xyzxyz")})
    y = ["p", "q", "p"] * 2 + ["q", "p", "q"] * 2
    model = tt.CARTClassifier(max_depth=2).fit(X, y)
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
    assert edit.estimator.predict(X).tolist() == y


def test_a_part_without_rows_of_a_class_still_knows_all_classes():
    X, y = [[0, 0], [0, 1], [1, 0], [1, 1], [2, 0], [2, 1]] * 2, ["a", "b", "c", "c", "d", "d"] * 2
    model = tt.CARTClassifier(class_weight="balanced").fit(X, y)
    few = [(x, label) for x, label in zip(X, y, strict=True) if label != "d"]
    edit = model.refit_below(1, [x for x, _ in few], [label for _, label in few])
    assert edit.tree.classes == ("a", "b", "c", "d")


def test_limits_are_kept_and_said():
    table = small_table(0, n_rows=400, n_columns=4, n_values=12)
    model = tt.CARTClassifier().fit(table.X, table.y)
    with pytest.warns(tt.LimitReachedWarning, match="time_limit_s"):
        edit = model.refit_below(0, table.X, table.y, time_limit_s=0.0)
    assert edit.estimator.stopped_by_ == "time_limit"
    assert model.stopped_by_ is None
