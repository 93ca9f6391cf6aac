"""A table in parts as one sequence of rows: their targets, and some of them as a table in parts."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from thriftree.distributed.part_rows import naming_the_part
from thriftree.distributed.parts import Parts, TablePart
from thriftree.learning.criteria import TargetKind
from thriftree.learning.sample import rows_at
from thriftree.learning.targets import MOST_FLOAT_CLASSES, AnyArray, Floats, one_target


@dataclass(frozen=True, eq=False)
class RowsOfParts:
    """The rows of all parts, one part after the other. Their targets come here when they are asked for."""

    parts: Parts

    @cached_property
    def _targets(self) -> list[tuple[AnyArray, Floats | None]]:
        return self.parts.map(_target)

    @cached_property
    def y(self) -> AnyArray:
        """The target of every row."""
        return np.concatenate([y for y, _ in self._targets if len(y)])

    @cached_property
    def weight(self) -> Floats | None:
        """The weight of every row; None: each weighs 1."""
        if all(weight is None for _, weight in self._targets):
            return None
        return np.concatenate([np.ones(len(y)) if weight is None else weight for y, weight in self._targets])

    def take(self, index: NDArray[np.intp]) -> Parts:
        """These rows, in the parts that they are in."""
        chosen = np.zeros(len(self.y), np.uint8)
        chosen[index] = 1
        ends = list(accumulate(len(y) for y, _ in self._targets))
        pieces = [np.packbits(piece) for piece in np.split(chosen, ends[:-1])]
        return self.parts.keep(_taken, pieces)


def _target(part: TablePart) -> tuple[AnyArray, Floats | None]:
    with naming_the_part(part):
        y = one_target(part.y, "a comparison")
        return y, None if part.weight is None else np.asarray(part.weight, np.float64)


def _taken(part: TablePart, chosen: list[NDArray[np.uint8]]) -> TablePart:
    y, weight = _target(part)
    rows = np.flatnonzero(np.unpackbits(chosen[part.index], count=len(y)))
    X = part.X if not len(y) else rows_at(part.X, rows)
    return replace(part, X=X, y=y[rows], weight=None if weight is None else weight[rows])


def kind_of_parts(parts: Parts) -> TargetKind:
    """What the targets of all parts most likely hold, see `kind_of_target`."""
    told = [one for one in parts.map(_kind) if one is not None]
    if not any(is_float for is_float, _, _ in told):
        return "classes"
    whole = all(whole for _, whole, _ in told)
    values = np.unique(np.concatenate([values for _, _, values in told]))
    return "classes" if whole and len(values) <= MOST_FLOAT_CLASSES else "numbers"


def _kind(part: TablePart) -> tuple[bool, bool, Floats] | None:
    """Whether numbers are floats, whether they are whole, and enough of the distinct ones to tell classes
    from numbers; None: no numbers.
    """
    y = _target(part)[0]
    if y.dtype.kind not in "iuf" or not len(y):
        return None
    values = np.unique(y.astype(np.float64))
    whole = bool((values == np.floor(values)).all())
    return y.dtype.kind == "f", whole, values[: MOST_FLOAT_CLASSES + 1]
