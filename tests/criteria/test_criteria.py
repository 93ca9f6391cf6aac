"""The registry of criteria, and criteria written as Python functions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from thriftree import (
    CARTClassifier,
    CARTRegressor,
    EnhancedTreeClassifier,
    EnhancedTreeRegressor,
    PUBLICClassifier,
    _core,
)
from thriftree.estimators.category_tests import FREE_SETS
from thriftree.learning.criteria import CRITERIA, impurities_for, names_for, resolve
from thriftree.testing.makers import small_table

CLASSIC = ["gini", "entropy", "misclassification", "gain_ratio", "squared_error"]


def test_the_registry_has_the_classic_criteria_each_with_a_summary() -> None:
    assert set(CLASSIC) <= set(CRITERIA)
    assert set(CLASSIC[:4]) <= set(names_for("classes"))
    assert CLASSIC[4] in names_for("numbers")
    assert all(criterion.summary for criterion in CRITERIA.values())


@pytest.mark.parametrize(
    ("name", "target"), [("gini", "numbers"), ("squared_error", "classes"), ("gimi", "classes")]
)
def test_a_criterion_for_another_target_is_refused_with_those_on_offer(name: str, target: Any) -> None:
    with pytest.raises(
        ValueError, match=f"'{name}' is not a criterion for {target}: give one of '{names_for(target)[0]}'"
    ):
        resolve(name, target)


def test_a_score_that_can_be_named_in_place_of_an_impurity_is_not_one() -> None:
    assert set(names_for("classes")) - set(impurities_for("classes")) == {"gain_ratio"}
    assert impurities_for("numbers") == names_for("numbers")
    assert CRITERIA["gain_ratio"].stands_on == "entropy"


def learners_of(target: Any) -> list[tuple[Any, str, Any]]:
    """Every learner that takes an impurity by name, with each name and each pruning that looks at it."""
    prunings = [None, "cost_complexity", "validation_gain"]
    takers = {
        "classes": [
            (CARTClassifier, names_for, prunings),
            (EnhancedTreeClassifier, impurities_for, prunings),
        ],
        "numbers": [(CARTRegressor, names_for, prunings), (EnhancedTreeRegressor, impurities_for, prunings)],
    }
    found = [
        (taker, name, {"pruning": how, "random_state": 0})
        for taker, names, ways in takers[target]
        for name in names(target)
        for how in ways
    ]
    if target == "classes":
        found += [(PUBLICClassifier, name, {}) for name in names_for(target)]
    return found


@pytest.mark.parametrize("target", ["classes", "numbers"])
def test_every_impurity_that_can_be_named_grows_and_prunes_a_tree_in_every_learner_that_takes_one(
    target: Any,
) -> None:
    table = small_table(3, n_rows=80, n_classes=3 if target == "classes" else 0)
    for taker, name, parameters in learners_of(target):
        model = taker(impurity=name, **parameters).fit(table.X, table.y)
        assert model.score(table.X, table.y) >= 0, (taker, name, parameters)


def test_a_score_in_place_of_an_impurity_is_refused_where_another_score_stands_on_one() -> None:
    with pytest.raises(ValueError, match="The 'impurity' parameter of EnhancedTreeClassifier"):
        EnhancedTreeClassifier(impurity="gain_ratio").fit([[0.0], [1.0]], [0, 1])
    table = _core.encode_matrix(np.array([[0.0], [1.0]]))
    target = _core.Target.classes(np.array([0, 1], dtype=np.int32), 2)
    for parameters, message in [
        ({"score": "enhanced", "criterion": "gain_ratio"}, "give 'entropy'"),
        (
            {"trade_off": 2.0},
            "'impurity' has no parameter trade_off: leave it out, or choose score enhanced",
        ),
        ({"score": "balance", "tolerance": 2.0}, "has no parameter tolerance: .* choose score worst_case"),
        ({"score": "enhanced", "criterion": "squared_error"}, "choose one of: gini, entropy, misclass"),
    ]:
        with pytest.raises(ValueError, match=message):
            _core.grow(table, target, _core.GrowOptions(candidates=[1], **parameters))


def test_the_registry_of_scores_says_what_each_takes() -> None:
    scores = {score["name"]: score for score in _core.scores()}
    assert list(scores)[:2] == ["impurity", "gain_ratio"]
    assert scores["enhanced"]["parameters"] == {"trade_off": 1.0, "discrimination_scale": 1.0}
    assert scores["enhanced"]["numbers"]
    assert not scores["balance"]["numbers"]
    assert all(score["summary"] for score in scores.values())


@pytest.mark.parametrize("model", [CARTClassifier(impurity="squared_error"), CARTRegressor(impurity="gini")])
def test_an_estimator_refuses_a_criterion_of_another_target(model: Any) -> None:
    with pytest.raises(ValueError, match="The 'impurity' parameter"):
        model.fit([[0.0], [1.0]], [0, 1])


def gini(parent: Any, branches: Any, price: Any) -> Any:
    """Decrease of gini, as a function of one's own would be written."""

    def impurity(sums: Any) -> Any:
        total = sums.sum(axis=-1)
        return total - (sums**2).sum(axis=-1) / np.where(total > 0, total, 1.0)

    return (impurity(parent) - impurity(branches).sum(axis=1)) / parent.sum()


