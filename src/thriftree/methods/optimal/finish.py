"""From an outline to a finished tree: the one loop of growing, with a chooser that knows every test."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from thriftree import _core
from thriftree.learning import growth
from thriftree.learning.growth import Grown, Plan
from thriftree.learning.limits import Limits
from thriftree.learning.sample import Sample
from thriftree.methods.optimal.outline import Outline
from thriftree.table.encoded_table import EncodedTable


class OutlinedChooser:
    """A chooser that asks what an outline says; the table has these of the outline's columns."""

    def __init__(self, outline: Outline, columns: Sequence[int], table: EncodedTable) -> None:
        self._outline, self._table = outline, table
        self._place = {column: place for place, column in enumerate(columns)}

    def choose(self, node: _core.NodeView) -> _core.Choice | None:
        """The test of this place, none at a leaf."""
        test = self._outline.tests[self._outline.at([branch for _, branch in node.path])]
        if test is None:
            return None
        column = self._place[test.column]
        codes, _, _ = node.runs(column)
        goes, missing = np.where(test.mask[codes], 0, 1), -1
        if codes[-1] == self._table.missing(column):
            missing = int(goes[-1])
            codes, goes = codes[:-1], goes[:-1]
        if self._table.core.column(column).kind == "ordered":  # the ends of intervals say it all
            ends = np.flatnonzero(np.diff(goes))
            named = np.unique([*ends, *(ends + 1), len(goes) - 1])
            codes, goes = codes[named], goes[named]
        partition = _core.Partition(column, codes.tolist(), goes.tolist(), missing=missing)
        return _core.Choice(partition, score=0.0)


def finished(rows: Sample, plan: Plan, outline: Outline, n_threads: int = 1) -> Grown:
    """The tree of an outline whose every branch has rows. Nodes of one class are leaves. No limit holds: what
    was found is made, with a look at the columns alone that it asks for.
    """
    rules = {**plan.rules, "max_depth": -1, "max_leaves": -1, "min_leaf_rows": 1, "min_leaf_share": 0.0}
    limits = Limits(n_threads, None, None)
    whole = growth.table_of(rows, plan, limits)
    columns = sorted({test.column for test in outline.asked}) or [0]
    as_told = replace(
        plan,
        rules=rules,
        priors=None,
        prices=None,
        budget=None,
        table_parts={"chooser": lambda table: OutlinedChooser(outline, columns, table)},
    )
    grown = growth.grow_on(whole.of_columns(columns), rows, as_told, limits)
    return replace(grown, core=_renumbered(grown.core, columns, len(whole.columns)), columns=whole.columns)


def _renumbered(core: _core.Tree, columns: Sequence[int], n_columns: int) -> _core.Tree:
    """The tree of a table that has these columns at these places."""
    tested = np.array([*columns, -1], dtype=np.int32)[core.column]  # -1, a leaf, stays
    arrays: dict[str, Any] = {**core.__getstate__(), "n_columns": n_columns, "column": tested}
    return _core.Tree.from_arrays(**arrays)
