"""`leaves="linear"`: each leaf's ridge, what it may read, and how size and penalty are chosen."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles.linear_leaves import free_columns_at, questions_of_row
from sklearn.linear_model import Ridge
from thoroughness import tries

import thriftree
from thriftree import CARTRegressor, EnhancedTreeRegressor, TestCosts, ThriftTreeRegressor
from thriftree.tree import Tree

SOME = settings(max_examples=tries(60, 8), deadline=None)


def table(seed: int, n_rows: int = 120, *, missing: bool = True) -> tuple[Any, Any, Any]:
    """Numbers, one of them on another scale and some missing, and a category that slopes depend on."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(
        {
            "a": rng.normal(size=n_rows),
            "b": rng.normal(size=n_rows) * 1e4 + 1e6,
            "c": rng.integers(0, 4, n_rows).astype(float),
            "kind": rng.choice(["x", "y"], n_rows),
        }
    )
    slope = np.where(X["kind"] == "x", 2.0, -1.0)
    y = slope * X["a"] + (X["b"] - 1e6) / 1e4 + X["c"] + rng.normal(size=n_rows) * 0.3
    if missing:
        X.loc[rng.random(n_rows) < 0.1, "a"] = np.nan
    return X, y.to_numpy(), rng.integers(1, 4, n_rows).astype(float)


def ridge_of_leaf(X: Any, y: Any, weight: Any, penalty: float) -> Any:
    """scikit-learn's ridge on the leaf's rows: columns filled with their means and standardised."""
    Z = X.to_numpy(dtype=float).copy()
    known = ~np.isnan(Z)
    means = np.array([np.average(Z[known[:, j], j], weights=weight[known[:, j]]) for j in range(Z.shape[1])])
    Z = np.where(known, Z, means) - means
    scale = np.sqrt(np.average(Z**2, axis=0, weights=weight))
    scale[scale == 0] = 1.0
    return Ridge(alpha=penalty, solver="cholesky").fit(Z / scale, y, sample_weight=weight).predict(Z / scale)


@SOME
@given(st.integers(0, 10**6), st.booleans())
def test_every_leaf_is_scikit_learns_ridge_of_its_rows_within_their_range(seed: int, weighted: bool) -> None:
    X, y, weight = table(seed)
    weight = weight if weighted else np.ones(len(y))
    model = CARTRegressor(leaves="linear", max_leaves=6, cv=3, random_state=seed).fit(X, y, weight)
    said, leaf = model.predict(X), model.apply(X)
    for one in np.unique(leaf):
        at = leaf == one
        expected = ridge_of_leaf(X.loc[at, ["a", "b", "c"]], y[at], weight[at], model.ridge_)
        np.testing.assert_allclose(
            said[at], np.clip(expected, y[at].min(), y[at].max()), rtol=1e-7, atol=1e-7
        )


@pytest.mark.parametrize("seed", range(3))
def test_a_leaf_of_fewer_rows_than_columns_is_scikit_learns_ridge(seed: int) -> None:
    rng = np.random.default_rng(seed)
    X, y = pd.DataFrame(rng.normal(size=(30, 25))), rng.normal(size=30)
    X.columns = [f"x{j}" for j in range(25)]
    model = CARTRegressor(leaves="linear", min_leaf=8, alpha=0.0, cv=3, random_state=0).fit(X, y)
    leaf = model.apply(X)
    assert min(np.bincount(leaf)[np.unique(leaf)]) < 25
    for one in np.unique(leaf):
        at = leaf == one
        expected = ridge_of_leaf(X.loc[at], y[at], np.ones(at.sum()), model.ridge_)
        np.testing.assert_allclose(
            model.predict(X)[at], np.clip(expected, y[at].min(), y[at].max()), rtol=1e-8, atol=1e-8
        )


def test_weights_are_repeated_rows() -> None:
    X, y, weight = table(1)
    fold = np.arange(len(y)) % 3
    again = np.repeat(np.arange(len(y)), weight.astype(int))
    cv = [(np.flatnonzero(fold != k), np.flatnonzero(fold == k)) for k in range(3)]
    repeated = [(np.flatnonzero(fold[again] != k), np.flatnonzero(fold[again] == k)) for k in range(3)]
    weighed = CARTRegressor(leaves="linear", max_leaves=8, cv=cv).fit(X, y, weight)
    plain = CARTRegressor(leaves="linear", max_leaves=8, cv=repeated).fit(X.iloc[again], y[again])
    assert plain.ridge_ == weighed.ridge_
    assert (plain.tree_.core.column == weighed.tree_.core.column).all()
    np.testing.assert_allclose(plain.predict(X), weighed.predict(X), rtol=1e-9)