def squared_error(parent: Any, branches: Any, price: Any) -> Any:
    """Decrease of the squared error, up to a constant: the sums of squares cancel."""
    weight, moment = branches[..., 0], branches[..., 1]
    return (moment**2 / weight).sum(axis=1)


def structure(model: Any) -> list[Any]:
    core = model.tree_.core
    return [core.column.tolist(), core.keys.tolist(), core.to.tolist(), core.missing.tolist()]


@pytest.mark.parametrize("seed", range(20))
def test_gini_as_a_function_grows_the_tree_of_gini(seed: int) -> None:
    table = small_table(seed, n_rows=30, n_classes=3, missing=seed % 2 == 0, categories=True)
    words = {"categorical_features": list(table.categorical), **FREE_SETS}  # a function is not corrected
    models = [CARTClassifier(impurity=i, **words) for i in ("gini", gini)]
    # Scores that differ in the last digit may settle a tie in another way: only the first test is compared.
    scores = [float(m.fit(table.X, table.y).tree_.core.score[0]) for m in models]
    assert scores[0] == pytest.approx(scores[1], abs=1e-12)
    for model in models:
        assert model.score(table.X, table.y) == pytest.approx(models[0].score(table.X, table.y))


@pytest.mark.parametrize("seed", range(10))
def test_squared_error_as_a_function_grows_an_equally_good_tree(seed: int) -> None:
    table = small_table(seed, n_rows=30, n_classes=0, n_values=7)
    named = CARTRegressor(max_depth=1).fit(table.X, table.y)
    own = CARTRegressor(max_depth=1, impurity=squared_error).fit(table.X, table.y)
    assert own.score(table.X, table.y) == pytest.approx(named.score(table.X, table.y), abs=1e-12)


def test_a_function_sees_class_sums_of_parent_and_branches_and_prices() -> None:
    seen = []

    def spy(parent: Any, branches: Any, price: Any) -> Any:
        seen.append((parent.copy(), branches.copy(), price.copy()))
        return branches[:, 0, 0] * 0.0

    CARTClassifier(impurity=spy, max_depth=1).fit(
        [[0.0], [1.0], [2.0]], [0, 1, 1], sample_weight=[1.0, 2.0, 4.0]
    )
    (parent, branches, price), *more = seen
    assert not more
    assert parent.tolist() == [1.0, 6.0]
    assert branches.tolist() == [[[1.0, 0.0], [0.0, 6.0]], [[1.0, 2.0], [0.0, 4.0]]]
    assert price.tolist() == [1.0, 1.0]


@pytest.mark.parametrize(
    ("function", "error", "message"),
    [
        (lambda parent, branches, price: np.zeros(99), ValueError, "99 scores"),
        (lambda parent, branches, price: np.full(len(price), np.nan), ValueError, "NaN"),
        (lambda parent, branches, price: 1 / 0, ZeroDivisionError, "division"),
    ],
)
def test_a_function_that_fails_is_an_error_and_no_tree(function: Any, error: Any, message: str) -> None:
    model = CARTClassifier(impurity=function)
    with pytest.raises(error, match=message):
        model.fit([[0.0], [1.0], [2.0]], [0, 1, 0])
    assert not hasattr(model, "tree_")
