"""QUEST's part of the loop: a variable by tests, then a split of it in two."""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from sys import float_info
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from thriftree import _core
from thriftree.learning.leaf_rule import LeafRule
from thriftree.learning.limits import Limits
from thriftree.learning.targets import Floats
from thriftree.methods.gini import gini_decrease, gini_mass
from thriftree.methods.quest.selection import Variables, log_p_anova, log_p_chi2, log_p_levene, select
from thriftree.methods.quest.split import n_left
from thriftree.table.encoded_table import EncodedTable

_BLOCK: Final = 1 << 18  # values times classes that are worked out at once
_BYTES: Final = 80  # for each of them at most, in the arrays that are alive at a time
_SHARE: Final = 0.25  # of the memory that a fit may take; the rest is for its codes and its rows


class _Seen(NamedTuple):
    """What a node holds of a column; weights are those the tree grows by."""

    codes: NDArray[np.uint32]
    rows: NDArray[np.int64]
    weight: Floats  # [code, class]
    missing: Floats | None  # of each class, where the column is missing

    def where(self, some: NDArray[np.bool_]) -> _Seen:
        """Some of the values."""
        return _Seen(self.codes[some], self.rows[some], self.weight[some], self.missing)


class _SeenTogether(NamedTuple):
    """What a node holds of several columns, of their known values only; all can be tested."""

    columns: list[int]
    begin: NDArray[np.int64]  # the values of the i-th column are from begin[i] up to begin[i + 1]
    codes: NDArray[np.uint32]
    rows: NDArray[np.int64]
    weight: Floats  # [code, class]


class _Cuts(NamedTuple):
    """How an order of values may be cut in two."""

    allowed: NDArray[np.intp]  # numbers of values that may go left
    rare_left: NDArray[np.bool_]  # by number of values that go left, less 1: whether rare ones do, too


class SetRule(NamedTuple):
    """What sets of categories must keep to; None: they are free."""

    min_rows: int | None  # a category of fewer rows at a node is rare, and goes with the heavier side
    max_categories: int | None  # on the side of fewer

    def rare(self, rows: NDArray[np.int64], has_missing: bool) -> NDArray[np.bool_]:
        """Which categories of so many rows are rare: of two none, missing being one."""
        if self.min_rows is None or len(rows) + has_missing <= 2:
            return np.zeros(len(rows), dtype=np.bool_)
        return np.asarray(rows < self.min_rows)


