"""Random tables for the core and for the slow greedy builder, and a comparison of their trees."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from random import Random
from typing import Any, get_args

import numpy as np
from grow_oracle import KINDS, GrowProblem, rows_of_nodes
from numpy.typing import NDArray
from oracles.candidates import MISSING
from oracles.greedy import (
    Benefit,
    GreedyNode,
    Prices,
    enhanced,
    evenness,
    grow,
    separated_pairs,
    separated_pairs_by_weight,
)
from oracles.ngi import Instance, coalesce
from oracles.ngi_makers import below, one_of
from oracles.node_tests import Kind

from thriftree import TestCosts, _core

READ_AT_MOST = 8  # what read="auto" means


@dataclass(frozen=True)
class Score:
    """A score by the core's parameters and by its definition."""

    parameters: dict[str, Any]
    benefit: Benefit
    impurity: str = "gini"


def enhanced_score(trade_off: float, impurity: Any = "gini") -> Score:
    exact = trade_off if trade_off == math.inf else Fraction(trade_off)
    return Score({"score": "enhanced", "trade_off": trade_off}, enhanced(exact, impurity), impurity)


SCORES = {
    **{
        f"{impurity}@{trade_off}": enhanced_score(trade_off, impurity)
        for impurity in ("gini", "entropy")
        for trade_off in (0.0, 0.1, 1.0, 10.0, math.inf)
    },
    "impure_pairs": Score({"score": "impure_pairs"}, separated_pairs),
    "weighted_pairs": Score({"score": "impure_pairs", "weighted_pairs": True}, separated_pairs_by_weight),
    "balance": Score({"score": "balance"}, evenness),
}


@dataclass(frozen=True)
class Rows:
    """A table of codes with everything that decides its tree."""

    codes: list[list[int]]
    labels: list[int]
    n_classes: int
    weights: list[float] | None
    kinds: list[Kind]
    theta: Fraction
    own: list[Fraction]
    prices: Prices
    class_weight: dict[int, float] | None = None

    def objects(self) -> tuple[Instance, list[int]]:
        weights = self.weights or [1.0] * len(self.labels)
        return coalesce(self.codes, self.labels, weights, self.own, self.theta, self.class_weight)

    def slow_tree(self, score: Score) -> GreedyNode:
        return grow(self.objects()[0], self.kinds, score.benefit, self.prices)

    def X(self) -> Any:
        """The table for an estimator."""
        return np.where(np.array(self.codes) == MISSING, np.nan, np.array(self.codes, dtype=float))

    def parameters(self) -> dict[str, Any]:
        """What an estimator must be told beside its score."""
        categories = [j for j, kind in enumerate(self.kinds) if kind != "threshold"]
        return {
            "costs": self.costs(),
            "min_mass": float(self.theta),
            "categorical_features": categories,
        }

    def costs(self) -> TestCosts:
        prices = self.prices
        members = [
            [j for j in range(len(self.own)) if prices.group_of(j) == g] for g in range(len(prices.setup))
        ]
        return TestCosts(
            {j: float(price) for j, price in enumerate(self.own)},
            groups={
                f"group {g}": {"setup": float(prices.setup[g]), "members": columns}
                for g, columns in enumerate(members)
                if columns
            },
            pay="once" if prices.pay_once else "each",
            known=sorted(prices.known),
            asking=float(prices.asking),
            read={None: True, READ_AT_MOST: "auto"}[prices.read_at_most] if prices.read else False,
            free_first=prices.free_first,
        )

    def problem(self, score: Score | None = None) -> GrowProblem:
        """The same for the core; thresholds need numbers, all else categories."""
        score = score or SCORES["gini@1.0"]
        matrix = np.array(self.codes)
        columns: list[Any] = []
        n_categories: list[int | None] = []
        for column, kind in zip(matrix.T, self.kinds, strict=True):
            ordered = kind == "threshold"
            columns.append(
                np.where(column == MISSING, np.nan, column) if ordered else column.astype(np.int32)
            )
            n_categories.append(None if ordered else int(matrix.max()) + 1)
        rules = _core.PriceRules(
            [float(price) for price in self.own],
            [
                -1 if self.prices.group_of(j) is None else self.prices.group_of(j)
                for j in range(len(self.own))
            ],
            [float(price) for price in self.prices.setup],
            [j in self.prices.known for j in range(len(self.own))],
            self.prices.pay_once,
            float(self.prices.asking),
            self.prices.read,
            self.prices.free_first,
            **read_at_most(self.prices),
        )
        parameters = {
            **score.parameters,
            "objects": True,
            "min_mass": float(self.theta),
            "price_model": rules,
            "cost_benefit": self.prices.divide,
        }
        return GrowProblem(
            columns,
            n_categories,
            np.array(self.labels, np.int32),
            self.n_classes,
            [KINDS[kind] for kind in self.kinds],
            weight=None if self.weights is None else np.array(self.weights),
            criterion=score.impurity,
            parameters=parameters,
        )


