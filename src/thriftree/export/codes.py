"""The values of each tested column as a few integers, for engines that look answers up in tables.

A code stands for all values of a column that no test of the tree tells apart by position: for a number column
the intervals between all of its cuts, for other columns the categories and "other"; the last code is missing.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import inf
from typing import Any

from thriftree.document.follow import MISSING, OTHER, Answer, branch_of


@dataclass(frozen=True)
class ColumnCodes:
    """The codes of one column. `cuts` are all cuts of a number column, ascending; code c stands for the
    values above cut c - 1 and up to cut c. For other columns `cuts` is empty and a code is a category's
    position.
    """

    position: int
    column: dict[str, Any]
    cuts: tuple[float, ...]

    @property
    def is_number(self) -> bool:
        """Whether the column holds numbers, not labels."""
        return bool(self.column["kind"] == "number")

    @cached_property
    def answers(self) -> tuple[Answer, ...]:
        """By code, an answer that stands for it."""
        if self.is_number:
            return (*self.cuts, inf, MISSING)
        return (*range(len(self.column["categories"])), OTHER, MISSING)

    @property
    def missing(self) -> int:
        """The code of a missing value."""
        return len(self.answers) - 1

    @property
    def other(self) -> int:
        """The code of a value that is not among the categories."""
        return len(self.answers) - 2

    def branches(self, test: dict[str, Any]) -> tuple[int, ...]:
        """The branch that each code takes at a test of this column."""
        return tuple(branch_of(test, answer) for answer in self.answers)


def codes_of(document: dict[str, Any]) -> list[ColumnCodes]:
    """The columns that the tree tests, in the order of the table."""
    cuts: dict[int, set[float]] = {}
    for node in document["nodes"]:
        if "test" in node:
            own = cuts.setdefault(node["test"]["column"], set())
            if document["columns"][node["test"]["column"]]["kind"] == "number":
                own.update(node["test"]["keys"])
    return [
        ColumnCodes(position, document["columns"][position], tuple(sorted(cuts[position])))
        for position in sorted(cuts)
    ]
