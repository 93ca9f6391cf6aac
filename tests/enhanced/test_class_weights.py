"""Class weights count in D and in labels; B, E and the mass at which a node may stay go by sample weight."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import numpy as np
import pytest
from enhanced_models import as_learnt, fitted
from oracles.ngi_makers import one_of
from slow_and_fast import SCORES, Rows, assert_same_tree, random_rows
from thoroughness import tries

from thriftree import CARTClassifier, EnhancedTreeClassifier, TestCosts


def random_problem(seed: str, **parameters: int) -> Rows | None:
    """Rows with a weight for each class; None where they have one class only."""
    rng = Random(seed)
    rows = as_learnt(random_rows(rng, kinds=("threshold", "subset"), **parameters))
    weights = {label: one_of(rng, (0.25, 1.0, 2.0, 3.0, 7.0)) for label in range(rows.n_classes)}
    return replace(rows, class_weight=weights) if rows.n_classes > 1 else None


def of_one_class_each(rows: Rows) -> Rows:
    """Equal rows get the class of the first, so that no class weight changes an object's label."""
    first: dict[tuple[int, ...], int] = {}
    labels = [first.setdefault(tuple(c), label) for c, label in zip(rows.codes, rows.labels, strict=True)]
    return as_learnt(replace(rows, labels=labels))


def asked_by(model: object) -> tuple[list[int], list[float]]:
    core = model.tree_.core  # type: ignore[attr-defined]
    return core.column.tolist(), core.keys.tolist()


@pytest.mark.parametrize("name", SCORES)
def test_the_tree_is_the_slow_one(name: str) -> None:
    """With any θ. Leaves hold the weights of rows times those of their classes; prices are paid by rows."""
    n_tests = 0
    for seed in range(tries(40, 12)):
        rows = random_problem(f"class-{name}-{seed}", max_classes=4)
        if rows is None:
            continue
        assert rows.class_weight is not None
        weights = rows.weights or [1.0] * len(rows.labels)
        heavier = [w * rows.class_weight[label] for w, label in zip(weights, rows.labels, strict=True)]
        model = fitted(name, rows, class_weight=rows.class_weight)
        slow = rows.slow_tree(SCORES[name])
        reached = list(model.decision_path(rows.X()).toarray().astype(bool).T)
        assert_same_tree(replace(rows, weights=heavier), model.tree_.core, slow, reached)
        assert model.expected_cost_ == pytest.approx(float(slow.expected_price(rows.objects()[0])), rel=1e-12)
        n_tests += model.tree_.core.n_nodes - model.tree_.n_leaves
    assert n_tests > 20


@pytest.mark.parametrize("name", ["gini@0.0", "entropy@0.0", "impure_pairs", "weighted_pairs", "balance"])
def test_what_has_no_impurity_does_not_mind_class_weights(name: str) -> None:
    """B, E and the stop at θ: where labels stay, so do all tests."""
    for seed in range(tries(40, 15)):
        rows = random_problem(f"no impurity-{name}-{seed}")
        if rows is None:
            continue
        rows = of_one_class_each(rows)
        if rows.n_classes < 2:
            continue
        plain = fitted(name, rows)
        weighted = fitted(name, rows, class_weight={c: 1.0 + 2 * c for c in range(rows.n_classes)})
        assert asked_by(weighted) == asked_by(plain)
        assert weighted.tree_.core.weight.tolist() == plain.tree_.core.weight.tolist()
        assert weighted.expected_cost_ == plain.expected_cost_


@pytest.mark.parametrize("name", ["gini@1.0", "entropy@10.0", "gini@inf"])
def test_only_ratios_of_class_weights_matter(name: str) -> None:
    for seed in range(tries(30, 10)):
        rows = random_problem(f"ratios-{name}-{seed}")
        if rows is None:
            continue
        assert rows.class_weight is not None
        model = fitted(name, rows, class_weight=rows.class_weight)
        scaled = fitted(name, rows, class_weight={c: 64 * w for c, w in rows.class_weight.items()})
        assert asked_by(scaled) == asked_by(model)


@pytest.mark.parametrize("impurity", ["gini", "entropy"])
def test_an_infinite_trade_off_is_cost_benefit_cart_on_the_coalesced_rows(impurity: str) -> None:
    for seed in range(tries(40, 15)):
        rows = random_problem(f"cart-{impurity}-{seed}")
        if rows is None or "subset" in rows.kinds:
            continue
        of, _ = rows.objects()
        if len(set(of.labels)) < rows.n_classes:
            continue
        X = replace(rows, codes=[list(row) for row in of.codes]).X()
        cart = CARTClassifier(
            impurity=impurity,
            cost_benefit=True,
            costs=rows.costs(),
            min_mass=float(rows.theta),
            class_weight=rows.class_weight,
        )
        cart.fit(X, np.array(of.labels), sample_weight=[float(p) * len(of.p) for p in of.p])
        model = fitted(f"{impurity}@inf", rows, class_weight=rows.class_weight)
        assert asked_by(model) == asked_by(cart)


@pytest.mark.parametrize("trade_off", [0.0, 1.0, np.inf])
def test_thresholds_inside_ranges_of_values_are_found_as_by_a_full_scan(trade_off: float) -> None:
    """Many values, so that columns are counted in spans: the bounds must count classes as the score does."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(4000, 3))
    y = (X[:, 0] + 0.5 * X[:, 1] + rng.normal(size=4000) > 0.8).astype(int)
    words = {"trade_off": trade_off, "max_depth": 4, "min_mass": 0.01, "class_weight": {0: 1.0, 1: 6.0}}
    spans = EnhancedTreeClassifier(**words).fit(X, y)
    # To look for what is free takes a look at every value; here nothing is.
    every = TestCosts(np.ones(3), pay="each", free_first=True)
    scanned = EnhancedTreeClassifier(costs=every, **words).fit(X, y)
    assert asked_by(spans) == asked_by(scanned)
    assert spans.tree_.core.rows.tolist() == scanned.tree_.core.rows.tolist()
