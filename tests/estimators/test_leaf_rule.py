"""What branches must keep: `min_leaf` and `min_weight_fraction_leaf`, alone and together."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.base import is_classifier

import thriftree as tt
from thriftree.testing.checks import QUICKER, all_estimators, estimators_with

every_learner = pytest.mark.parametrize("cls", estimators_with("min_leaf"))
# By the data alone: bins, prunings and levels that could end a tree before the rule does are off.
TO_THE_END = {
    "pruning": None,
    "leaves": "constant",  # a line needs one linear leaf
    "alpha_split": 1.0,
    "alpha_merge": 1.0,
    "alpha_resplit": None,
    "bound": None,
    "max_bins": None,
    "cv": 3,
    "repeats": 1,
    "random_state": 0,
}


def learner(cls: Any, **parameters: Any) -> Any:
    has = cls().get_params()
    to_the_end = {name: value for name, value in TO_THE_END.items() if name in has}
    return cls(**to_the_end, **QUICKER.get(cls.__name__, {}), **parameters)


def heavy_and_light_rows(cls: Any) -> tuple[Any, Any, Any]:
    """Rows of which few have most of the weight, so that neither rows nor weight say much of the other."""
    rng = np.random.default_rng(5)
    X = rng.normal(size=(300, 3)).round(1)
    signal = X[:, 0] + X[:, 1] + rng.normal(size=300)
    y = np.digitize(signal, [-0.5, 0.8]) if is_classifier(cls()) else signal
    return X, y, np.where(rng.random(300) < 0.1, 20.0, 1.0) * rng.uniform(0.5, 1.5, 300)


def test_the_two_parameters_come_together() -> None:
    for cls in all_estimators():
        parameters = cls().get_params()
        assert parameters.get("min_weight_fraction_leaf") == (0.0 if "min_leaf" in parameters else None)


@every_learner
def test_a_fraction_says_the_same_as_a_float_min_leaf(cls: Any) -> None:
    X, y, weight = heavy_and_light_rows(cls)
    by_share = learner(cls, min_leaf=0.05).fit(X, y, sample_weight=weight)
    by_fraction = learner(cls, min_leaf=1, min_weight_fraction_leaf=0.05).fit(X, y, sample_weight=weight)
    assert by_fraction.tree_.n_leaves > 1
    assert by_fraction.tree_.to_json() == by_share.tree_.to_json()


@every_learner
def test_of_two_shares_the_larger_holds(cls: Any) -> None:
    X, y, weight = heavy_and_light_rows(cls)
    larger = learner(cls, min_leaf=0.2).fit(X, y, sample_weight=weight).tree_.to_json()
    for min_leaf, fraction in ((0.04, 0.2), (0.2, 0.04)):
        both = learner(cls, min_leaf=min_leaf, min_weight_fraction_leaf=fraction)
        assert both.fit(X, y, sample_weight=weight).tree_.to_json() == larger
    smaller = learner(cls, min_leaf=0.04).fit(X, y, sample_weight=weight).tree_.to_json()
    assert smaller != larger


@every_learner
def test_rows_and_a_fraction_hold_together(cls: Any) -> None:
    X, y, weight = heavy_and_light_rows(cls)
    model = learner(cls, min_leaf=20, min_weight_fraction_leaf=0.04).fit(X, y, sample_weight=weight)
    core = model.tree_.core
    assert core.n_leaves > 1
    assert core.rows.min() >= 20
    assert core.weight.min() >= 0.04 * core.weight[0] * (1 - 1e-9)


@pytest.mark.parametrize("cls", [tt.CARTClassifier, tt.CHAIDClassifier, tt.QUESTClassifier])
def test_neither_rule_is_the_other(cls: Any) -> None:
    X, y, weight = heavy_and_light_rows(cls)
    rows = learner(cls, min_leaf=20).fit(X, y, sample_weight=weight).tree_.core
    assert rows.weight.min() < 0.04 * rows.weight[0]
    share = learner(cls, min_leaf=1, min_weight_fraction_leaf=0.04).fit(X, y, sample_weight=weight).tree_.core
    assert share.rows.min() < 20


def test_coarser_leaves_compete_unless_leaves_are_asked_to_be_as_coarse() -> None:
    X, y, weight = heavy_and_light_rows(tt.ThriftTreeClassifier)
    for fraction, tried in ((0.0, {1, 0.02}), (0.01, {1, 0.02}), (0.02, {1})):
        model = learner(tt.ThriftTreeClassifier, min_weight_fraction_leaf=fraction)
        model.fit(X, y, sample_weight=weight)
        assert set(model.cv_results_["min_leaf"]) == tried
