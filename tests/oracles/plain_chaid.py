"""CHAID by its definition, slowly: every set of categories is a tuple, every p-value comes from scipy.

It shares no code with the estimator. Multipliers are found by making all groupings and counting them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import combinations, pairwise
from math import inf
from typing import Any

import numpy as np
from scipy.stats import chi2_contingency

Group = tuple[int, ...]
Grouping = tuple[Group, ...]


def p_value(rows: Any, statistic: str = "pearson") -> float:
    """Of the test that the rows of a table of counts have one distribution."""
    table = np.asarray(rows, np.float64)
    table = table[:, table.sum(axis=0) > 0]
    if table.shape[0] < 2 or table.shape[1] < 2:
        return 1.0
    power = "pearson" if statistic == "pearson" else "log-likelihood"
    return float(chi2_contingency(table, correction=False, lambda_=power).pvalue)


def allowed(group: Group, scale: str, n: int) -> bool:
    """Whether these categories may share a group. A floating category is the last of the n."""
    if scale == "unordered":
        return True
    in_row = [i for i in group if not (scale == "floating" and i == n - 1)]
    return all(b == a + 1 for a, b in pairwise(in_row))


def groupings(n: int) -> Iterator[Grouping]:
    """Every way to group n things."""
    if n == 0:
        yield ()
        return
    for smaller in groupings(n - 1):
        yield (*smaller, (n - 1,))
        for i, group in enumerate(smaller):
            yield (*smaller[:i], (*group, n - 1), *smaller[i + 1 :])


@lru_cache
def multiplier(scale: str, n: int, n_groups: int) -> int:
    """In how many allowed ways n categories make that many groups, by making them all."""
    return sum(
        len(made) == n_groups and all(allowed(group, scale, n) for group in made) for made in groupings(n)
    )


def pairs_tried(scale: str, n: int) -> int:
    """The pairs that may be merged with n groups, n - 1, ..., 2; a floating category stays alone as long as
    it can.
    """
    total = 0
    for left in range(n, 1, -1):
        single = [(i,) for i in range(left)]
        total += sum(allowed(a + b, scale, left) for a, b in combinations(single, 2))
    return total


class PlainChaid:
    """The groups of one table [categories][classes]."""

    def __init__(self, table: Sequence[Sequence[float]], scale: str, statistic: str = "pearson") -> None:
        self.table = np.asarray(table, np.float64)
        self.n = len(self.table)
        self.scale = scale
        self.statistic = statistic

    def p(self, *groups: Group) -> float:
        """Of the test that these groups do not differ."""
        return p_value([self.table[list(group)].sum(axis=0) for group in groups], self.statistic)

    def pairs(self, made: Grouping) -> list[tuple[float, Group, Group]]:
        """What may be merged, with its p-value."""
        return [
            (self.p(a, b), a, b)
            for a, b in combinations(made, 2)
            if allowed(tuple(sorted(a + b)), self.scale, self.n)
        ]

    def kass(self, alpha_merge: float = 0.05, alpha_resplit: float | None = 0.05) -> Grouping:
        """The steps of Kass (1980)."""
        made: Grouping = tuple((i,) for i in range(self.n))
        divided: set[Group] = set()
        while True:
            pairs = [pair for pair in self.pairs(made) if tuple(sorted(pair[1] + pair[2])) not in divided]
            p, a, b = max(pairs, default=(0.0, (), ()))
            if p > alpha_merge:
                made = _without(made, a, b, tuple(sorted(a + b)))
                continue
            if alpha_resplit is None:
                return made
            p, a, b = min((half for group in made for half in self.halves(group)), default=(inf, (), ()))
            if p > alpha_resplit:
                return made
            compound = tuple(sorted(a + b))
            divided.add(compound)
            made = _without(made, compound, (), a, b)

    def halves(self, group: Group) -> list[tuple[float, Group, Group]]:
        """Every way to divide a compound of three or more categories in two, with its p-value."""
        found = []
        for size in range(1, len(group)) if len(group) > 2 else ():
            for a in combinations(group, size):
                b = tuple(i for i in group if i not in a)
                if a < b and allowed(a, self.scale, self.n) and allowed(b, self.scale, self.n):
                    found.append((self.p(a, b), a, b))
        return found

    def exhaustive(self) -> Grouping:
        """The stage of the smallest p-value on the way down to two groups."""
        made: Grouping = tuple((i,) for i in range(self.n))
        stages = [(self.p(*made), made)]
        while len(made) > 2:
            _, a, b = max(self.pairs(made))
            made = _without(made, a, b, tuple(sorted(a + b)))
            stages.append((self.p(*made), made))
        return min(stages)[1]

    def adjusted_p(self, made: Grouping, exhaustive: bool = False) -> float:
        """The p-value of a grouping, times its multiplier."""
        if len(made) < 2:
            return inf
        times = pairs_tried(self.scale, self.n) if exhaustive else multiplier(self.scale, self.n, len(made))
        return self.p(*made) * times


def _without(made: Grouping, a: Group, b: Group, *instead: Group) -> Grouping:
    return tuple(sorted([group for group in made if group not in (a, b)] + list(instead)))