class QuestChooser:
    """Chooses a variable by tests of significance, and divides its values by discriminant analysis.

    Tests count rows by their sample weight, without the factors of the classes, which are a matter of what
    errors cost and not of how much was seen. `class_factors` are those in the tree's weights.
    """

    def __init__(
        self,
        table: EncodedTable,
        alpha: float,
        class_factors: Floats | None,
        leaf_rule: LeafRule,
        sets: SetRule,
        limits: Limits,
    ) -> None:
        columns = range(len(table.columns))
        self._alpha = alpha
        self._class_factors = class_factors
        self._leaf_rule = leaf_rule
        self._sets = sets
        self.limits = limits
        memory_mb = inf if limits.memory_limit_mb is None else limits.memory_limit_mb
        self._fitting = memory_mb * 1e6 * _SHARE / _BYTES  # values times classes that fit
        self._categories = {j for j in columns if table.columns[j].kind == "category"}
        self._numbers = set(columns) - self._categories
        self._n_known = [table.n_known(j) for j in columns]
        self._n_known_of = np.array(self._n_known, np.int64)
        self._values_begin = np.concatenate([[0], np.cumsum(self._n_known_of)])
        self._all_values = np.empty(self._values_begin[-1])
        for j, values in enumerate(np.split(self._all_values, self._values_begin[1:-1])):
            values[:] = table.numbers(j)  # a binned number counts as the number of its bin
        self._total = 0.0  # weight of the root, the first node that is asked for

    def choose(self, node: _core.NodeView) -> _core.Choice | None:
        """The split of a node, or None if no column can be split. Raises TimeoutError and MemoryError at the
        limits.
        """
        if node.id == 0:
            self._total = node.weight
        look = _Looked(self, node)
        tested, log_p = look.most_significant()
        if not tested:
            return None
        for column, decided in select(tested, log_p, self._alpha, look.spreads):
            seen = look.at(column)
            assert seen is not None
            branch = self._branches(column, seen, look)
            if branch is not None:
                return _choice(column, seen, branch, score=min(-decided, float_info.max))
        return None

    def _branches(self, column: int, seen: _Seen, look: _Looked) -> NDArray[np.intp] | None:
        """The branch of every value of a column that is seen; None if it cannot be divided."""
        is_category = column in self._categories
        is_rare = np.zeros(len(seen.codes), dtype=np.bool_)
        if is_category:
            is_rare = self._sets.rare(seen.rows, seen.missing is not None)
        some_rare = bool(is_rare.any())
        placed = seen.where(~is_rare) if some_rare else seen
        if len(placed.codes) < 2 or np.count_nonzero(placed.weight.sum(axis=0)) < 2:
            return None
        order, scores = self._in_order(column, placed, look)
        most = self._sets.max_categories if is_category else None
        cuts = self._cuts(placed, seen.where(is_rare) if some_rare else None, order, most)
        if not len(cuts.allowed):
            return None
        n = int(cuts.allowed[np.argmin(np.abs(cuts.allowed - n_left(scores, placed.weight[order])))])
        branch = np.full(len(seen.codes), 0 if cuts.rare_left[n - 1] else 1, dtype=np.intp)
        of_placed = np.ones(len(placed.codes), dtype=np.intp)
        of_placed[order[:n]] = 0
        branch[~is_rare] = of_placed
        return branch

    def blocks(self, node: _core.NodeView, category: bool) -> list[list[int]]:
        """The node's columns of a kind, in groups that are worked out together."""
        kind = self._categories if category else self._numbers
        columns = [j for j in node.columns if j in kind] if kind else []
        n_rows, n_classes = node.rows, len(node.sums)
        most = min(_BLOCK, self._fitting)
        if n_rows * n_classes * len(columns) <= most:
            return [columns] if columns else []
        found: list[list[int]] = []
        room = 0.0
        for j in columns:
            size = min(self._n_known[j], n_rows) * n_classes
            if size > self._fitting:
                raise MemoryError(f"{size} sums of column {j} at a node, of {self._fitting:.0f} that fit")
            if not found or room < size:
                found.append([])
                room = most
            found[-1].append(j)
            room -= size
        return found

    def seen(self, node: _core.NodeView, column: int) -> _Seen | None:
        """None where the known values, or the classes that have them, are fewer than two."""
        return self._known(column, *node.runs(column))

    def _known(
        self, column: int, codes: NDArray[np.uint32], rows: NDArray[np.int64], weight: Floats
    ) -> _Seen | None:
        if len(codes) < 2:
            return None
        if codes[-1] < self._n_known[column]:
            return _Seen(codes, rows, weight, None)
        known = weight[:-1]
        if len(known) < 2 or np.count_nonzero(known.sum(axis=0)) < 2:
            return None
        return _Seen(codes[:-1], rows[:-1], known, weight[-1])

    def seen_of(self, node: _core.NodeView, columns: list[int]) -> _SeenTogether:
        """What can be tested of these columns."""
        begin, codes, rows, weight = node.runs_of(columns)
        length = np.diff(begin)
        last = codes[begin[1:] - 1]
        missing = last >= self._n_known_of[columns]
        if not missing.any() and (length > 1).all():
            return _SeenTogether(columns, begin, codes, rows, weight)
        kept, parts = [], []
        for i, j in enumerate(columns):
            part = slice(int(begin[i]), int(begin[i + 1]))
            one = self._known(j, codes[part], rows[part], weight[part])
            if one is not None:
                kept.append(j)
                parts.append(np.arange(begin[i], begin[i] + len(one.codes)))
        if not kept:
            return _SeenTogether([], np.zeros(1, np.int64), codes[:0], rows[:0], weight[:0])
        at = np.concatenate(parts)
        ends = np.cumsum([0, *map(len, parts)])
        return _SeenTogether(kept, ends, codes[at], rows[at], weight[at])

    def variables_of(self, seen: _SeenTogether, category: bool) -> Variables:
        """Columns of a kind as tests take them."""
        counts, lengths = self._counts(seen.weight), np.diff(seen.begin)
        if category:
            return Variables.categories(seen.columns, lengths, counts)
        at = seen.codes + np.repeat(self._values_begin[seen.columns], lengths)
        return Variables.numbers(seen.columns, lengths, counts, self._all_values[at])

    def _counts(self, weight: Floats) -> Floats:
        """The sample weight of each class at each value."""
        return weight if self._class_factors is None else weight / self._class_factors

    def _in_order(self, column: int, seen: _Seen, look: _Looked) -> tuple[NDArray[np.intp], Floats]:
        """The values of a column in the order that is cut, and their scores from 0 to 1, ascending."""
        if column in self._numbers:
            scores = look.values_of(column)
            if scores is None:
                alone = _SeenTogether(
                    [column], np.array([0, len(seen.codes)]), seen.codes, seen.rows, seen.weight
                )
                scores = self.variables_of(alone, category=False).values
            return np.arange(len(seen.codes)), scores
        scores = _core.discriminant_scores(seen.weight)
        order = np.argsort(scores, kind="stable")
        return order, scores[order]

    def _cuts(self, placed: _Seen, rare: _Seen | None, order: NDArray[np.intp], most: int | None) -> _Cuts:
        """Which numbers of values may go left, in this order: both branches keep what they must."""
        weight = np.cumsum(placed.weight.sum(axis=1)[order])
        rare_left = weight[:-1] >= weight[-1] - weight[:-1]

        def smaller_side(of: Callable[[_Seen], NDArray[Any]]) -> NDArray[Any]:
            """Of some figure of values, what the side has that has less of it."""
            up_to = np.cumsum(of(placed)[order])
            of_rare = 0 if rare is None else of(rare).sum()
            left = up_to[:-1] + np.where(rare_left, of_rare, 0)
            return np.asarray(np.minimum(left, up_to[-1] + of_rare - left))

        fits = smaller_side(lambda seen: seen.rows) >= self._leaf_rule.rows
        if self._leaf_rule.share > 0:
            least = self._leaf_rule.least_weight(self._total)
            fits &= smaller_side(lambda seen: self._counts(seen.weight).sum(axis=1)) >= least
        if most is not None:
            fits &= smaller_side(lambda seen: np.ones(len(seen.codes), np.int64)) <= most
        return _Cuts(np.flatnonzero(fits) + 1, rare_left)


