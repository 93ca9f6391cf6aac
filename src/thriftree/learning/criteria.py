"""The criteria: what makes one test better than another.

`impurity=` takes a name of the registry below or a function of one's own. Such a function sees all candidate
tests of one column at one node at once, as sums of row weight per class, and gives each a score; the largest
score wins::

    def even_split(parent, branches, price):
        "parent[K], branches[C, V, K], price[C] -> score[C]: prefer branches of equal weight."
        return -branches.sum(axis=2).max(axis=1)

    CARTClassifier(impurity=even_split)

C candidates have V branches each, and K is the number of classes. For a numeric target K is 2: the sum of the
weights, and the sum of weight times target, measured from the middle of the target's range. Scores must not
be NaN. A Python function is much slower than a named criterion, which runs in the compiled core. A tree
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
    """A criterion the compiled core knows by name."""

    name: str
    target: TargetKind
    summary: str


# The core's registry is the only list: a criterion added there is offered here.
CRITERIA: dict[str, Criterion] = {
    name: Criterion(name, "numbers" if for_numbers else "classes", summary)
    for name, for_numbers, summary in _core.criteria()
}


def names_for(target: TargetKind) -> list[str]:
    """Names of the criteria that fit a kind of target, in the order of the registry."""
    return [criterion.name for criterion in CRITERIA.values() if criterion.target == target]


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
