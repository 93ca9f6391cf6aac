"""From an outline to a finished tree: the one loop of growing, with a chooser that knows every test."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from thriftree import _core
from thriftree.learning import growth
from thriftree.learning.growth import Grown, Plan
from thriftree.learning.limits import Limits
from thriftree.learning.sample import Sample
from thriftree.methods.optimal.outline import Outline
from thriftree.table.encoded_table import EncodedTable


class OutlinedChooser:
    """A chooser that asks what an outline says."""

    def __init__(self, outline: Outline, table: EncodedTable) -> None:
        self._outline, self._table = outline, table

    def choose(self, node: _core.NodeView) -> _core.Choice | None:
        """The test of this place, none at a leaf."""
        test = self._outline.tests[self._outline.at([branch for _, branch in node.path])]
        if test is None:
            return None
        codes, _, _ = node.runs(test.column)
        goes = np.where(test.mask[codes], 0, 1).tolist()
        seen, missing = codes.tolist(), -1
        if seen[-1] == self._table.missing(test.column):
            seen, missing = seen[:-1], goes.pop()
        partition = _core.Partition(test.column, seen, goes, missing=missing)
        return _core.Choice(partition, score=0.0)


def finished(rows: Sample, plan: Plan, outline: Outline, n_threads: int = 1) -> Grown:
    """The tree of an outline whose every branch has rows. Nodes of one class are leaves. No limit holds: what
    was found is made.
    """
    rules = {**plan.rules, "max_depth": -1, "max_leaves": -1, "min_leaf_rows": 1, "min_leaf_share": 0.0}
    as_told = replace(
        plan,
        rules=rules,
        priors=None,
        prices=None,
        budget=None,
        table_parts={"chooser": lambda table: OutlinedChooser(outline, table)},
    )
    return growth.grow(rows, as_told, Limits(n_threads, None, None))
