"""Bootstrap samples of held-out rows: what trees score on a sample, and on the rows that it left out.

A score that decided a choice among many trees is too high for the tree that was chosen: some of it was
luck. So the choice is made again by the rows of a sample, and the rows that the sample left out score what
was chosen (Tsamardinos, Greasidou and Borboudakis 2018). Here are the samples, and the scores of all prunings
of a tree on each; trees are grown and led through their rows once, so that another choice takes sums alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import add
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from thriftree.learning.growth import Plan
from thriftree.learning.limits import Limits
from thriftree.learning.prunings import Prunings
from thriftree.learning.sample import Sample
from thriftree.learning.targets import Floats
from thriftree.tuning.auc import macro_aucs, parts_of_classes, shares_of_classes
from thriftree.tuning.measures import Held, Metric, shares

SAMPLES: Final = 200  # at most; at least a tenth
DRAWS: Final = 400_000  # rows of all samples together: where there are many rows, few samples tell enough
_BLOCK: Final = 2**19  # numbers that are worked on at a time

Times: TypeAlias = NDArray[np.uint8]  # rows x samples: how often the row is in the sample


@dataclass(frozen=True, eq=False)
class Resamples:
    """Samples with replacement of the rows that measure, as many rows each."""

    times: Times  # of the rows as they came to `fit`

    @property
    def n_samples(self) -> int:
        """How many there are."""
        return int(self.times.shape[1])

    @classmethod
    def of(cls, held: Sequence[Sample], plan: Plan, random: np.random.RandomState) -> Resamples | None:
        """Of the rows of all these parts; a row that several hold is in all or in none. None if there are too
        few rows to leave some out.
        """
        places = np.unique(np.concatenate([_places(rows) for rows in held]))
        n = len(places)
        if n < 2:
            return None
        n_samples = int(np.clip(DRAWS // (n * max(plan.n_classes - 1, 1)), SAMPLES // 10, SAMPLES))
        times = np.zeros((int(places[-1]) + 1, n_samples), dtype=np.uint8)
        for number in range(n_samples):
            drawn = np.bincount(random.randint(0, n, n, dtype=np.int64), minlength=n)
            times[places, number] = np.minimum(drawn, 255)
        return cls(times)

    def of_rows(self, rows: Sample) -> Times:
        """How often each of these is in the samples."""
        return self.times[_places(rows)]


def _places(rows: Sample) -> NDArray[np.intp]:
    """Where these are among the rows as they came to `fit`."""
    return np.arange(len(rows)) if rows.given is None else rows.given[1]


@dataclass(frozen=True, eq=False)
class Tally:
    """Scores of prunings on some rows, each as a sum over parts of the rows, and what to divide it by."""

    left: Floats  # prunings x samples: on the rows that the sample left out
    left_mass: Floats  # per sample
    drawn: Floats | None  # prunings x samples: on the rows of the sample; None: not asked for
    drawn_mass: Floats  # per sample; without meaning where `drawn` is None

    def __add__(self, other: Tally) -> Tally:
        drawn = None if self.drawn is None or other.drawn is None else self.drawn + other.drawn
        masses = self.left_mass + other.left_mass, self.drawn_mass + other.drawn_mass
        return Tally(self.left + other.left, masses[0], drawn, masses[1])


def sum_of(tallies: Sequence[Tally]) -> Tally:
    """Over the parts of the rows."""
    return reduce(add, tallies)


class _Kept(NamedTuple):
    """What the scores of a tree are worked out from."""

    tree: Prunings
    held: Held
    alphas: Floats  # of its prunings
    variance: float
    times: Times
    limits: Limits


@dataclass(frozen=True, eq=False)
class ResampledScores:
    """Prunings of a tree on resampled rows of one part."""

    tally: Tally  # by the metric that decides
    kept: _Kept | None  # for other metrics; None: there was no room

    @classmethod
    def of(
        cls,
        tree: Prunings,
        held: Held,
        deciding: Metric,
        alphas: Floats,
        variance: float,
        times: Times,
        limits: Limits,
    ) -> ResampledScores:
        """Of the tree pruned at each of the ascending alphas. Raises TimeoutError at the limit."""
        kept = _Kept(tree, held, alphas, variance, times, limits)
        return cls(tally(tree, held, deciding, alphas, variance, times, limits, drawn=True), kept)

    def tally_of(self, metric: Metric, some: NDArray[np.intp]) -> Tally | None:
        """The scores of these prunings on the rows left out, by another metric; None without room or time."""
        if self.kept is None:
            return None
        tree, held, alphas, variance, times, limits = self.kept
        try:
            return tally(tree, held, metric, alphas[some], variance, times, limits, drawn=False)
        except TimeoutError:
            return None


def tally(
    tree: Prunings,
    held: Held,
    metric: Metric,
    alphas: Floats,
    variance: float,
    times: Times,
    limits: Limits,
    *,
    drawn: bool,
) -> Tally:
    """The scores of `measures.scores` on the held rows that each sample left out and, if `drawn`, on those
    that it holds. `times` says how often. All rows of a part together weigh 1, so that parts count alike.
    Raises TimeoutError at the limit.
    """
    if metric == "auc":
        left, left_mass = _aucs(tree, held, alphas, times == 0, limits, by_class=True)
        if not drawn:
            return Tally(left, left_mass, None, left_mass)
        return Tally(left, left_mass, *_aucs(tree, held, alphas, times, limits, by_class=False))
    n_samples = times.shape[1]
    mass = _exact_product(held.counted[np.newaxis], times, drawn, limits)[0] / held.mass
    blocks = [_exact_product(some, times, drawn, limits) for some in _losses(tree, held, alphas, limits)]
    lost = np.concatenate(blocks) / held.mass
    if metric == "r2":
        lost = lost / variance if variance > 0 else np.where(lost > 0, mass, 0.0)
    gained = mass - lost
    left, left_mass = gained[:, :n_samples], mass[:n_samples]
    if not drawn:
        return Tally(left, left_mass, None, left_mass)
    return Tally(left, left_mass, gained[:, n_samples:], mass[n_samples:])


def _exact_product(values: Floats, times: Times, drawn: bool, limits: Limits) -> Floats:
    """Values x (rows that samples left out and, if `drawn`, as often as they hold them), the same to the last
    digit whatever multiplies matrices here: in whole numbers of a unit so large that no sum of them is
    rounded, some rows at a time, with a look at the limit before each.
    """
    n_rows, n_samples = times.shape
    answer = np.zeros((len(values), 2 * n_samples if drawn else n_samples))
    most = float(values.sum(axis=1).max(initial=0.0)) * max(float(times.max(initial=0)), 1.0)
    if most == 0:
        return answer
    unit = 2.0 ** (int(np.frexp(most)[1]) - 52)
    step = max(1, _BLOCK // answer.shape[1])
    for first in range(0, n_rows, step):
        limits.look()
        some = times[first : first + step]
        counts = np.hstack([some == 0, some]) if drawn else some == 0
        with limits.matrix_threads():
            answer += np.rint(values[:, first : first + step] / unit) @ counts.astype(np.float64)
    return answer * unit


def _losses(tree: Prunings, held: Held, alphas: Floats, limits: Limits) -> Iterator[Floats]:
    """Prunings x rows, in blocks of prunings: what the tree pruned at each alpha loses on each row."""
    core, n_rows = tree.grown.core, len(held.leaf)
    step = max(1, _BLOCK // n_rows)
    for first in range(0, len(alphas), step):
        some = alphas[first : first + step]
        block = np.empty((len(some), n_rows))
        for i, alpha in enumerate(some):
            limits.look()
            leaves = tree.leaves_at(float(alpha))
            # Nodes are in preorder, so the leaf that took a node's place is the last not after it.
            leaf = leaves[np.searchsorted(leaves, held.leaf, side="right") - 1]
            block[i] = held.losses_at(core, leaf)
        yield block


def _aucs(
    tree: Prunings, held: Held, alphas: Floats, times: NDArray[Any], limits: Limits, *, by_class: bool
) -> tuple[Floats, Floats]:
    """The area of each pruning on each sample, and what it weighs: 0 where the rows are of one class.
    `by_class`: over all samples together every class counts alike, though small samples may lack some.
    """
    whole = np.flatnonzero(tree.grown.core.column < 0)
    n_classes, n_samples = held.figures.shape[1], times.shape[1]
    counts = held.counted > 0
    rows = np.zeros((n_classes, n_samples), dtype=np.intp)
    np.add.at(rows, held.y[counts], times[counts].astype(np.intp))
    if by_class:
        part = parts_of_classes(rows, np.bincount(held.y[counts], minlength=n_classes)[:, np.newaxis])
    else:
        part = shares_of_classes(rows)
    # The weights in the leaves of the whole tree are counted once, and added up for prunings.
    cell = np.searchsorted(whole, held.leaf) * n_classes + held.y
    order = np.argsort(cell, kind="stable")
    starts = np.flatnonzero(np.diff(cell[order], prepend=-1))
    weight = np.zeros((len(whole) * n_classes, n_samples))
    weight[cell[order[starts]]] = np.add.reduceat(
        times[order] * held.counted[order, np.newaxis], starts, axis=0
    )
    before, in_leaf = whole, weight.reshape(len(whole), n_classes, n_samples)
    found = np.empty((len(alphas), n_samples))
    for i, alpha in enumerate(alphas):
        limits.look()
        leaves = tree.leaves_at(float(alpha))
        # Each pruning cuts the one before, and the leaves below a node follow each other.
        in_leaf = np.add.reduceat(in_leaf, np.searchsorted(before, leaves), axis=0)
        found[i] = macro_aucs(shares(tree, leaves), in_leaf, part)
        before = leaves
    return found, part.sum(axis=0)
