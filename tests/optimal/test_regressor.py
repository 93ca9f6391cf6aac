"""OptimalTreeRegressor: what it makes least, what it proves, and that greedy trees are never better."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from thriftree import CARTRegressor, EnhancedTreeRegressor, OptimalTreeRegressor
from thriftree.learning.limits import LimitReachedWarning


def mixed_table(seed: int, n_rows: int = 220) -> tuple[pd.DataFrame, np.ndarray]:
    """Numbers, a category and missing values, with a target that depends on several of them together."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(
        {
            "a": rng.normal(size=n_rows),
            "b": np.where(rng.random(n_rows) < 0.1, np.nan, rng.integers(0, 9, n_rows)),
            "c": rng.choice(["red", "green", "blue", "grey"], n_rows),
        }
    )
    y = (X.a > 0) * (X.c.isin(["red", "grey"])) * 3 + X.b.isna() * 2 - (X.b > 4) + rng.normal(0, 0.5, n_rows)
    return X, y.to_numpy(dtype=np.float64)


def mean_squared_error(model: Any, X: Any, y: np.ndarray, weight: np.ndarray | None = None) -> float:
    return float(np.average((model.predict(X) - y) ** 2, weights=weight))


@pytest.mark.parametrize("options", [{}, {"min_leaf": 9}, {"max_leaves": 5}, {"min_leaf": 0.08}])
@pytest.mark.parametrize("weighted", [False, True])
def test_the_objective_is_the_mean_squared_error_and_greedy_trees_are_no_better(
    options: dict[str, Any], weighted: bool
) -> None:
    X, y = mixed_table(1)
    weight = np.random.default_rng(2).random(len(y)) + 0.1 if weighted else None
    model = OptimalTreeRegressor(max_depth=3, leaf_penalty=0.02, **options).fit(X, y, sample_weight=weight)
    error = mean_squared_error(model, X, y, weight)
    assert model.objective_ == pytest.approx(error + 0.02 * model.tree_.n_leaves, rel=1e-12)
    assert model.status_ == "optimal"
    assert 0 <= model.objective_ - model.lower_bound_ <= 1e-8 * model.objective_
    assert model.gap_ == 0
    for greedy in (CARTRegressor, EnhancedTreeRegressor):
        other = greedy(max_depth=3, **options).fit(X, y, sample_weight=weight)
        risk = mean_squared_error(other, X, y, weight) + 0.02 * other.tree_.n_leaves
        assert model.objective_ <= risk + 1e-12


def test_a_penalty_that_adds_up_to_no_number_is_refused_in_words() -> None:
    X, y = mixed_table(1, 60)
    with pytest.raises(
        ValueError, match=r"leaf_penalty is 1e\+308, .*: give less; .* above the variance of y"
    ):
        OptimalTreeRegressor(leaf_penalty=1e308).fit(X, y)
    model = OptimalTreeRegressor(leaf_penalty=1e250).fit(X, y)
    assert model.tree_.n_leaves == 1
    assert model.objective_ == 1e250


def test_without_a_penalty_the_error_alone_is_made_least() -> None:
    X, y = [[0, 0], [0, 1], [1, 0], [1, 1]] * 2, [1.0, 5.0, 5.0, 1.0] * 2
    model = OptimalTreeRegressor(max_depth=2, leaf_penalty=0).fit(X, y)
    assert model.objective_ == 0
    assert CARTRegressor(max_depth=1).fit(X, y).score(X, y) <= 1e-12  # no test alone tells anything


@pytest.mark.parametrize("scale", [1e-9, 1.0, 3e12])
@pytest.mark.parametrize("offset", [0.0, 1e6])
def test_the_unit_and_the_zero_of_the_target_change_no_tree(scale: float, offset: float) -> None:
    X, y = mixed_table(3)
    expected = OptimalTreeRegressor(max_depth=3, leaf_penalty=0.02).fit(X, y)
    other = OptimalTreeRegressor(max_depth=3, leaf_penalty=0.02 * scale**2).fit(X, (y + offset) * scale)
    assert other.tree_.n_leaves == expected.tree_.n_leaves
    assert other.objective_ == pytest.approx(expected.objective_ * scale**2, rel=1e-6)
    assert other.lower_bound_ <= other.objective_


