"""The work that is compared: which task on which table against whom, and what is wanted of it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, Final

from benchmarks.optimal.tables import NUMERIC, OF_NUMBERS, TABLES

BINARY: Final = tuple(name for name in TABLES if name not in (*NUMERIC, *OF_NUMBERS))
CAP_S: Final = 60  # that a peer may take
QUICK_CAP_S: Final = 10
MOST_TIMES: Final = 2.5  # the time without prices, that prices may take


@dataclass(frozen=True)
class Work:
    """One line of the table of targets: a task on several tables."""

    name: str
    tables: tuple[str, ...]
    task: dict[str, Any]
    peers: tuple[str, ...]  # the fastest that finishes counts
    each: float  # times faster on each table where that peer takes more than 50 ms
    mean: float  # and in geometric mean
    aim: float  # of the mean

    def on(self, tables: Iterable[str]) -> Work:
        """The same task on these tables."""
        return replace(self, tables=tuple(tables))


def _depth(depth: int, tables: tuple[str, ...], each: float, mean: float, aim: float) -> Work:
    task = {"max_depth": depth, "leaf_penalty": 0.0}
    return Work(f"depth {depth}", tables, task, ("pystreed", "pydl85"), each, mean, aim)


def _penalty(penalty: float) -> Work:
    task = {"max_depth": 5, "leaf_penalty": penalty}
    some = ("spambase", "wdbc150", "heart", "correlated", "phishing", "bank")
    return Work(f"λ = {penalty:g}, depth 5", some, task, ("pystreed",), 20, 20, 40)


WORK: Final = (
    _depth(3, BINARY, 10, 20, 40),
    _depth(4, BINARY, 10, 30, 60),
    _depth(5, ("spambase", "heart", "correlated", "random", "phishing"), 5, 5, 10),
    *(_penalty(penalty) for penalty in (0.01, 0.005, 0.001)),
    Work(
        "λ = 0.01, any depth",
        ("heart", "phishing"),
        {"max_depth": None, "leaf_penalty": 0.01},
        ("imodels",),
        3,
        3,
        5,
    ),
    Work(
        "λ = 0.02, any depth, gosdt",
        ("heart", "phishing"),
        {"max_depth": None, "leaf_penalty": 0.02},
        ("gosdt",),
        50,
        50,
        50,
    ),
    Work(
        "all thresholds, depth 2",
        NUMERIC,
        {"max_depth": 2, "leaf_penalty": 0.0, "thresholds": "all"},
        ("pycontree",),
        5,
        5,
        20,
    ),
    Work(
        "all thresholds, depth 3",
        ("phoneme", "pima"),
        {"max_depth": 3, "leaf_penalty": 0.0, "thresholds": "all"},
        ("pycontree",),
        4,
        4,
        10,
    ),
    *(
        Work(
            f"cost-sensitive, depth {depth}",
            ("spambase", "bank", "wdbc150", "heart", "phishing", "correlated", "random"),
            {"max_depth": depth, "leaf_penalty": 0.0, "price_weight": 0.001},
            ("pystreed",),
            10,
            10,
            20,
        )
        for depth in (3, 4)
    ),
    *(
        Work(
            f"numbers, depth {depth}",
            OF_NUMBERS,
            {"max_depth": depth, "leaf_penalty": 0.0, "numbers": True},
            ("pystreed",),
            5,
            5,
            10,
        )
        for depth in (3, 4)
    ),
)
_SOME: Final = ("spambase", "heart", "correlated", "random", "phishing")
FIRST_TREE: Final = tuple(
    Work(
        f"first tree, depth {depth}",
        tables,
        {"max_depth": depth, "leaf_penalty": 0.0},
        ("licketysplit",),
        each=0,
        mean=0,
        aim=0,
    )
    for depth, tables in ((4, BINARY), (5, _SOME))
)
PRICED: Final = tuple(
    Work(
        f"with prices, depth {depth}",
        BINARY,
        {"max_depth": depth, "leaf_penalty": 0.002, "price_weight": 0.001},
        (),
        each=MOST_TIMES,
        mean=MOST_TIMES,
        aim=1.6,
    )
    for depth in (3, 4)
)
QUICK_TABLES: Final = frozenset({"spambase", "heart", "correlated", "phoneme", "pima"})
