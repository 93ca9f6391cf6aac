"""How `l2` is shared out among the numbers of a soft tree."""

from __future__ import annotations

from typing import Final

#: Of `l2` for gates of one column: a few weights overfit less than one for every column does, and a gate that
#: is to be a step needs a large one.
AXIS_SHARE: Final = 0.1


def gate_l2(l2: float, *, axis: bool) -> float:
    """Penalty of the gates' weights."""
    return l2 * AXIS_SHARE if axis else l2


def output_l2(l2: float, n_classes: int) -> float:
    """Penalty of what leaves hold: of classes it does not grow with their number, since it is the mean over
    them that counts, twice, so that two classes pay `l2` each. No classes: numbers.
    """
    return l2 * 2 / max(2, n_classes)