class _Looked:
    """One node, looked at a block of columns at a time; what is kept of a block is a number for each column,
    and the sums of the last block.
    """

    def __init__(self, chooser: QuestChooser, node: _core.NodeView) -> None:
        self._chooser = chooser
        self._node = node
        self._kept: tuple[list[int], Variables | None] | None = None

    def most_significant(self) -> tuple[list[int], list[float]]:
        """The columns that can be tested, ascending, with log p by analysis of variance or chi-squared."""
        found = self._tested(False, log_p_anova) | self._tested(True, log_p_chi2)
        return sorted(found), [found[j] for j in sorted(found)]

    def spreads(self) -> tuple[list[int], list[float]]:
        """The columns of numbers, with log p by Levene's test."""
        found = self._tested(False, log_p_levene)
        return list(found), list(found.values())

    def values_of(self, column: int) -> Floats | None:
        """The values of a column of numbers, from 0 to 1; None if it was not in the last block."""
        variables = None if self._kept is None else self._kept[1]
        if variables is None or not len(variables.values):
            return None
        place = np.flatnonzero(variables.columns == column)
        return variables.values[variables.begin[place[0]] : variables.end[place[0]]] if len(place) else None

    def at(self, column: int) -> _Seen | None:
        """What the node holds of a column."""
        return self._chooser.seen(self._node, column)

    def _tested(self, category: bool, test: Callable[[Variables], Floats]) -> dict[int, float]:
        log_p: dict[int, float] = {}
        for block in self._chooser.blocks(self._node, category):
            self._chooser.limits.look()
            if self._kept is None or self._kept[0] != block:
                self._kept = None  # before the next is made
                seen = self._chooser.seen_of(self._node, block)
                variables = self._chooser.variables_of(seen, category) if seen.columns else None
                self._kept = (block, variables)
            variables = self._kept[1]
            if variables is not None:
                log_p |= zip(variables.columns.tolist(), test(variables).tolist(), strict=True)
        return log_p


def _choice(column: int, seen: _Seen, branch: NDArray[np.intp], score: float) -> _core.Choice:
    """Values go to these branches; missing values where both branches are purer for it."""
    left, right = seen.weight[branch == 0].sum(axis=0), seen.weight[branch == 1].sum(axis=0)
    missing = -1
    if seen.missing is not None:
        impurity_left = gini_mass(left + seen.missing) + gini_mass(right)
        impurity_right = gini_mass(left) + gini_mass(right + seen.missing)
        missing = 0 if impurity_left <= impurity_right * (1 + 1e-12) else 1
        left, right = (left + seen.missing, right) if missing == 0 else (left, right + seen.missing)
    partition = _core.Partition(column, seen.codes.tolist(), branch.tolist(), missing)
    return _core.Choice(partition, score, gini_decrease([left, right]))
