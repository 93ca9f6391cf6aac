"""What a fit says a tree costs is the mean over its rows, whatever the weights of classes and the rules."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from thriftree import (
    C45Classifier,
    CARTClassifier,
    CARTRegressor,
    EnhancedTreeClassifier,
    OptimalTreeClassifier,
)
from thriftree.costs import Group, Steps, TestCosts

LEARNERS: list[Any] = [
    CARTClassifier(max_depth=3, class_weight="balanced"),
    CARTClassifier(pruning="reduced_error", error_costs=[[0, 1, 2], [3, 0, 1], [1, 1, 0]]),
    C45Classifier(max_depth=4),
    EnhancedTreeClassifier(class_weight={0: 2.0, 1: 1.0, 2: 5.0}),
    OptimalTreeClassifier(max_depth=2, leaf_penalty=0.01, price_weight=0.01, class_weight="balanced"),
    CARTRegressor(max_depth=3),
]


@pytest.mark.parametrize("rules", ["once", "each", "delayed", "outcomes"])
@pytest.mark.parametrize("learner", LEARNERS, ids=lambda one: type(one).__name__)
def test_the_expected_cost_of_a_fit_is_the_mean_of_its_rows(learner: Any, rules: str) -> None:
    rng = np.random.default_rng(len(rules))
    X = rng.integers(0, 6, (90, 4)).astype(float)
    X[rng.random(X.shape) < 0.05] = np.nan
    y, weight = rng.integers(0, 3, 90), rng.random(90) * (rng.random(90) > 0.1)
    first = Steps(up_to=(2.5,), prices=(1.0, 4.0)) if rules == "outcomes" else 2.0
    costs = TestCosts(
        {0: first, 1: 3.0, 2: 0.5, 3: 1.25},
        groups={"set-up": Group(3.0, (1, 2))},
        pay="each" if rules == "each" else "once",
        delayed=(2, 3) if rules == "delayed" else (),
    )
    for table, given in ((X, None), (X, weight), (np.nan_to_num(X).astype(np.int64), weight)):
        model = learner.__class__(**{**learner.get_params(), "costs": costs}).fit(table, y, given)
        assert model.expected_cost_ == pytest.approx(model.tree_.expected_cost(table, given), rel=1e-12)
        assert model.worst_case_cost_ == model.tree_.worst_case_cost()
