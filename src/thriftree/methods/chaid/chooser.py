"""CHAID's part of the loop: at a node, the column whose groups differ most surely."""

from __future__ import annotations

from dataclasses import dataclass
from math import log

import numpy as np
from numpy.typing import NDArray

from thriftree import _core
from thriftree.methods.chaid.bounds import least_log_p
from thriftree.methods.chaid.groups import Categories
from thriftree.methods.chaid.merging import Grouping, Rules, group
from thriftree.methods.gini import gini_decrease
from thriftree.table.encoded_table import EncodedTable

Path = tuple[tuple[int, int], ...]  # (column, branch) from the root


@dataclass(frozen=True)
class SplitTest:
    """What decided a split."""

    column: int
    codes: list[int]  # seen at the node, ascending; the missing code too
    missing_seen: bool  # the last code is that of missing values
    grouping: Grouping  # its groups are positions in `codes`


class ChaidChooser:
    """Groups the categories of every column and takes the column of the smallest adjusted p-value.

    `tests` holds what decided each choice, by the path to its node.
    """

    def __init__(self, table: EncodedTable, rules: Rules, alpha_split: float) -> None:
        self.tests: dict[Path, SplitTest] = {}
        self._rules = rules
        self._log_alpha = log(alpha_split)
        self._ordered = [table.core.column(j).kind != "category" for j in range(len(table.columns))]
        self._missing = [table.missing(j) for j in range(len(table.columns))]

    def choose(self, node: _core.NodeView) -> _core.Choice | None:
        """The choice of a node, or none if no column's groups differ at the level asked for. Raises
        TimeoutError and MemoryError at the limits.
        """
        classes = node.sums > 0  # seen here
        columns = self._categories(node, classes)
        bounds = least_log_p([categories for _, _, categories in columns], self._rules)
        found: dict[int, SplitTest] = {}
        least = self._log_alpha
        # The most promising columns first: the others need not be grouped once they cannot win.
        for j in np.argsort(bounds, kind="stable"):
            if min(0.0, bounds[j]) > least + 1e-9 * abs(least):
                break
            column, codes, categories = columns[j]
            grouping = group(categories, self._rules)
            if grouping is None or min(0.0, grouping.log_adjusted) > self._log_alpha:
                continue
            least = min(least, grouping.log_adjusted)
            missing_seen = codes[-1] == self._missing[column]
            found[column] = SplitTest(column, codes, missing_seen, grouping)
        return self._choice(node, _first_of_least(found)) if found else None

    def _categories(
        self, node: _core.NodeView, classes: NDArray[np.bool_]
    ) -> list[tuple[int, list[int], Categories]]:
        """The columns that have two categories or more here, with their codes."""
        varying = node.columns
        if not varying:
            return []
        begin, codes, rows, sums = node.runs_of(varying)
        table = sums[:, classes]
        sizes = np.column_stack([rows, table.sum(axis=1)])
        found = []
        for column, first, end in zip(varying, begin[:-1].tolist(), begin[1:].tolist(), strict=True):
            if end - first > 1:
                ordered = self._ordered[column]
                floating = ordered and int(codes[end - 1]) == self._missing[column]
                part = Categories(table[first:end], sizes[first:end], ordered, floating)
                found.append((column, codes[first:end].tolist(), part))
        return found

    def _choice(self, node: _core.NodeView, test: SplitTest) -> _core.Choice:
        self.tests[tuple(node.path)] = test
        branch = np.empty(len(test.codes), np.int64)
        for number, members in enumerate(test.grouping.groups):
            branch[members] = number
        n_known = len(test.codes) - test.missing_seen
        missing = int(branch[-1]) if test.missing_seen else -1
        partition = _core.Partition(
            test.column, test.codes[:n_known], branch[:n_known].tolist(), missing=missing
        )
        _, _, sums = node.runs(test.column)
        groups = [sums[members].sum(axis=0) for members in test.grouping.groups]
        return _core.Choice(partition, score=test.grouping.log_worth, decrease=gini_decrease(groups))


def _first_of_least(found: dict[int, SplitTest]) -> SplitTest:
    """The test of the smallest adjusted p-value; of equals that of the first column."""
    best: SplitTest | None = None
    for column in sorted(found):
        log_p = found[column].grouping.log_adjusted
        if best is None or log_p < best.grouping.log_adjusted - 1e-12 * abs(best.grouping.log_adjusted):
            best = found[column]
    assert best is not None
    return best
