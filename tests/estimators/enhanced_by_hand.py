"""The scores of paper 000 the slow way: object by object, as the formulas are written."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from thriftree.costs import BoundCosts, PathState, TestCosts


def table(seed: int, n_rows: int = 60, n_classes: int = 3) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Few values, so that many rows are equal and some of those have different classes."""
    random = np.random.default_rng(seed)
    X = random.integers(0, 3, size=(n_rows, 4)).astype(float)
    y = (X[:, 0] + X[:, 1] + random.integers(0, 2, size=n_rows)).astype(int) % n_classes
    return X, y, random.integers(1, 6, size=n_rows) / 4


def questions(model: Any) -> list[Any]:
    core = model.tree_.core
    return [array.tolist() for array in (core.column, core.keys, core.children)]


@dataclass(frozen=True)
class Objects:
    """Distinct rows: their values, group (class, or bin of the target), weight, and sums of the target."""

    X: np.ndarray
    group: np.ndarray
    p: np.ndarray
    moments: np.ndarray | None = None  # per object: sum of weight * y, and of weight * y^2

    def __len__(self) -> int:
        return len(self.p)


def objects_of(X: np.ndarray, group: np.ndarray, weight: np.ndarray, y: np.ndarray | None = None) -> Objects:
    """Equal rows as one object, whose group is the heaviest, the first of equals."""
    values, row_of = np.unique(X, axis=0, return_inverse=True)
    row_of = row_of.ravel()
    by_group = np.zeros((len(values), group.max() + 1))
    np.add.at(by_group, (row_of, group), weight)
    moments = None
    if y is not None:
        moments = np.stack([np.bincount(row_of, weight * y), np.bincount(row_of, weight * y**2)], axis=1)
    return Objects(values, by_group.argmax(axis=1), by_group.sum(axis=1), moments)


def pairs(group: np.ndarray) -> float:
    counts = np.unique(group, return_counts=True)[1].astype(float)
    return float((counts.sum() ** 2 - (counts**2).sum()) / 2)


def balance(objects: Objects, branch: np.ndarray) -> float:
    """B: the weight outside the branch of most objects; of equals the heavier."""
    size = max((int((branch == v).sum()), objects.p[branch == v].sum()) for v in np.unique(branch))
    return float(objects.p.sum() - size[1])


def efficiency(objects: Objects, branch: np.ndarray, theta: float) -> float:
    """E, an object at a time. What it still has to do is (mass it must lose) x (pairs it must part)."""
    mass, phi = objects.p.sum(), pairs(objects.group)
    total = 0.0
    for i in range(len(objects)):
        least = max(objects.p[i], theta)
        if mass <= least:
            continue
        with_it = branch == branch[i]
        left = max(objects.p[with_it].sum() - least, 0.0) * pairs(objects.group[with_it])
        total += objects.p[i] * (1 - left / ((mass - least) * phi))
    return total


def impurity_times_mass(objects: Objects, impurity: str) -> float:
    """p(S) h(S); for numbers the squared error."""
    mass = objects.p.sum()
    if objects.moments is not None:
        first, second = objects.moments.sum(axis=0)
        return float(second - first**2 / mass)
    share = np.bincount(objects.group, objects.p) / mass
    share = share[share > 0]
    h = 1 - (share**2).sum() if impurity == "gini" else -(share * np.log2(share)).sum()
    return float(mass * h)


def part(objects: Objects, kept: np.ndarray) -> Objects:
    moments = None if objects.moments is None else objects.moments[kept]
    return Objects(objects.X[kept], objects.group[kept], objects.p[kept], moments)


def discrimination(objects: Objects, branch: np.ndarray, impurity: str) -> float:
    after = sum(impurity_times_mass(part(objects, branch == v), impurity) for v in np.unique(branch))
    return impurity_times_mass(objects, impurity) - after


def thresholds(objects: Objects, column: int) -> Iterator[np.ndarray]:
    """The branch of each object, for every cut of the column."""
    for cut in np.unique(objects.X[:, column])[:-1]:
        yield (objects.X[:, column] > cut).astype(int)


def inner_nodes(model: Any, objects: Objects, costs: TestCosts | None) -> Iterator[tuple[Any, ...]]:
    """For each test of the tree: the objects there, the branch each takes, the column, and the price of every
    column there.
    """
    core = model.tree_.core
    n_columns = objects.X.shape[1]
    names = [f"x{j}" for j in range(n_columns)]
    bound = BoundCosts.without_prices(names) if costs is None else costs.bind(names)
    reached = model.decision_path(objects.X).toarray().astype(bool)
    state = {0: PathState()}
    for node in range(core.n_nodes):
        column = int(core.column[node])
        if column < 0:
            continue
        children = core.children[core.child_begin[node] : core.child_begin[node + 1]]
        state.update(dict.fromkeys(children.tolist(), bound.visit(state[node], column)))
        here = np.flatnonzero(reached[:, node])
        branch = reached[np.ix_(here, children)].argmax(axis=1)
        prices = [bound.marginal(state[node], j) for j in range(n_columns)]
        yield part(objects, here), branch, column, prices