def test_the_penalty_is_chosen_by_folds() -> None:
    X, y = mixed_table(4)
    model = OptimalTreeRegressor(max_depth=3, random_state=0).fit(X, y)
    results = model.cv_results_
    best = results["mean_loss"].argmin()
    assert model.leaf_penalty_ == results["leaf_penalty"][best]
    assert results["mean_loss"][best] < y.var()


def test_all_thresholds_of_small_tables_are_proved_and_others_are_refused() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 3)), rng.normal(size=60)
    every = OptimalTreeRegressor(max_depth=2, leaf_penalty=0, thresholds="all").fit(X, y)
    assert every.proved_for_ == "all thresholds"
    assert every.objective_ == pytest.approx(best_of_depth_two(X, y), rel=1e-12)
    some = OptimalTreeRegressor(max_depth=2, leaf_penalty=0).fit(X, y)
    assert some.objective_ >= every.lower_bound_
    wide = rng.normal(size=(600, 3))
    with pytest.raises(ValueError, match="at most 1000 tests"):
        OptimalTreeRegressor(max_depth=3, leaf_penalty=0, thresholds="all").fit(wide, wide[:, 0])


def best_of_depth_two(X: np.ndarray, y: np.ndarray) -> float:
    """By trying every pair of tests, one after the other."""

    def spread(rows: np.ndarray) -> float:
        return float(((y[rows] - y[rows].mean()) ** 2).sum()) if rows.any() else 0.0

    cuts = [X[:, j] <= value for j in range(X.shape[1]) for value in np.unique(X[:, j])[:-1]]

    def best_of_one(rows: np.ndarray) -> float:
        return min([spread(rows), *(spread(rows & cut) + spread(rows & ~cut) for cut in cuts)])

    return min(best_of_one(cut) + best_of_one(~cut) for cut in cuts) / len(y)


def test_a_tree_to_begin_with_is_never_lost() -> None:
    X, y = mixed_table(5)
    begin = OptimalTreeRegressor(max_depth=3, leaf_penalty=0).fit(X, y)
    model = OptimalTreeRegressor(
        max_depth=3, leaf_penalty=0, warm_start=begin.tree_, lookahead=0, beam=1
    ).fit(X, y)
    assert model.status_ == "heuristic"
    assert model.objective_ <= begin.objective_


def test_time_may_end_at_once() -> None:
    X, y = mixed_table(5)
    with pytest.warns(LimitReachedWarning):
        model = OptimalTreeRegressor(max_depth=3, time_limit_s=0).fit(X, y)
    assert (model.status_, model.stopped_by_) == ("time_limit", "time_limit")
    assert model.lower_bound_ <= model.objective_
    assert model.leaf_penalty_ == pytest.approx(0.01 * y.var())


@pytest.mark.parametrize("y", [np.zeros(8), np.full(8, 1e300), np.arange(8.0)])
def test_targets_of_one_value_and_of_any_size_are_fit(y: np.ndarray) -> None:
    X = np.arange(8.0)[:, None]
    model = OptimalTreeRegressor(max_depth=3, leaf_penalty=0).fit(X, y)
    assert model.status_ == "optimal"
    assert np.isfinite(model.predict(X)).all()
    assert model.lower_bound_ <= model.objective_


def test_threads_change_nothing_and_a_clone_is_unfitted() -> None:
    X, y = mixed_table(6, 150)
    one, two = (OptimalTreeRegressor(max_depth=4, leaf_penalty=0.01, n_jobs=n).fit(X, y) for n in (1, 2))
    assert one.tree_.to_dict() == two.tree_.to_dict()
    assert not hasattr(clone(one), "tree_")


def test_the_least_of_penalties_is_added_up() -> None:
    X, y = mixed_table(1, 60)
    tiny, none = (OptimalTreeRegressor(leaf_penalty=p, max_depth=2).fit(X, y) for p in (5e-324, 0.0))
    assert tiny.objective_ == pytest.approx(none.objective_, rel=1e-12)
    assert tiny.lower_bound_ <= tiny.objective_
