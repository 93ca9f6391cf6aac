"""Random trees of one column of dates or the like, with values at and beside their cuts."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from hypothesis import strategies as st

from thriftree import Tree
from thriftree.columns import ColumnSchema, Temporal
from thriftree.document.write import column_of

KINDS: Final = {
    "date": Temporal("date"),
    "datetime": Temporal("datetime"),
    "zoned": Temporal("datetime", "Europe/Berlin"),
    "time": Temporal("time"),
    "duration": Temporal("duration"),
}
_DAY: Final = 86_400_000_000
_FIRST, _LAST = -719_162, 2_932_896  # days of the years 1 and 9999
RANGES: Final = {
    "date": (_FIRST, _LAST),
    "datetime": (_FIRST * _DAY, (_LAST + 1) * _DAY - 1),
    "zoned": (_FIRST * _DAY, (_LAST + 1) * _DAY - 1),
    "time": (0, _DAY - 1),
    "duration": (-(10**9) * _DAY + 1, 10**9 * _DAY - 1),
}


def ticks(kind: str) -> st.SearchStrategy[int]:
    """Whole numbers that stand for a value of one of KINDS."""
    return st.integers(*RANGES[kind])


def dated_tree(kind: str, seed: int, *, near: tuple[int, int] | None = None) -> tuple[Tree, list[int]]:
    """A tree of some cuts of the column "t", whole and half ones, and ticks at and beside them.

    ``near`` is the range of ticks, if not all that the kind has.
    """
    rng = np.random.default_rng(seed)
    first, last = near or RANGES[kind]
    centre = (
        int(rng.integers(first, last, endpoint=True)) if last - first < 2**62 else int(rng.integers(2**60))
    )
    spread = int(rng.choice([3, 10**3, 10**7, 10**12]))
    around = [
        min(max(centre + int(rng.integers(-spread, spread, endpoint=True)), first), last) for _ in range(6)
    ]
    halves = rng.choice([0.0, 0.5], len(around)).tolist()
    # One cut a tick: a learner has no cuts between which no value lies.
    of_tick = {tick: min(tick + half, float(last)) for tick, half in zip(around, halves, strict=True)}
    cuts = sorted(set(of_tick.values()))
    values = sorted({min(max(tick + beside, first), last) for tick in around for beside in (-2, -1, 0, 1, 2)})
    branches = int(rng.integers(2, 4))
    to = [int(branch) for branch in rng.integers(0, branches, len(cuts) + 1)]
    to[:branches] = [*range(branches)][: len(to)]
    branches = max(to) + 1
    test = {"column": 0, "kind": "ordered", "keys": cuts, "to": to, "missing": 0, "other": 0, "score": None}
    column = column_of(ColumnSchema("t", "number", temporal=KINDS[kind]))
    counted = {"rows": 1, "objects": 1, "weight": 1.0, "value": [1.0] * branches, "impurity": 0.0}
    leaves: list[dict[str, Any]] = [
        {**counted, "label": branch, "value": [float(k == branch) for k in range(branches)]}
        for branch in range(branches)
    ]
    root = {**counted, "label": 0, "test": test, "children": [*range(1, branches + 1)]}
    document = {
        "format": "thriftree-tree",
        "version": 1,
        "columns": [column],
        "classes": [*range(branches)],
        "nodes": [root, *leaves],
    }
    return Tree.from_dict(document), values


def tree_of_one_cut(kind: str, cut: float) -> Tree:
    """A tree that asks whether "t" is above the cut."""
    document = dated_tree(kind, 0)[0].to_dict()
    root, *leaves = document["nodes"]
    test = {**root["test"], "keys": [cut], "to": [0, 1]}
    document["nodes"] = [{**root, "test": test, "children": [1, 2]}, *leaves[:2]]
    return Tree.from_dict(document)
