"""QUEST's part of the loop: a variable by tests, then a split of it in two."""

from __future__ import annotations

from dataclasses import dataclass
from sys import float_info
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from thriftree import _core
from thriftree.learning.targets import Floats
from thriftree.methods.gini import gini_decrease, gini_mass
from thriftree.methods.quest.selection import Variables, select
from thriftree.methods.quest.split import n_left
from thriftree.table.encoded_table import EncodedTable

_BATCH: Final = 1 << 20  # values times classes that are worked out at once, to bound the memory


@dataclass(frozen=True)
class LeafRule:
    """What a branch must keep: so many rows, and such a share of the whole weight."""

    rows: int
    share: float


class _Seen(NamedTuple):
    """What a node holds of a column; weights are those the tree grows by."""

    codes: NDArray[np.uint32]
    rows: NDArray[np.int64]
    weight: Floats  # [code, class]
    missing: Floats | None  # of each class, where the column is missing


class QuestChooser:
    """Chooses a variable by tests of significance, and divides its values by discriminant analysis.

    Tests count rows by their sample weight, without the factors of the classes, which are a matter of what
    errors cost and not of how much was seen. `class_factors` are those in the tree's weights.
    """

    def __init__(
        self, table: EncodedTable, alpha: float, class_factors: Floats | None, leaf_rule: LeafRule
    ) -> None:
        columns = range(len(table.columns))
        self._alpha = alpha
        self._class_factors = class_factors
        self._leaf_rule = leaf_rule
        self._is_category = [schema.kind == "category" for schema in table.columns]
        # A binned number counts as the number of its bin.
        values = [table.numbers(j) for j in columns]
        self._n_known = [len(v) for v in values]
        self._values = np.concatenate(values)
        self._first_value = np.cumsum([0, *(len(v) for v in values[:-1])])
        self._total = 0.0  # weight of the root, the first node that is asked for

    def choose(self, node: _core.NodeView) -> _core.Choice | None:
        """The split of a node, or None if no column can be split."""
        if node.id == 0:
            self._total = node.weight
        seen = {j: found for j in node.columns if (found := self._seen(node, j)) is not None}
        if not seen:
            return None
        numbers = [self._numbers(seen, some) for some in self._batches(seen, category=False)]
        categories = [self._categories(seen, some) for some in self._batches(seen, category=True)]
        for column, log_p in select(numbers, categories, self._alpha):
            order, scores = self._in_order(column, seen)
            n = self._allowed(seen[column], order, n_left(scores, seen[column].weight[order]))
            if n is not None:
                return _choice(column, seen[column], order, n, score=min(-log_p, float_info.max))
        return None

    def _seen(self, node: _core.NodeView, column: int) -> _Seen | None:
        """None where the known values, or the classes that have them, are fewer than two."""
        codes, rows, weight = node.runs(column)
        if len(codes) < 2:
            return None
        if codes[-1] < self._n_known[column]:
            return _Seen(codes, rows, weight, None)
        known = weight[:-1]
        if len(known) < 2 or np.count_nonzero(known.sum(axis=0)) < 2:
            return None
        return _Seen(codes[:-1], rows[:-1], known, weight[-1])

    def _batches(self, seen: dict[int, _Seen], category: bool) -> list[list[int]]:
        """Columns of a kind, in groups that are worked out together: few large ones, or many small ones."""
        batches: list[list[int]] = []
        room = 0
        for j in seen:
            if self._is_category[j] != category:
                continue
            if room < seen[j].weight.size:
                batches.append([])
                room = _BATCH
            batches[-1].append(j)
            room -= seen[j].weight.size
        return batches

    def _numbers(self, seen: dict[int, _Seen], columns: list[int]) -> Variables:
        lengths = [len(seen[j].codes) for j in columns]
        codes = np.concatenate([seen[j].codes for j in columns])
        values = self._values[codes + np.repeat(self._first_value[columns], lengths)]
        return Variables.numbers(columns, lengths, self._counts(seen, columns), values)

    def _categories(self, seen: dict[int, _Seen], columns: list[int]) -> Variables:
        lengths = [len(seen[j].codes) for j in columns]
        return Variables.categories(columns, lengths, self._counts(seen, columns))

    def _counts(self, seen: dict[int, _Seen], columns: list[int]) -> Floats:
        """The sample weight of each class at each value, one column after the other."""
        weight = np.concatenate([seen[j].weight for j in columns])
        return weight if self._class_factors is None else weight / self._class_factors

    def _in_order(self, column: int, seen: dict[int, _Seen]) -> tuple[NDArray[np.intp], Floats]:
        """The values of a column in the order that is cut, and their scores from 0 to 1, ascending."""
        if not self._is_category[column]:
            return np.arange(len(seen[column].codes)), self._numbers(seen, [column]).values
        scores = _core.discriminant_scores(seen[column].weight)
        order = np.argsort(scores, kind="stable")
        return order, scores[order]

    def _allowed(self, seen: _Seen, order: NDArray[np.intp], n: int) -> int | None:
        """The split nearest to the first `n` values that leaves both branches what they must keep."""
        rows = np.cumsum(seen.rows[order])[:-1]
        fits = (rows >= self._leaf_rule.rows) & (seen.rows.sum() - rows >= self._leaf_rule.rows)
        if self._leaf_rule.share > 0:
            least = self._leaf_rule.share * self._total * (1 - 1e-12)
            weight = np.cumsum(self._counts({0: seen}, [0]).sum(axis=1)[order])
            fits &= (weight[:-1] >= least) & (weight[-1] - weight[:-1] >= least)
        allowed = np.flatnonzero(fits) + 1
        return int(allowed[np.argmin(np.abs(allowed - n))]) if len(allowed) else None


def _choice(column: int, seen: _Seen, order: NDArray[np.intp], n: int, score: float) -> _core.Choice:
    """The first `n` values in this order go left; missing values where both branches are purer for it."""
    branch = np.ones(len(order), dtype=np.intp)
    branch[order[:n]] = 0
    left, right = seen.weight[branch == 0].sum(axis=0), seen.weight[branch == 1].sum(axis=0)
    missing = -1
    if seen.missing is not None:
        impurity_left = gini_mass(left + seen.missing) + gini_mass(right)
        impurity_right = gini_mass(left) + gini_mass(right + seen.missing)
        missing = 0 if impurity_left <= impurity_right * (1 + 1e-12) else 1
        left, right = (left + seen.missing, right) if missing == 0 else (left, right + seen.missing)
    partition = _core.Partition(column, seen.codes.tolist(), branch.tolist(), missing)
    return _core.Choice(partition, score, gini_decrease([left, right]))