def test_the_scale_of_a_column_changes_nothing() -> None:
    X, y, _ = table(2)
    scaled = X.assign(a=X["a"] * 1024, b=(X["b"] - 5) / 8192)
    one, other = (
        CARTRegressor(leaves="linear", max_leaves=8, cv=3, random_state=0).fit(t, y) for t in (X, scaled)
    )
    assert one.ridge_ == other.ridge_
    np.testing.assert_allclose(other.predict(scaled), one.predict(X), rtol=1e-9)


def test_threads_change_nothing() -> None:
    X, y, _ = table(3, 400)
    fits = [
        CARTRegressor(leaves="linear", cv=3, random_state=0, n_jobs=n).fit(X, y).tree_.to_json()
        for n in (1, 2)
    ]
    assert fits[0] == fits[1]


@SOME
@given(st.integers(0, 10**6))
def test_with_prices_leaves_read_what_their_path_has_paid_for_and_known_columns(seed: int) -> None:
    X, y, _ = table(seed)
    known = ["c"] if seed % 2 else []
    prices = {name: 1.0 + seed % 3 for name in X if name not in known}
    delayed = ["b"] if seed % 3 == 0 else []
    costs = TestCosts(prices, known=known, delayed=delayed)
    model = CARTRegressor(leaves="linear", costs=costs, max_leaves=6, cv=3, random_state=0).fit(X, y)
    document = model.tree_.to_dict()
    for leaf, linear in model.tree_.leaf_models.items():
        assert set(linear.columns) <= free_columns_at(document, leaf, set(known))
    constant = model.tree_.with_leaf_models(None)
    assert model.expected_cost_ == constant.expected_cost(X)
    assert model.worst_case_cost_ == constant.worst_case_cost()
    assert (model.predict_cost(X) == constant.predict_cost(X)).all()


@SOME
@given(st.integers(0, 10**6))
def test_without_prices_every_question_counts(seed: int) -> None:
    X, y, _ = table(seed)
    model = CARTRegressor(leaves="linear", max_leaves=5, cv=3, random_state=0).fit(X, y)
    document = model.tree_.to_dict()
    rows = X.to_dict("records")
    asked = [questions_of_row(document, row) for row in rows]
    assert model.predict_cost(X).tolist() == asked
    assert model.expected_cost_ == pytest.approx(np.mean(asked))
    assert model.worst_case_cost_ >= max(asked)


def test_categories_and_dates_do_not_enter() -> None:
    X, y, _ = table(4)
    X = X.assign(
        day=pd.date_range("2020-01-01", periods=len(X)), ordered=pd.Categorical(X["c"], ordered=True)
    )
    tree = CARTRegressor(leaves="linear", cv=3, random_state=0).fit(X, y).tree_
    read = {tree.columns[j].name for model in tree.leaf_models.values() for j in model.columns}
    assert read <= {"a", "b", "c"}
    only = CARTRegressor(leaves="linear", cv=3, random_state=0).fit(X[["kind", "day"]], y)
    assert only.tree_.leaf_models == {}


def test_a_line_needs_one_leaf() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 3))
    y = 3 * X[:, 0] - X[:, 2] + 0.1 * rng.normal(size=200)
    model = CARTRegressor(leaves="linear", random_state=0).fit(X, y)
    assert model.tree_.n_leaves <= 3
    assert model.score(X, y) > 0.99
    assert CARTRegressor(pruning="cost_complexity", random_state=0).fit(X, y).tree_.n_leaves > 20


@pytest.mark.parametrize("learner", [CARTRegressor, EnhancedTreeRegressor])
def test_the_hard_regressors_have_linear_leaves(learner: Any) -> None:
    X, y, _ = table(5, 300)
    constant, linear = (learner(leaves=leaves, cv=3, random_state=0) for leaves in ("constant", "linear"))
    new, truth, _ = table(6, 1000)
    assert linear.fit(X, y).score(new, truth) > constant.fit(X, y).score(new, truth) + 0.02
    assert linear.tree_.n_leaves < constant.tree_.n_leaves
    assert linear.tree_.leaf_models
    assert linear.ridge_ in (0.1, 1.0, 10.0, 100.0)


