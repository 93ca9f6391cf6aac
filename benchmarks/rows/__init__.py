"""The rows of the table, a module each, loaded when asked for: not all need every library.

Each module has ``TITLE``, which may name ``{rows:,}``; ``ROWS``, the size at which the targets hold; and
``run(rows)``, which yields its measurements one by one. To add a row: such a module, and its name here.
"""

from __future__ import annotations

from importlib import import_module
from typing import Protocol, cast

from benchmarks.measurement import Lines

NAMES = (
    "exact",
    "mixed",
    "cpu_levels",
    "binned",
    "levels",
    "two_valued",
    "tall",
    "full_depth",
    "small",
    "regression",
    "predict",
    "frames",
    "streaming",
    "two_threads",
    "memory",
    "growth",
    "scaling",
    "distributed",
    "counting",
    "enhanced",
    "exact_scores",
    "trade_off_path",
    "worst_case",
    "msi",
    "choosers",
    "self_tuning",
    "soft",
    "report",
    "importing",
    "degenerate",
)


class Row(Protocol):
    """What a module of this folder offers."""

    TITLE: str
    ROWS: int

    def run(self, rows: int) -> Lines: ...


def load(name: str) -> Row:
    return cast(Row, import_module(f"benchmarks.rows.{name}"))
