"""On tables too large for fractions every chosen test is still a best one: the formulas in numpy, per object.

Here nodes are counted by histogram or by sorted columns, and children got by subtraction from their parent.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from grow_oracle import IMPURITIES, KINDS, GrowProblem, branch_of_rows, rows_of_nodes
from numpy.typing import NDArray

from thriftree import _core

Floats = NDArray[np.float64]
NEAR = 1e-9


def benefit(
    labels: NDArray[Any], p: Floats, branch: NDArray[Any], theta: float, trade_off: float, impurity: str
) -> float:
    """B + E + λD of a test that sends the node's objects to these branches."""
    n_classes, n_branches = int(labels.max()) + 1, int(branch.max()) + 1
    counts = np.zeros((n_branches, n_classes))
    masses = np.zeros((n_branches, n_classes))
    np.add.at(counts, (branch, labels), 1)
    np.add.at(masses, (branch, labels), p)

    def pairs(of_class: Floats) -> float:
        return float((of_class.sum() ** 2 - (of_class**2).sum()) / 2)

    def weighed(by_class: Floats) -> float:
        return float(by_class.sum() * IMPURITIES[impurity](by_class / by_class.sum()))

    whole, mass = p.sum(), masses.sum(axis=1)
    largest = max(range(n_branches), key=lambda v: (counts[v].sum(), mass[v]))
    least = np.maximum(p, theta)
    open_ = whole > least * (1 + 1e-12)
    share = np.array([pairs(c) for c in counts]) / pairs(counts.sum(axis=0))
    left = share[branch] * np.maximum(mass[branch] - least, 0) / np.where(open_, whole - least, 1)
    efficiency = float((p * (1 - left))[open_].sum())
    discrimination = weighed(masses.sum(axis=0)) - sum(weighed(m) for m in masses)
    return float(whole - mass[largest]) + efficiency + trade_off * discrimination


def divisions(values: Floats, kind: str) -> Iterator[NDArray[Any]]:
    """The branches of every threshold, missing on either side, or the multiway split."""
    missing = np.isnan(values)
    known = np.unique(values[~missing])
    if kind == "multiway":
        codes = np.where(missing, len(known), np.searchsorted(known, values))
        yield np.unique(codes, return_inverse=True)[1]
        return
    for cut in known[:-1]:
        for side in (0, 1) if missing.any() else (0,):
            yield np.where(missing, side, values > cut).astype(int)
    if missing.any() and len(known):
        yield missing.astype(int)


def table(rng: np.random.Generator, n: int, n_values: int, weights: str) -> GrowProblem:
    """Three numbers and a category, all of which the classes depend on."""
    numbers = [rng.integers(0, n_values, n) / 4 if n_values < n else rng.permutation(n) / 4 for _ in range(3)]
    kind = rng.integers(0, 5, n).astype(np.int32)
    scale = numbers[0].max()
    labels = (2.2 * numbers[0] / scale + (numbers[1] > scale / 2) * rng.random(n) + (kind == 2)).astype(
        np.int32
    )
    numbers[2][rng.random(n) < 0.1] = np.nan
    weight = {
        "none": None,
        "uneven": 10.0 ** rng.uniform(-3, 3, n),
        "dominant": np.where(np.arange(n) == n // 2, 5.0 * n, 1.0 + rng.random(n)),
    }[weights]
    mask = [KINDS["threshold"]] * 3 + [KINDS["multiway"]]
    return GrowProblem(
        [*numbers, kind], [None, None, None, 5], labels, int(labels.max()) + 1, mask, weight=weight
    )


def objects_of(problem: GrowProblem) -> tuple[Floats, NDArray[Any], Floats, NDArray[Any]]:
    """Codes, heaviest class and mass of the rows that are equal, and each row's object."""
    codes = np.column_stack([np.nan_to_num(c.astype(float), nan=-1.0) for c in problem.columns])
    _, first, of_row = np.unique(codes, axis=0, return_index=True, return_inverse=True)
    of_row = of_row.reshape(-1)
    by_class = np.zeros((len(first), problem.n_classes))
    np.add.at(by_class, (of_row, problem.target), problem.weights())
    values = np.column_stack([c.astype(float) for c in problem.columns])[first]
    return values, by_class.argmax(axis=1), by_class.sum(axis=1) / problem.weights().sum(), of_row


def check(problem: GrowProblem, tree: _core.Tree, theta: float, trade_off: float, impurity: str) -> None:
    values, labels, p, of_row = objects_of(problem)
    for node, rows in enumerate(rows_of_nodes(problem, tree)):
        here = np.unique(of_row[rows])
        assert tree.objects[node] == len(here)
        pure = len(set(labels[here].tolist())) == 1
        if tree.column[node] < 0:
            assert pure or p[here].sum() <= theta * (1 + 1e-9)
            continue
        assert not pure
        best = max(
            benefit(labels[here], p[here], branch, theta, trade_off, impurity)
            for column, kind in enumerate(["threshold"] * 3 + ["multiway"])
            for branch in divisions(values[here, column], kind)
            if branch.max() > 0
        )
        by_row = branch_of_rows(problem, tree, node)
        branch_of_object = np.zeros(len(p), int)
        branch_of_object[of_row[rows]] = by_row[rows]
        chosen = benefit(labels[here], p[here], branch_of_object[here], theta, trade_off, impurity)
        assert chosen >= best * (1 - NEAR), f"node {node} of {len(here)} objects: {chosen} against {best}"


@pytest.mark.parametrize("weights", ["none", "uneven", "dominant"])
@pytest.mark.parametrize("theta", [0.0, 0.02])
@pytest.mark.parametrize(("n", "n_values"), [(700, 6), (500, 90), (330, 1000)])
def test_every_chosen_test_is_a_best_one(n: int, n_values: int, theta: float, weights: str) -> None:
    seed = [n, int(theta * 100), len(weights)]
    problem = table(np.random.default_rng(seed), n, n_values, weights)
    trade_off, impurity = (0.0, 1.0, 5.0)[sum(seed) % 3], ("gini", "entropy")[sum(seed) % 2]
    problem.criterion = impurity
    tree = problem.grow(score="enhanced", trade_off=trade_off, objects=True, min_mass=theta)
    assert tree.n_nodes > 10
    check(problem, tree, theta, trade_off, impurity)


def test_a_test_that_is_not_the_best_would_be_noticed() -> None:
    problem = table(np.random.default_rng(1), 300, 20, "uneven")
    tree = problem.grow(score="enhanced", trade_off=1.0, objects=True, min_mass=0.02)
    check(problem, tree, 0.02, 1.0, "gini")
    for trade_off, theta in ((0.5, 0.02), (1.0, 0.01)):
        with pytest.raises(AssertionError):
            check(problem, tree, theta, trade_off, "gini")
