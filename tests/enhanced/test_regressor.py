"""`EnhancedTreeRegressor`: the terms that count conflicts from bins of the target, D from squared errors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from random import Random

import numpy as np
import pytest
from oracles.greedy import Benefit, grow
from oracles.ngi import Cell, Instance, Number, balance, efficiency, mass
from slow_and_fast import Rows, assert_same_tree, random_rows
from thoroughness import tries

from thriftree import EnhancedTreeClassifier, EnhancedTreeRegressor
from thriftree.estimators.category_tests import FREE_SETS


def squared_error_score(values: Sequence[Fraction], trade_off: Fraction) -> Benefit:
    """B + E + λ·(2 / range²)·(SSE(S) - Σ SSE(S_v)), with each object's target."""
    spread = max(values) - min(values)

    def error(of: Instance, cell: Cell) -> Fraction:
        mean = sum(of.p[i] * values[i] for i in cell) / mass(of, cell)
        return sum((of.p[i] * (values[i] - mean) ** 2 for i in cell), Fraction(0))

    def benefit(of: Instance, cell: Cell, parts: Sequence[Cell]) -> Number:
        decrease = error(of, cell) - sum(error(of, part) for part in parts)
        both = balance(of, cell, parts) + efficiency(of, cell, parts)
        return both + trade_off * 2 * decrease / spread**2

    return benefit


def distinct_rows(rng: Random) -> Rows:
    """Every row is an object of its own; its class stands for a quarter of its target."""
    rows = random_rows(rng, kinds=("threshold", "subset"), max_classes=8)
    kept = list({tuple(codes): i for i, codes in enumerate(rows.codes)}.values())
    return replace(
        rows,
        codes=[rows.codes[i] for i in kept],
        labels=[rows.labels[i] for i in kept],
        weights=None if rows.weights is None else [rows.weights[i] for i in kept],
    )


@pytest.mark.parametrize("trade_off", ["0", "1", "10"])
def test_the_tree_is_the_slow_one(trade_off: str) -> None:
    n_tests, n_tables = 0, tries(40, 25)
    for seed in range(n_tables):
        rows = distinct_rows(Random(f"{trade_off}-{seed}"))
        if len(set(rows.labels)) < 2:
            continue
        of, _ = rows.objects()
        y = np.array(rows.labels) / 4
        model = EnhancedTreeRegressor(trade_off=float(trade_off), **FREE_SETS, **rows.parameters())
        model.fit(rows.X(), y, sample_weight=rows.weights)
        score = squared_error_score([Fraction(label, 4) for label in of.labels], Fraction(trade_off))
        slow = grow(of, rows.kinds, score, rows.prices)
        reached = list(model.decision_path(rows.X()).toarray().astype(bool).T)
        assert_same_tree(rows, model.tree_.core, slow, reached, classes=False)
        assert model.expected_cost_ == pytest.approx(float(slow.expected_price(of)), rel=1e-12)
        n_tests += sum(node.column is not None for node in slow.nodes())
    assert n_tests > 2.5 * n_tables


def test_a_target_of_two_values_gives_the_classifiers_tree() -> None:
    for seed in range(40):
        rows = distinct_rows(Random(seed))
        y = np.array(rows.labels) % 2
        if len(set(y.tolist())) < 2:
            continue
        parameters = rows.parameters()
        trees = [
            model.fit(rows.X(), target, sample_weight=rows.weights).tree_.core
            for model, target in (
                (EnhancedTreeClassifier(**parameters), y),
                (EnhancedTreeRegressor(**parameters), y.astype(float)),
            )
        ]
        assert trees[0].column.tolist() == trees[1].column.tolist()
        assert trees[0].keys.tolist() == trees[1].keys.tolist()
