"""Groups of a predictor's categories, and which two of them are most alike.

Two ways to keep them: intervals of ordered categories (the missing ones may float), and sets of unordered
ones. Both know the log p-value of every pair that may be merged, and after a merger find anew only those that
it changed.
"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from thriftree.learning.targets import Floats
from thriftree.methods.chaid.contingency import Statistic, log_p_values, pair_log_p, pair_tests

Members = list[list[int]]  # of each group: its categories, by their rows in the table, ascending
Size = tuple[float, float]  # rows and weight
_TIE = 1e-12  # relative: log p-values nearer than this are equal, and the first pair is taken
_BLOCK = 1 << 15  # pairs tested at once


@dataclass(frozen=True)
class Categories:
    """What is to be grouped: a row for each category seen at a node."""

    table: Floats  # [categories, classes]: sums of sample weight
    sizes: Floats  # [categories, 2]: rows and weight, of which a branch must have enough
    ordered: bool
    floating: bool  # ordered, but for the last, the missing values

    def __len__(self) -> int:
        return len(self.table)


def sums_of_groups(rows: Floats, members: Members) -> Floats:
    """The sum of each group's rows. Most groups are one row, which is not added to anything."""
    sums = rows[[group[0] for group in members]]
    for place, group in enumerate(members):
        if len(group) > 1:
            sums[place] = rows[group].sum(axis=0)
    return sums


def too_small(sizes: Floats, least: Size) -> NDArray[np.bool_]:
    """Which of these groups have fewer rows, or less weight, than they must."""
    return np.asarray((sizes < least).any(axis=1))


class Pair(NamedTuple):
    """Places of two groups, and the log p-value of the test between them: the larger, the more alike."""

    log_p: float
    a: int
    b: int


_NO_PAIR = Pair(-np.inf, 0, 0)


class Groups(ABC):
    """Groups of categories. The place of a group is good until the next merger.

    What takes time raises TimeoutError after `ends_at` (on time.monotonic), if it is given.
    """

    def __init__(
        self, categories: Categories, members: Members, statistic: Statistic, ends_at: float | None = None
    ) -> None:
        self.statistic = statistic
        self._ends_at = ends_at
        # By place; where a group was merged into another, there may be a gap: no members, and sums of 0.
        self._members = [list(group) for group in members]
        self._tables = sums_of_groups(categories.table, members)
        self._sizes = sums_of_groups(categories.sizes, members)

    @property
    def members(self) -> Members:
        """The groups, by their first category; a floating category that is alone comes last."""
        return sorted(filter(None, self._members))

    @property
    def table(self) -> Floats:
        """[groups, classes], in no special order."""
        return self._tables[[bool(group) for group in self._members]]

    def union(self, pair: Pair) -> tuple[int, ...]:
        """The categories of both groups."""
        return tuple(sorted(self._members[pair.a] + self._members[pair.b]))

    @abstractmethod
    def closest(self, below: Size | None = None) -> Pair:
        """The pair that is most alike; if a size is given, of those with a group below it. Its log p is -inf
        where no pair may be merged.
        """

    @abstractmethod
    def merge(self, pair: Pair) -> None:
        """Makes the two groups one."""

    @abstractmethod
    def bar(self, pair: Pair) -> None:
        """Never offers this pair again, until one of the two is merged with another."""

    def _look_at_clock(self) -> None:
        if self._ends_at is not None and time.monotonic() > self._ends_at:
            raise TimeoutError

    def _log_p(self, a: Floats, b: Floats) -> Floats:
        self._look_at_clock()
        return log_p_values(*pair_tests(a, b, self.statistic))

    def _add_to_first(self, pair: Pair) -> None:
        self._members[pair.a] = list(self.union(pair))
        self._tables[pair.a] += self._tables[pair.b]
        self._sizes[pair.a] += self._sizes[pair.b]


