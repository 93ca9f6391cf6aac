"""Thresholds of columns of many values are exact in parts, too: codes of ranges are counted, and those that
may hold the best threshold are opened.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from tables_in_parts import content, divided
from test_faults import Counting, Forgetful, Repeating
from thoroughness import tries

import thriftree as tt
from thriftree.distributed import agreement
from thriftree.distributed.local import LocalParts

N = 600


def measured(n: int = N, seed: int = 0, n_classes: int = 3):
    """Columns of many values: spread, crowded, of atoms, of neighbouring floats, whole, missing, of ties."""
    random = np.random.default_rng(seed)
    x = random.normal(size=n)
    X = pd.DataFrame(
        {
            "spread": x,
            "copy": 3 * x,
            "single": random.normal(size=n).astype(np.float32),
            "far": random.standard_cauchy(size=n) ** 9,
            "atoms": np.where(random.random(n) < 0.5, random.choice([-1.0, -0.0, 0.0, 2.0], n), x.round(4)),
            "close": 1 + random.integers(0, n, n) * np.spacing(1.0),
            "whole": random.integers(-(10**6), 10**6, n),
            "missing": np.where(random.random(n) < 0.2, np.nan, random.random(n)),
            "few": random.integers(0, 3, n) * 1.0,
            "kind": random.choice(list("uvw"), n),
        }
    )
    number = x + (X["missing"].fillna(0.7) > 0.6) + (X["far"] > 1) + random.normal(size=n) / 4
    label = np.digitize(number, np.linspace(-1, 2, n_classes + 1)[1:-1])
    label = np.where(random.random(n) < 0.1, random.integers(0, n_classes, n), label)
    return X, label, number.to_numpy()


CODES = [4, 30][: tries(2, 1)]


@pytest.fixture(params=CODES)
def coarse(request, monkeypatch):
    """Columns have few spans, of many values each."""
    monkeypatch.setattr(agreement, "_SPAN_CODES", request.param)


PRICES = dict(zip(measured(5)[0].columns, [3.0, 4.0, 1.0, 2.0, 1.0, 1.0, 5.0, 2.0, 1.0, 1.0], strict=True))
LEARNERS = {
    "gini": tt.CARTClassifier(max_leaves=14),
    "entropy": tt.CARTClassifier(impurity="entropy", max_depth=6, min_leaf=3),
    "misclassification": tt.CARTClassifier(impurity="misclassification", max_depth=4),
    "balanced": tt.CARTClassifier(class_weight="balanced", max_depth=5, min_leaf=0.02),
    "by price": tt.CARTClassifier(costs=PRICES, cost_benefit=True, max_leaves=9),
    "pruned by folds": tt.CARTClassifier(pruning="cost_complexity", alpha="cv", cv=2, random_state=0),
    "information": tt.ID3Classifier(max_depth=3),
    "numbers": tt.CARTRegressor(max_leaves=12),
    "numbers by depth": tt.CARTRegressor(max_depth=5, min_leaf=4),
    "ranked for its gain ratio": tt.C45Classifier(max_depth=3),
    "ranked for its objects": tt.EnhancedTreeClassifier(max_depth=3, trade_off=1.0),
}
WEIGHTS = {"equal": None, "unequal": np.random.default_rng(3).integers(1, 30, N) / 7}


@pytest.mark.parametrize("weights", [*WEIGHTS][-tries(2, 1) :])
@pytest.mark.parametrize("name", LEARNERS)
def test_the_tree_is_that_of_one_table_to_the_last_bit(coarse, name, weights):
    check(LocalParts, name, weights)


@pytest.mark.parametrize("name", ["gini", "numbers"])
def test_every_engine_opens_codes(engine, name):
    check(engine, name, "unequal")


def check(engine, name, weights):
    X, label, number = measured()
    model, weight = LEARNERS[name], WEIGHTS[weights]
    y = number if name.startswith("numbers") else label
    here = content(model.fit(X, y, sample_weight=weight))
    there = content(model.fit(engine(divided(X, y, weight, [100, 100, 450]))))
    assert len(here["nodes"]) > 3
    assert there == here


@pytest.mark.parametrize("seed", range(tries(30, 3)))
def test_random_tables_give_their_trees_in_parts(monkeypatch, seed):
    random = np.random.default_rng(seed)
    monkeypatch.setattr(agreement, "_SPAN_CODES", int(random.integers(4, 60)))
    X, label, number = measured(int(random.integers(300, 800)), seed, int(random.integers(2, 6)))
    cuts = sorted(random.integers(0, len(X), random.integers(0, 5)).tolist())
    for model, y in ((tt.CARTClassifier(), label), (tt.CARTRegressor(min_leaf=2), number)):
        here = content(model.fit(X, y))
        assert content(model.fit(LocalParts(divided(X, y, None, cuts)))) == here


def test_parts_that_forget_or_repeat_open_the_same(monkeypatch):
    monkeypatch.setattr(agreement, "_SPAN_CODES", 8)
    X, y, _ = measured()
    model = tt.CARTClassifier(max_leaves=10)
    here = content(model.fit(X, y))
    for parts in (Forgetful, Repeating):
        assert content(model.fit(parts(divided(X, y, None, [100])))) == here


OPENED_BY = ("value", "finer code", "extent")


class Weighed(Counting):
    """Keeps what each round brought, and how codes were opened."""

    def reduce(self, function, bring_together, *arguments):
        answer = super().reduce(function, bring_together, *arguments)
        if function.__name__ == "answer":
            self.log.append(answer.nbytes)
            self.log.extend(OPENED_BY[request.__getstate__()[5]] for request in arguments[-1].opens)
        return answer


def test_more_values_than_codes_of_two_bytes_take_two_rounds_a_level_of_four_megabytes():
    random, n = np.random.default_rng(0), 66_000
    X = pd.DataFrame(random.random((n, 4)), columns=list("abcd"))
    y = (X["a"] + X["b"] * X["c"] + random.normal(size=n) / 3 > 0.8).to_numpy()
    model = tt.CARTClassifier(max_leaves=30)
    here = content(model.fit(X, y))
    parts = Weighed(divided(X, y, None, [30_000, 30_001]))
    assert content(model.fit(parts)) == here
    sizes = [entry for entry in parts.log if isinstance(entry, int)]
    assert len(sizes) <= 2 * int(model.tree_.core.depths.max()) + 4
    assert max(sizes) <= 4 * 2**20


def test_codes_of_many_rows_are_opened_in_finer_codes_first():
    """Two codes of a column have too many rows each to be sent by value."""
    random, n = np.random.default_rng(1), tries(200_000, 60_000)
    X = random.normal(size=(n, 12))
    y = (X[:, 0] * X[:, 1] + random.normal(size=n) * 3 > 0).astype(int)
    model = tt.CARTClassifier(max_depth=2)
    here = content(model.fit(X, y))
    parts = Weighed(divided(X, y, None, [n // 3]))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(agreement, "_SPAN_CODES", 4)
        assert content(model.fit(parts)) == here
    assert {"value", "finer code"} <= set(parts.log)
    assert max(entry for entry in parts.log if isinstance(entry, int)) <= 4 * 2**20
