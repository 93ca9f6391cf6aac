"""Sets of values of one column: what a branch lets pass, and what is left after several."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise
from math import inf
from typing import Any

Interval = tuple[float, float]


@dataclass(frozen=True)
class Values:
    """A set of values of one column.

    Number columns have `intervals`: ascending, apart, each open below and closed above (all begin with -inf
    included). Other columns have `codes`, and `other` for a value that the code book does not hold.
    """

    intervals: tuple[Interval, ...]
    codes: frozenset[int]
    missing: bool
    other: bool

    def __and__(self, more: Values) -> Values:
        both = ((max(a[0], b[0]), min(a[1], b[1])) for a in self.intervals for b in more.intervals)
        return Values(
            tuple((low, high) for low, high in both if low < high),
            self.codes & more.codes,
            self.missing and more.missing,
            self.other and more.other,
        )

    def __sub__(self, less: Values) -> Values:
        left = list(self.intervals)
        for low, high in less.intervals:
            left = [
                part
                for begin, end in left
                for part in ((begin, min(end, low)), (max(begin, high), end))
                if part[0] < part[1]
            ]
        return Values(
            tuple(left),
            self.codes - less.codes,
            self.missing and not less.missing,
            self.other and not less.other,
        )

    def __bool__(self) -> bool:
        return bool(self.intervals or self.codes or self.missing or self.other)


def union(sets: Iterable[Values]) -> Values:
    """Every value that is in one of the sets."""
    intervals: list[Interval] = []
    codes: set[int] = set()
    missing = other = False
    for values in sets:
        intervals += values.intervals
        codes |= values.codes
        missing, other = missing or values.missing, other or values.other
    merged: list[Interval] = []
    for low, high in sorted(intervals):
        if merged and low <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(high, merged[-1][1]))
        else:
            merged.append((low, high))
    return Values(tuple(merged), frozenset(codes), missing, other)


def all_values(column: dict[str, Any]) -> Values:
    """Every value that the column can have."""
    if column["kind"] == "number":
        return Values(((-inf, inf),), frozenset(), True, False)
    return Values((), frozenset(range(len(column["categories"]))), True, True)


def values_by_branch(node: dict[str, Any], column: dict[str, Any]) -> list[Values]:
    """For each branch of a node's test, the values that take it: a partition of `all_values(column)`."""
    test = node["test"]
    n_branches = len(node["children"])
    intervals: list[list[Interval]] = [[] for _ in range(n_branches)]
    codes: list[set[int]] = [set() for _ in range(n_branches)]
    if column["kind"] == "number":
        for interval, branch in zip(pairwise([-inf, *test["keys"], inf]), test["to"], strict=True):
            own = intervals[branch]
            if own and own[-1][1] == interval[0]:
                own[-1] = (own[-1][0], interval[1])
            else:
                own.append(interval)
    else:
        branch_of_code = dict(zip(test["keys"], test["to"], strict=False))
        for code in range(len(column["categories"])):
            if test["kind"] == "category":
                branch = branch_of_code.get(code, test["other"])
            else:
                branch = test["to"][bisect_left(test["keys"], code)]
            codes[branch].add(code)
    return [
        Values(
            tuple(intervals[branch]),
            frozenset(codes[branch]),
            test["missing"] == branch,
            column["kind"] != "number" and test["other"] == branch,
        )
        for branch in range(n_branches)
    ]


def missing_is_telling(document: dict[str, Any], node: dict[str, Any]) -> bool:
    """Whether missing values leave the heaviest branch, where everything goes that training never saw."""
    weights = [document["nodes"][child]["weight"] for child in node["children"]]
    return bool(node["test"]["missing"] != weights.index(max(weights)))