def random_rows(
    rng: Random,
    *,
    max_rows: int = 26,
    max_columns: int = 4,
    max_codes: int = 6,
    max_classes: int = 4,
    kinds: Sequence[Kind] = get_args(Kind),
) -> Rows:
    """Few codes and so many equal rows and ties; missing values, weights, classes, prices and rules."""
    n_columns = 1 + below(rng, max_columns)
    n_codes = [2 + below(rng, max_codes - 1) for _ in range(n_columns)]
    missing = one_of(rng, (0.0, 0.0, 0.2))
    codes = [
        [MISSING if rng.random() < missing else below(rng, k) for k in n_codes]
        for _ in range(3 + below(rng, max_rows - 2))
    ]
    n_classes = 2 + below(rng, max_classes - 1)
    step = one_of(rng, (None, 1.0, 0.125))
    return Rows(
        codes,
        [below(rng, n_classes) for _ in codes],
        n_classes,
        None if step is None else [step * (1 + below(rng, 40)) for _ in codes],
        [one_of(rng, kinds) for _ in range(n_columns)],
        one_of(rng, (Fraction(0), Fraction(0), Fraction("0.05"), Fraction("0.13"), Fraction("0.2"))),
        [Fraction(one_of(rng, (1, 2, 5, 40)), 4) for _ in range(n_columns)],
        random_prices(rng, n_columns),
    )


def random_prices(rng: Random, n_columns: int) -> Prices:
    """Plain prices per test, or all rules together."""
    if rng.random() < 0.3:
        return Prices()
    group = tuple(one_of(rng, (None, 0, 0, 1)) for _ in range(n_columns))
    return Prices(
        group,
        (Fraction(below(rng, 8)), Fraction(3)),
        frozenset(j for j in range(n_columns) if rng.random() < 0.15),
        pay_once=rng.random() < 0.8,
        asking=one_of(rng, (Fraction(1, 64), Fraction(1, 2))),
        read=rng.random() < 0.7,
        free_first=rng.random() < 0.3,
        read_at_most=one_of(rng, (None, READ_AT_MOST)),
    )


def read_at_most(prices: Prices) -> dict[str, int]:
    """The parameter of the core's rules; none where any number is read."""
    return {} if prices.read_at_most is None else {"read_at_most": prices.read_at_most}


def assert_same_tree(
    rows: Rows,
    tree: _core.Tree,
    slow: GreedyNode,
    reached: Sequence[NDArray[np.bool_]] | None = None,
    *,
    classes: bool = True,
) -> None:
    """Node by node the same test, the same rows in each branch, and figures of all rows, not of objects.

    `reached` says of each node which rows come there; without it they are sent down the tree here. `classes`:
    the tree's nodes hold the weight of each class.
    """
    problem = rows.problem()
    _, object_of_row = rows.objects()
    reached = rows_of_nodes(problem, tree) if reached is None else reached
    sums = problem.sums()
    pairs = [(0, slow)]
    while pairs:
        node, other = pairs.pop()
        here = reached[node]
        objects = {object_of_row[row] for row in np.flatnonzero(here)}
        assert objects == other.objects, f"other rows at node {node}"
        assert (tree.rows[node], tree.objects[node]) == (here.sum(), len(objects))
        if classes:
            np.testing.assert_allclose(tree.value[node], sums[here].sum(axis=0), rtol=1e-12)
            assert tree.label[node] == sums[here].sum(axis=0).argmax()
        column = None if tree.column[node] < 0 else int(tree.column[node])
        assert column == other.column, f"another column at node {node}"
        if column is None:
            continue
        # Scores are in units of weight: what they are of the root's score has none.
        share = float(other.score) / float(slow.score) if slow.score else 0.0
        np.testing.assert_allclose(tree.score[node], share * tree.score[0], rtol=1e-9, atol=1e-12)
        children = tree.children[tree.child_begin[node] : tree.child_begin[node + 1]].tolist()
        if problem.n_categories[column] is not None:  # which of its parts comes first is no matter
            children.sort(key=lambda child: _first_row(reached[child]))
            other = replace(other, children=_by_first_row(other.children, object_of_row))
        assert len(children) == len(other.children)
        pairs += zip(children, other.children, strict=True)


def _first_row(reached: Any) -> int:
    return int(np.flatnonzero(reached)[0])


def _by_first_row(nodes: tuple[GreedyNode, ...], object_of_row: list[int]) -> tuple[GreedyNode, ...]:
    first_row = {i: row for row, i in reversed(list(enumerate(object_of_row)))}
    return tuple(sorted(nodes, key=lambda node: min(first_row[i] for i in node.objects)))
