"""What `impurity=` may be: what makes one test better than another.

It takes a name of the registry below or a function of one's own. Such a function sees all candidate
tests of one column at one node at once, as sums of row weight per class, and gives each a score; the largest
score wins::

    def even_split(parent, branches, price):
        "parent[K], branches[C, V, K], price[C] -> score[C]: prefer branches of equal weight."
        return -branches.sum(axis=2).max(axis=1)

    CARTClassifier(impurity=even_split)

C candidates have V branches each, and K is the number of classes. For a numeric target K is 2: the sum of the
weights, and the sum of weight times target, measured from the middle of the target's range. Scores must not
be NaN. A Python function is much slower than a name, which runs in the compiled core. A tree
grown by a function reports, and is pruned by, gini (classes) or squared error (numbers).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from thriftree import _core

TargetKind: TypeAlias = Literal["classes", "numbers"]
Scores: TypeAlias = NDArray[np.float64]
CriterionFunction: TypeAlias = Callable[[Scores, Scores, Scores], Scores]


@dataclass(frozen=True)
class Criterion:
    """An impurity the compiled core knows by name, or a score that can be named in its place."""

    name: str
    target: TargetKind
    summary: str
    stands_on: str  # the impurity that the tree reports and is pruned by


# The core's registries are the only lists: what is added there is offered here.
CRITERIA: dict[str, Criterion] = {
    name: Criterion(name, "numbers" if for_numbers else "classes", summary, name)
    for name, for_numbers, summary in _core.impurities()
}
CRITERIA |= {
    str(score["name"]): Criterion(
        str(score["name"]),
        CRITERIA[str(score["stands_on"])].target,
        str(score["summary"]),
        str(score["stands_on"]),
    )
    for score in _core.scores()
    if score["stands_on"]
}


def names_for(target: TargetKind) -> list[str]:
    """Names of all that fits a kind of target, in the order of the registries."""
    return [criterion.name for criterion in CRITERIA.values() if criterion.target == target]


def impurities_for(target: TargetKind) -> list[str]:
    """Names of the impurities that fit a kind of target: what a score may stand on."""
    return [name for name in names_for(target) if CRITERIA[name].stands_on == name]


def resolve(impurity: Any, target: TargetKind) -> str | CriterionFunction:
    """What the core takes for `impurity`: a registered name for this kind of target, or a function as it
    is.
    """
    if callable(impurity):
        function: CriterionFunction = impurity
        return function
    criterion = CRITERIA.get(impurity)
    if criterion is None or criterion.target != target:
        offered = ", ".join(map(repr, names_for(target)))
        raise ValueError(
            f"impurity={impurity!r} is not a criterion for {target}: give one of {offered}, or a function"
        )
    return criterion.name
