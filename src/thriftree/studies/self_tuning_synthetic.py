"""Paper 002's two made-up examples: one planted error (Figures 1 and 2), and overlapping blobs (3 to 6)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import astuple, dataclass
from typing import Any

import numpy as np
from sklearn.tree import DecisionTreeClassifier

from thriftree.studies.self_tuning_methods import TREATMENTS
from thriftree.studies.work import run_all
from thriftree.testing.msi_makers import overlapping_blobs, planted_error

CART = "sklearn ≥ 26"
LEARNERS = (*TREATMENTS, CART)
DEVIATIONS = tuple(np.linspace(2.5, 4.5, 41).tolist())  # the paper has 201
PLANTED = 100  # tables with one planted error


@dataclass(frozen=True)
class Blobs:
    """One learner on the tables of one number: averages over all standard deviations."""

    nodes: float
    depth: float
    accuracy: float


PAPER = {"MSI": Blobs(5.7, 2.2, 0.872), CART: Blobs(23, 4.8, 0.872)}


def learner(name: str) -> Any:
    """A treatment of MSI, or CART with the rows of a leaf that the paper found best."""
    if name == CART:
        return DecisionTreeClassifier(min_samples_leaf=26, random_state=0)
    return TREATMENTS[name].make(0)


def size(model: Any) -> tuple[int, int]:
    """Nodes and depth of one of these."""
    if isinstance(model, DecisionTreeClassifier):
        return int(model.tree_.node_count), int(model.get_depth())
    return int(model.tree_.n_nodes), int(model.tree_.depth)


def blobs(repeat: int) -> dict[str, list[Blobs]]:
    """What each learner makes of a table of each standard deviation; other rows test it."""
    found: dict[str, list[Blobs]] = {name: [] for name in LEARNERS}
    for number, deviation in enumerate(DEVIATIONS):
        seed = 2 * (repeat * len(DEVIATIONS) + number)
        X, y = overlapping_blobs(seed, deviation)
        X_test, y_test = overlapping_blobs(seed + 1, deviation)
        for name in LEARNERS:
            model = learner(name).fit(X, y)
            found[name].append(Blobs(*size(model), float(np.mean(model.predict(X_test) == y_test))))
    return found


def planted_sizes(name: str, n_tables: int = PLANTED) -> list[int]:
    """Nodes of a learner's trees on tables with a planted error. Three leave the error alone."""
    return [size(learner(name).fit(*planted_error(seed)))[0] for seed in range(n_tables)]


def report(repeats: int, jobs: int) -> Iterator[str]:
    """Both examples in words."""
    sizes = dict(zip(TREATMENTS, run_all(planted_sizes, list(TREATMENTS), jobs), strict=True))
    yield from _planted(sizes)
    yield ""
    yield from _blobs(run_all(blobs, range(repeats), jobs))


def _planted(sizes: dict[str, list[int]]) -> Iterator[str]:
    n_tables = len(sizes["MSI"])
    yield f"One planted error: {n_tables} tables of 100 points, two classes apart, one point wrong."
    yield "The paper's tree has three nodes: it does not model the error."
    yield ""
    yield f"  {'':<14}{'three nodes':>12}{'mean nodes':>12}{'most':>6}"
    for name, found in sizes.items():
        share = found.count(3) / n_tables
        yield f"  {name:<14}{share:>12.0%}{np.mean(found):>12.1f}{max(found):>6}"


def _blobs(found: Sequence[dict[str, list[Blobs]]]) -> Iterator[str]:
    n_tables = len(found) * len(DEVIATIONS)
    spread = f"{DEVIATIONS[0]} to {DEVIATIONS[-1]}"
    yield f"Gaussian blobs: {n_tables:,} tables, of standard deviation {spread}. Their distance and the"
    yield "number of rows, which the paper does not give, are such that CART has the paper's figures."
    yield "± is the standard deviation of the means at each standard deviation of the blobs (the paper: 0.3"
    yield "nodes for MSI, 3.9 for CART)."
    yield ""
    yield f"  {'':<14}{'nodes':>14}{'paper':>8}{'depth':>14}{'paper':>8}{'accuracy':>10}{'paper':>8}"
    for name in LEARNERS:
        # repeats x deviations x (nodes, depth, accuracy)
        values = np.array([[astuple(one) for one in of_repeat[name]] for of_repeat in found])
        mean, spread = values.mean(axis=(0, 1)), values.mean(axis=0).std(axis=0)
        cells = [f"{mean[0]:.1f} ± {spread[0]:.1f}", f"{mean[1]:.1f} ± {spread[1]:.1f}", f"{mean[2]:.3f}"]
        theirs = map(str, astuple(PAPER[name])) if name in PAPER else [""] * 3
        pairs = zip(cells, theirs, (14, 14, 10), strict=True)
        yield f"  {name:<14}{''.join(f'{cell:>{width}}{paper:>8}' for cell, paper, width in pairs)}".rstrip()