def test_the_recommended_tree_takes_linear_leaves_where_folds_say_so() -> None:
    X, y, _ = table(7, 300)
    model = ThriftTreeRegressor(random_state=0).fit(X, y)
    assert model.tree_.leaf_models
    assert model.settings_["leaves"] == "linear"
    assert model.ridge_ == model.settings_["ridge"]
    assert model.cv_results_["expected_cost"][0] == pytest.approx(model.expected_cost_)
    assert ThriftTreeRegressor(leaves="constant", random_state=0).fit(X, y).tree_.leaf_models == {}
    steps = np.where(X["c"] > 1, 5.0, 1.0) + np.where(X["kind"] == "x", 3.0, 0.0)
    assert ThriftTreeRegressor(random_state=0).fit(X, steps).tree_.leaf_models == {}


def test_a_budget_bounds_linear_leaves_too() -> None:
    X, y, _ = table(8, 200)
    for bound in ({"budget": 2}, {"max_expected": 1.5}):
        model = ThriftTreeRegressor(random_state=0, cv=3, repeats=1, **bound).fit(X, y)
        if "budget" in bound:
            assert model.worst_case_cost_ <= 2
        else:
            assert model.expected_cost_ <= 1.5
    costs = {"a": 1.0, "b": 3.0, "c": 2.0, "kind": 1.0}
    model = ThriftTreeRegressor(random_state=0, cv=3, repeats=1, costs=costs, budget=4).fit(X, y)
    assert model.worst_case_cost_ <= 4


def test_a_model_file_holds_linear_leaves(tmp_path: Any) -> None:
    X, y, _ = table(9)
    for model in (
        CARTRegressor(leaves="linear", cv=3, random_state=0).fit(X, y),
        ThriftTreeRegressor(cv=2, repeats=1, random_state=0).fit(X, y),
    ):
        model.save(tmp_path / "model.json")
        again = thriftree.load(tmp_path / "model.json")
        assert again.tree_ == model.tree_
        assert (again.predict(X) == model.predict(X)).all()
        assert Tree.from_json(model.tree_.to_json()) == model.tree_


def test_edits_of_an_estimator() -> None:
    X, y, _ = table(10, 300)
    model = CARTRegressor(leaves="linear", max_leaves=8, alpha=0.0, cv=3, random_state=0).fit(X, y)
    inner = int(np.flatnonzero(model.tree_.core.column >= 0)[-1])
    collapsed = model.collapse(inner, X, y)
    assert inner not in collapsed.tree.leaf_models
    assert len(collapsed.tree.leaf_models) == len(model.tree_.leaf_models) - 2
    regrown = model.refit_below(inner, X, y)
    np.testing.assert_allclose(regrown.tree.predict(X), model.predict(X), rtol=1e-9)
    whole = model.refit_below(0, X, y)
    np.testing.assert_allclose(whole.tree.predict(X), model.predict(X), rtol=1e-9)


def test_what_linear_leaves_cannot_is_said() -> None:
    X, y, _ = table(11)
    with pytest.raises(ValueError, match="reduced_error"):
        CARTRegressor(leaves="linear", pruning="reduced_error").fit(X, y)
    with pytest.raises(ValueError, match='shrinkage="cv"'):
        CARTRegressor(leaves="linear", shrinkage="cv").fit(X, y)


def test_a_fit_without_time_has_a_tree() -> None:
    X, y, _ = table(12, 500)
    with pytest.warns(UserWarning, match="time_limit_s"):
        model = CARTRegressor(leaves="linear", time_limit_s=0.0).fit(X, y)
    assert model.stopped_by_ == "time_limit"
    assert np.isfinite(model.predict(X)).all()


def test_numbers_beyond_all_range_give_a_finite_answer() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    X[:, 0] *= 1e300
    X[:, 1] *= 1e-300
    X[:, 2] = 0.1
    model = CARTRegressor(leaves="linear", cv=3, random_state=0).fit(X, rng.normal(size=60))
    assert np.isfinite(model.predict(X)).all()
    assert all(2 not in one.columns for one in model.tree_.leaf_models.values())
