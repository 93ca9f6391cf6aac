"""What is certified of a tree: what it costs, what any tree costs at least, and which trees that means."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NoReturn

from thriftree.certificates.proved import Proved
from thriftree.costs.frozen_map import FrozenMap
from thriftree.search.exact import Objective
from thriftree.search.instance import Goal, TreeClass

_COSTS = {
    "worst_case": "costs at most {} on any path",
    "expected": "costs {} on average",
}
_LEAST = {
    "worst_case": "a path that costs at least {}",
    "expected": "an average price of at least {}",
}
_STOPPED = {"time_limit": "The time limit", "memory_limit": "The memory limit", "interrupt": "Ctrl-C"}
_BOUND = {
    "prices": "the prices, of which none is below 0",
    "knapsack": "how far each test can lower the impurity of all objects",
    "knapsack over nodes": "how far each test can lower the impurity of some node's objects",
    "pair": "the most expensive of the other objects that each object must be told from",
    "certificate": "the tests that tell each object from those it must be told from",
    "kraft": "how much the answers must tell, and what each test can",
    "blocks": "the cheapest trees for small sets of objects",
    "disjoint sets": "sets of objects of which one must be free of error",
    "average": "what such trees cost at least on average",
    "exact search": "the cheapest tree itself",
    "optimal tree search": "the cheapest tree of this shape, found by the search of optimal trees",
    "look-ahead": "every first test, and bounds on what is left after it",
}


@dataclass(frozen=True)
class Certificate:
    """How far a tree's price can be from the least possible, for the rows it was certified on.

    `lower_bound` holds for every tree on these features, whatever the form of its tests, that is of the class
    `trees`. `print` shows it in words.
    """

    objective: Objective
    trees: TreeClass
    class_of_trees: str  # in words
    lower_bound: float  # no tree of the class costs less
    reached: float  # what this tree costs
    ratio: float  # reached / lower_bound; inf if only the bound is 0
    bound: str  # which of `bounds` it is
    bounds: Mapping[str, float]  # all that were computed
    exact: bool  # the bound is the least price of any such tree
    factor: float | None  # how far from the best the greedy rule can be on any data; None: it says nothing
    notes: tuple[str, ...]  # what a reader has to know of the prices and rows
    # The bounds that a limit ended before their end, or kept from beginning; also "factor", and "coding", the
    # reading of the rows, without which there is no bound but 0.
    cut_short: tuple[str, ...] = ()
    stopped_by: str | None = None  # what did: "time_limit", "memory_limit" or "interrupt"

    def to_dict(self) -> dict[str, Any]:
        """All fields as values that JSON can hold, except that `ratio` may be infinite."""
        fields = {name: getattr(self, name) for name in self.__dataclass_fields__}
        lists = {"notes": list(self.notes), "cut_short": list(self.cut_short)}
        return {**fields, "bounds": dict(self.bounds), **lists}

    def __str__(self) -> str:
        least = _LEAST[self.objective].format(_amount(self.lower_bound))
        lines = [
            f"This tree {_COSTS[self.objective].format(_amount(self.reached))}.",
            f"Every tree {self.class_of_trees} has {least}.",
            self._verdict(),
            f"The bound comes from {_BOUND[self.bound]} ({self.bound}).",
        ]
        if self.exact and self.ratio > 1 and self.bound == "optimal tree search":
            lines.append("It cannot be raised: that tree costs no more.")
        elif self.exact and self.ratio > 1:
            lines.append("It cannot be raised: a tree with a branch for every value reaches it.")
        if self.factor is not None:
            lines.append(f"The greedy rule by itself promises at most {self.factor:.2f} times the least.")
        if self.stopped_by is not None:
            lines.append(f"{_STOPPED[self.stopped_by]} cut short: {', '.join(self.cut_short)}.")
        return "\n".join([*lines, *self.notes])

    def _verdict(self) -> str:
        if self.ratio == 1:
            return "So no such tree is cheaper."
        if self.ratio == float("inf") and self.exact:
            return "So another such tree may cost nothing."
        if self.ratio == float("inf"):
            return "So nothing is known of how much cheaper another could be."
        return f"So it costs at most {_times(self.ratio)} times the least possible."


def certificate_of(
    objective: Objective,
    goal: Goal,
    class_of_trees: str,
    proved: Proved,
    reached: float,
    factor: float | None,
    notes: tuple[str, ...],
) -> Certificate:
    """The certificate of a tree that costs `reached`, from the bounds proved."""
    lower = proved.lower
    if lower > reached * (1 + 1e-6):
        _refuse(goal, proved.best, lower, reached)
    if lower > reached * (1 - 1e-9):  # but for rounding it is the price of this tree
        lower = reached
    return Certificate(
        objective=objective,
        trees=goal.trees,
        class_of_trees=class_of_trees,
        lower_bound=lower,
        reached=reached,
        ratio=1.0 if lower == reached else float("inf") if lower == 0 else reached / lower,
        bound=proved.best,
        bounds=FrozenMap(proved.by_name),
        exact=proved.is_exact or lower == reached,  # which this tree costs
        factor=factor,
        notes=notes,
        cut_short=tuple(proved.cut_short),
        stopped_by=proved.stopped_by,
    )


def _refuse(goal: Goal, bound: str, lower: float, reached: float) -> NoReturn:
    """Raises for a bound above the price of a tree of its class."""
    contradiction = (
        f"by the bound {bound!r} no such tree costs less than {lower:g}, but this one costs {reached:g}"
    )
    if goal.trees == "tolerance":
        raise ValueError(
            f"the impurity is not monotone and supermodular: {contradiction}. Give an admissible one "
            "(thriftree.impurities), or certify without it"
        )
    raise RuntimeError(f"{contradiction}: this is an error in thriftree, please report it")


def _amount(price: float) -> str:
    return f"{price:.0f}" if price == round(price) else f"{price:.2f}"


def _times(ratio: float) -> str:
    """Rounded up, since the statement says at most."""
    return f"{-(-ratio * 100 // 1) / 100:.2f}"
