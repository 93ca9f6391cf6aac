"""Scores of chosen trees, corrected for the choice: bootstrap bias correction.

The best of many measured scores is too high: the tree was taken because it is good, and because it was lucky
on the rows that measured it. So the whole choice is made again by bootstrap samples of those rows, and the
rows that a sample left out score what it chose (Tsamardinos, Greasidou and Borboudakis 2018;
docs/decisions/027).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from thriftree.learning.targets import Floats
from thriftree.tuning.measures import Metric
from thriftree.tuning.trials import Trial


@dataclass(frozen=True, eq=False)
class Corrected:
    """Of trees that were chosen."""

    scores: Mapping[Metric, Floats]  # what such choices are worth on rows that they have not seen
    compared: NDArray[np.intp]  # the trees that each was chosen among, itself with them


@dataclass(frozen=True, eq=False)
class Pool:
    """The trees that compete, each once, by rising price, and of equal prices by rising leaves.

    Trees of the same prices and leaves that score the same on the rows that every sample left out are one.
    """

    metric: Metric  # that decides
    trials: Sequence[Trial]
    trial: NDArray[np.intp]  # per tree: the trial it is of
    number: NDArray[np.intp]  # per tree: which of the trial's prunings it is
    bounds: Floats  # trees x (expected price, worst-case price, leaves)
    measured: Floats  # per tree: its score on all rows
    drawn: Floats  # trees x samples: its score on the sample, which chooses
    left: Floats  # trees x samples: its score on the rows left out, times their mass
    left_mass: Floats  # per sample

    @classmethod
    def of(cls, trials: Sequence[Trial], prices: Floats, metric: Metric) -> Pool:
        """Of all prunings of these trials, one trial after the other; `prices` has their expected and
        worst-case price and their leaves, `metric` is the score that counts.
        """
        tallies = [trial.tally for trial in trials]
        lengths = [len(trial.prunings) for trial in trials]
        left = np.concatenate([one.left for one in tallies])
        drawn = np.concatenate([one.drawn for one in tallies if one.drawn is not None])
        bounds, mass = rounded(prices), tallies[0].drawn_mass
        _, first = np.unique(np.hstack([bounds, np.round(left, 10)]), axis=0, return_index=True)
        score = np.divide(drawn[first], mass, out=np.zeros_like(drawn[first]), where=mass > 0)
        measured = np.concatenate([trial.fold_scores(metric).mean(axis=0) for trial in trials])
        return cls(
            metric,
            trials,
            np.repeat(np.arange(len(trials)), lengths)[first],
            np.concatenate([np.arange(length) for length in lengths])[first],
            bounds[first],
            np.round(measured[first], 10),
            np.round(score, 10),
            left[first],
            tallies[0].left_mass,
        )

    def corrected(self, prices: Floats) -> Corrected:
        """Of the trees of these prices and leaves, each taken as the best that is no more expensive, on
        average and at worst, and has no more leaves. A sample, too, takes the best of those; of equals both
        take the first.

        A corrected score is the measured one less what the choices of the samples lose on the rows left out
        against the tree itself: so it is free of the chance which rows were left out how often.
        """
        within = [np.flatnonzero(fits) for fits in self._fitting(prices)]
        own = np.array([some[np.argmax(self.measured[some])] for some in within])
        taken = np.array([some[np.argmax(self.drawn[some], axis=0)] for some in within])
        scores = {}
        for metric in self.trials[0].scores:
            found = self._left_out(metric, np.unique(np.append(taken, own)))
            if found is not None and found[1].any():
                left, mass = found
                lost = (left[own] - left[taken, np.arange(len(mass))]).sum(axis=1) / mass.sum()
                scores[metric] = self._measured(metric, own) - lost
        return Corrected(scores, np.array([len(some) for some in within]))

    def _fitting(self, prices: Floats) -> NDArray[np.bool_]:
        """Bounds x trees: whether the tree is within them."""
        within = self.bounds[np.newaxis] <= rounded(prices)[:, np.newaxis]
        return np.asarray(within.all(axis=2), dtype=np.bool_)

    def _measured(self, metric: Metric, trees: NDArray[np.intp]) -> Floats:
        """The scores of these on all rows."""
        places = zip(self.trial[trees], self.number[trees], strict=True)
        return np.array([self.trials[t].fold_scores(metric)[:, i].mean() for t, i in places])

    def _left_out(self, metric: Metric, trees: NDArray[np.intp]) -> tuple[Floats, Floats] | None:
        """`left` and `left_mass` by this metric, for these trees; None where what it takes was not kept."""
        if metric == self.metric:
            return self.left, self.left_mass
        left, mass = np.zeros_like(self.left), np.zeros_like(self.left_mass)
        for t in np.unique(self.trial[trees]):
            some = trees[self.trial[trees] == t]
            some = some[np.argsort(self.number[some])]  # by rising alpha
            found = self.trials[t].tally_of(metric, self.number[some])
            if found is None:
                return None
            left[some], mass = found.left, found.left_mass
        return left, mass


def never_falling(scores: Floats, prices: Floats) -> Floats:
    """Scores that never fall where all prices rise, as near to the given ones as can be: midway between the
    best of those no more expensive and the least of those no cheaper (isotonic regression of the least
    largest change).

    To be allowed to pay more does not make a choice worse, so where scores fall, luck had raised the one
    before. To leave out what comes after it would keep all of the luck.
    """
    no_dearer = (prices[:, np.newaxis] <= prices[np.newaxis]).all(axis=2)  # [i, j]: i costs no more than j
    most = np.where(no_dearer, scores[:, np.newaxis], -np.inf).max(axis=0)
    least = np.where(no_dearer, scores[np.newaxis], np.inf).min(axis=1)
    return np.asarray((most + least) / 2, dtype=np.float64)


def rounded(figures: Floats) -> Floats:
    """Prices are sums in various orders; what differs beyond ten digits does not differ."""
    return np.array([[float(f"{x:.10g}") for x in row] for row in figures.tolist()]).reshape(figures.shape)