class Intervals(Groups):
    """Groups of neighbours in a row of categories. A floating category, the last, has no place in the row: it
    stays alone, as the last group, or joins any other.
    """

    def __init__(
        self, categories: Categories, members: Members, statistic: Statistic, ends_at: float | None = None
    ) -> None:
        super().__init__(categories, members, statistic, ends_at)
        self._alone = categories.floating and self._members[-1] == [len(categories) - 1]
        n = self._n_in_row
        self._next = self._log_p(self._tables[: n - 1], self._tables[1:n])  # of groups i and i + 1
        self._with_last = self._log_p(self._tables[:n], self._tables[n:]) if self._alone else np.empty(0)

    @property
    def _n_in_row(self) -> int:
        return len(self._members) - self._alone

    def closest(self, below: Size | None = None) -> Pair:  # noqa: D102
        log_p = np.concatenate([self._next, self._with_last])
        if not len(log_p):
            return _NO_PAIR
        n = self._n_in_row
        if below is not None:
            small = too_small(self._sizes, below)
            with_last = small[:n] | small[-1] if self._alone else np.empty(0, bool)
            log_p = np.where(np.concatenate([small[: n - 1] | small[1:n], with_last]), log_p, -np.inf)
        best = _first_of_best(log_p)
        a, b = (best, best + 1) if best < n - 1 else (best - (n - 1), n)
        return Pair(float(log_p[best]), a, b)

    def merge(self, pair: Pair) -> None:  # noqa: D102
        a, b = pair.a, pair.b
        self._add_to_first(pair)
        if b == self._n_in_row:
            self._alone, self._with_last = False, np.empty(0)
        else:
            self._next = _without(self._next, a)
            if self._alone:
                self._with_last = _without(self._with_last, b)
        del self._members[b]
        self._tables, self._sizes = _without(self._tables, b), _without(self._sizes, b)
        self._look_at_clock()
        changed = self._tables[a].tolist()
        for i in (a - 1, a):
            if 0 <= i < self._n_in_row - 1:
                other = self._tables[i if i < a else a + 1].tolist()
                low, high = (other, changed) if i < a else (changed, other)
                self._next[i] = pair_log_p(low, high, self.statistic)
        if self._alone:
            self._with_last[a] = pair_log_p(changed, self._tables[-1].tolist(), self.statistic)

    def bar(self, pair: Pair) -> None:  # noqa: D102
        log_p = self._next if pair.b < self._n_in_row else self._with_last
        log_p[pair.a] = -np.inf


class Sets(Groups):
    """Groups of any categories."""

    def __init__(
        self, categories: Categories, members: Members, statistic: Statistic, ends_at: float | None = None
    ) -> None:
        super().__init__(categories, members, statistic, ends_at)
        n = len(self._members)
        self._all = np.empty((n, n))  # of groups i and j, symmetric; -inf at gaps and on the diagonal
        height = max(1, _BLOCK // n)
        for top in range(0, n, height):
            rows = slice(top, top + height)
            self._all[rows] = self._log_p(self._tables[rows, None], self._tables[None])
        self._all[np.tri(n, dtype=bool)] = -np.inf
        np.maximum(self._all, self._all.T, out=self._all)
        self._best = self._all.max(axis=1)  # of each row of _all

    def closest(self, below: Size | None = None) -> Pair:  # noqa: D102
        best = self._best
        if below is not None:
            best = np.where(too_small(self._sizes, below), best, -np.inf)
        a = _first_of_best(best)
        b = _first_of_best(self._all[a])
        return Pair(float(self._all[a, b]), min(a, b), max(a, b))

    def merge(self, pair: Pair) -> None:  # noqa: D102
        a, b = pair.a, pair.b
        # Rows whose best was a or b must be searched again; for the others the new group may be better.
        stale = np.maximum(self._all[a], self._all[b]) >= self._best
        self._add_to_first(pair)
        self._members[b] = []
        self._tables[b] = self._sizes[b] = 0
        there = np.flatnonzero([bool(group) for group in self._members])
        log_p = np.full(len(self._all), -np.inf)
        log_p[there] = self._log_p(self._tables[a], self._tables[there])
        log_p[a] = -np.inf
        self._all[a] = self._all[:, a] = log_p
        self._all[b] = self._all[:, b] = -np.inf
        self._best = np.maximum(self._best, log_p)
        stale[[a, b]] = True
        self._best[stale] = self._all[stale].max(axis=1)

    def bar(self, pair: Pair) -> None:  # noqa: D102
        ends = [pair.a, pair.b]
        self._all[ends, ends[::-1]] = -np.inf
        self._best[ends] = self._all[ends].max(axis=1)


def _without(array: Floats, place: int) -> Floats:
    """The array without one entry, in its own memory: np.delete would take most of the time of a merger."""
    array[place:-1] = array[place + 1 :]
    return array[:-1]


def _first_of_best(log_p: Floats) -> int:
    best = log_p.max()
    return int(np.argmax(log_p >= best + _TIE * best)) if best > -np.inf else 0
