"""What `frontier` returns: its trees, with what they score and cost."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import nan
from typing import TYPE_CHECKING, Any, Final, Protocol, TypeAlias, overload

import numpy as np
from numpy.typing import NDArray

from thriftree.costs.frozen_map import FrozenMap
from thriftree.tuning.frontier.choice import Bound, choose
from thriftree.tuning.frontier.correction import Pool, never_falling, rounded
from thriftree.tuning.frontier.listing import as_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from thriftree.tree import Tree

METRICS: Final = ("accuracy", "auc", "r2")
NOT_CORRECTED: Final = "scores as measured, not corrected for the choice among many trees: expect less"
Figures: TypeAlias = tuple[float, float, float, float]  # score, expected price, worst-case price, leaves


class Candidate(Protocol):
    """What has the figures that decide who is on the frontier."""

    def figures(self, metric: str) -> Figures:
        """Score by `metric`, expected price, worst-case price, leaves."""


@dataclass(frozen=True)
class FrontierPoint:
    """One tree, how it was made, and what it scores and costs on rows that did not grow it.

    A classifier has an accuracy and an AUC, a regressor an r2; the others are None. A tree that was not
    measured has none. These are corrected for the choice: the best of many measured scores is too high.
    """

    tree: Tree
    method: str
    settings: Mapping[str, Any]
    accuracy: float | None
    auc: float | None
    r2: float | None
    expected_cost: float
    worst_case_cost: float
    leaves: int
    measured: Mapping[str, float] = FrozenMap({})  # the scores as they were measured, by metric
    compared: int | None = None  # trees it is the best of: those no more expensive or larger; None: not known

    def __post_init__(self) -> None:
        object.__setattr__(self, "settings", FrozenMap(self.settings))
        scores = {metric: getattr(self, metric) for metric in METRICS}
        known = {metric: score for metric, score in scores.items() if score is not None}
        object.__setattr__(self, "measured", FrozenMap({**known, **self.measured}))

    def __setstate__(self, state: Mapping[str, Any]) -> None:
        """Pickles of a time when scores were not corrected lack what was measured: it is the scores."""
        self.__dict__.update(state)
        self.__post_init__()

    def figures(self, metric: str) -> Figures:
        """Score by `metric`, expected price, worst-case price, leaves."""
        score = getattr(self, metric)
        score = nan if score is None else float(score)
        return (score, self.expected_cost, self.worst_case_cost, float(self.leaves))

    def corrected(self, scores: Mapping[str, float], compared: int) -> FrontierPoint:
        """The same tree with these scores in place of the measured ones; it is the best of so many."""
        return replace(
            self,
            accuracy=scores.get("accuracy", self.accuracy),
            auc=scores.get("auc", self.auc),
            r2=scores.get("r2", self.r2),
            compared=int(compared),
        )

    def row(self) -> dict[str, Any]:
        """All but the tree: method, settings, and the figures that it has."""
        scores: dict[str, Any] = {}
        for metric in METRICS:
            if getattr(self, metric) is not None:
                scores |= {metric: getattr(self, metric), f"measured_{metric}": self.measured[metric]}
        if self.compared is not None:
            scores["compared"] = self.compared
        prices = {"expected_cost": self.expected_cost, "worst_case_cost": self.worst_case_cost}
        return {"method": self.method, **self.settings, **scores, **prices, "leaves": self.leaves}


@dataclass(frozen=True, eq=False, repr=False)
class Frontier(Sequence[FrontierPoint]):
    """The trees that no other tree beats, by rising expected price; made by `thriftree.frontier`.

    It is a sequence of `FrontierPoint`, it prints as a table, and it never changes.
    """

    points: tuple[FrontierPoint, ...]
    metric: str  # "accuracy", "auc" or "r2": the score that counted
    dominated: tuple[Figures, ...] = ()  # of the trees that another one beats: they are left out
    stopped_by: str | None = None  # the limit that ended the search
    corrected: tuple[str, ...] = ()  # the metrics whose scores are corrected for the choice among many trees

    @classmethod
    def among(
        cls,
        candidates: Iterable[Candidate],
        metric: str,
        stopped_by: str | None = None,
        finished: Callable[[Any], FrontierPoint] = lambda point: point,
    ) -> Frontier:
        """The frontier of these trees, of equals the first; `finished` makes a point of one that stays, if
        they are not points already.
        """
        everything = tuple(candidates)
        figures = np.array([one.figures(metric) for one in everything], dtype=np.float64).reshape(-1, 4)
        kept = unbeaten(figures)
        rest = np.delete(figures, kept, axis=0)
        points = tuple(finished(everything[i]) for i in kept)
        return cls(points, metric, tuple((a, b, c, d) for a, b, c, d in rest.tolist()), stopped_by)

    def corrected_by(self, pool: Pool) -> Frontier:
        """The same trees with corrected scores that never fall where prices rise, but for those that another
        one beats by these.
        """
        prices = np.array([point.figures(self.metric)[1:] for point in self.points])
        found = pool.corrected(prices)
        scores = {str(name): never_falling(values, rounded(prices)) for name, values in found.scores.items()}
        points = [
            point.corrected({name: float(values[i]) for name, values in scores.items()}, found.compared[i])
            for i, point in enumerate(self.points)
        ]
        kept = unbeaten(np.array([point.figures(self.metric) for point in points]))
        beaten = (self.points[i].figures(self.metric) for i in range(len(points)) if i not in kept)
        return replace(
            self,
            points=tuple(points[i] for i in kept),
            dominated=(*self.dominated, *beaten),
            corrected=tuple(scores),
        )

    @property
    def measured(self) -> bool:
        """Whether its trees have scores. At a limit there may have been no time for any: then it holds one
        tree that has none.
        """
        return any(getattr(point, self.metric) is not None for point in self.points)

    def __len__(self) -> int:
        return len(self.points)

    @overload
    def __getitem__(self, index: int) -> FrontierPoint: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[FrontierPoint, ...]: ...
    def __getitem__(self, index: int | slice) -> FrontierPoint | tuple[FrontierPoint, ...]:
        return self.points[index]

    def best(
        self,
        *,
        budget: float | None = None,
        max_worst_case: float | None = None,
        max_expected: float | None = None,
        max_leaves: int | None = None,
        min_accuracy: float | None = None,
        min_auc: float | None = None,
        min_r2: float | None = None,
    ) -> FrontierPoint:
        """The tree to take within these bounds: the one of the best score or, if a least score is asked for,
        the cheapest that reaches it.

        Parameters
        ----------
        budget, max_worst_case : float, optional
            What no row may pay more than. Both bound the worst case.
        max_expected : float, optional
            What a row may pay on average.
        max_leaves : int, optional
        min_accuracy, min_auc, min_r2 : float, optional
            The score to reach.

        Raises
        ------
        ValueError
            If no tree is within the bounds; it names the trees that come nearest.
        """
        bounds = [
            Bound("budget", "worst_case_cost", most=budget),
            Bound("max_worst_case", "worst_case_cost", most=max_worst_case),
            Bound("max_expected", "expected_cost", most=max_expected),
            Bound("max_leaves", "leaves", most=max_leaves),
            Bound("min_accuracy", "accuracy", least=min_accuracy),
            Bound("min_auc", "auc", least=min_auc),
            Bound("min_r2", "r2", least=min_r2),
        ]
        return choose(self.points, [bound for bound in bounds if bound.is_set], self.metric)

    def table(self) -> list[dict[str, Any]]:
        """A dict for each point: method, settings, scores, prices, leaves. `str(frontier)` prints them."""
        return [point.row() for point in self.points]

    def plot(self, ax: Axes | None = None) -> Axes:
        """Score against expected price, with matplotlib: see `thriftree.plot.plot_frontier`."""
        from thriftree.plot import plot_frontier

        return plot_frontier(self, ax)

    def __str__(self) -> str:
        lines = [as_text(self.table())]
        if self.measured and self.metric not in self.corrected:
            lines.append(NOT_CORRECTED)
        return "\n".join(lines)

    def __repr__(self) -> str:
        return f"<Frontier of {len(self)} trees by {self.metric}, {len(self.dominated)} others beaten>"


def unbeaten(figures: NDArray[np.float64]) -> list[int]:
    """Positions, by rising expected price, of the rows (score, expected price, worst-case price, leaves) that
    no other row beats: is as good in all four and better in one. Of equal rows the first stays.
    """
    worth = rounded(figures)
    worth[:, 1:] *= -1
    kept: list[int] = []
    # Sorted so that a row can be beaten only by an earlier one.
    for i in np.lexsort((np.arange(len(worth)), *-worth.T[::-1])):
        if not (worth[kept] >= worth[i]).all(axis=1).any():
            kept.append(int(i))
    return sorted(kept, key=lambda i: (figures[i, 1], *figures[i]))
