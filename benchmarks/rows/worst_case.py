"""What choosing by the worst outcome costs: worst-case trees against our CART, with as many leaves each."""

from __future__ import annotations

import numpy as np

from benchmarks import public_data
from benchmarks.answers import AnswerDiffersError
from benchmarks.clock import cpu_time
from benchmarks.data import Data, floats
from benchmarks.measurement import Lines, Measurement, as_much
from thriftree import CARTClassifier, HingedPairs, Pairs, Powers, WorstCaseTreeClassifier

TITLE = "worst-case trees and CART with as many leaves, encoding included, one thread"
ROWS = 200_000  # more than any of the public tables has
FLOAT_ROWS = 50_000
IMPURITIES = {"pairs": Pairs(), "powers 5": Powers(5), "hinged pairs, 0.1 %": HingedPairs(epsilon=0.001)}


def run(rows: int) -> Lines:
    yield from _against_cart("floats", floats(min(rows, FLOAT_ROWS), 50, 2))
    if public_data.folder() is None:
        yield Measurement("public tables", "our CART", remark=public_data.NOT_THERE)
        return
    for name in public_data.NAMES:
        yield from _against_cart(name, public_data.objects(name, rows))


def _against_cart(name: str, data: Data) -> Lines:
    weight = data.sample_weight
    full_cart = CARTClassifier(n_jobs=1).fit(data.X, data.y, sample_weight=weight)
    for words, impurity in IMPURITIES.items():
        full = WorstCaseTreeClassifier(impurity=impurity, n_jobs=1).fit(data.X, data.y, sample_weight=weight)
        _check_leaves_are_done(words, full, data)
        n_leaves = min(full.tree_.n_leaves, full_cart.tree_.n_leaves)
        ours = cpu_time(
            lambda impurity=impurity, n_leaves=n_leaves: WorstCaseTreeClassifier(
                impurity=impurity, max_leaves=n_leaves, n_jobs=1
            ).fit(data.X, data.y, sample_weight=weight)
        )
        theirs = cpu_time(
            lambda n_leaves=n_leaves: CARTClassifier(max_leaves=n_leaves, n_jobs=1).fit(
                data.X, data.y, sample_weight=weight
            )
        )
        work = f"{name}, {words}, {n_leaves:,} leaves"
        yield as_much(work, "our CART", ours.seconds, theirs.seconds, 1.2)


def _check_leaves_are_done(words: str, model: WorstCaseTreeClassifier, data: Data) -> None:
    """Counted from the rows, which are all different: the impurity of every leaf is 0."""
    leaf = np.unique(model.tree_.apply(data.X), return_inverse=True)[1]
    counts = np.zeros((leaf.max() + 1, data.y.max() + 1))
    np.add.at(counts, (leaf, data.y), 1)
    largest = model.impurity_.value(counts).max()
    if largest > 0:
        raise AnswerDiffersError(f"{words}: a leaf has an impurity of {largest}, not 0")
