"""Linear leaves: which columns a leaf's model may read, what nodes lose with models, and the models."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from thriftree import _core
from thriftree.columns import ColumnSchema, is_plain_number
from thriftree.costs import TestCosts
from thriftree.document.leaf_models import LeafModel
from thriftree.learning.growth import Grown, leaves
from thriftree.learning.limits import Limits
from thriftree.learning.sample import Sample
from thriftree.learning.targets import Floats
from thriftree.table.column_values import floats


@dataclass(frozen=True)
class LeafReading:
    """What the models of leaves may read of a table: numbers, but no categories, dates or times."""

    columns: tuple[int, ...]  # the plain numbers of the table, ascending
    free: frozenset[int] = frozenset()  # those that every leaf may read
    any_column: bool = True  # else a leaf reads what its path asks, and free columns

    @classmethod
    def of(
        cls, columns: Sequence[ColumnSchema], costs: TestCosts | None, *, asked_only: bool = False
    ) -> LeafReading:
        """With prices a leaf reads what its path has paid for and known columns, so that it is free; the same
        where a budget bounds the questions (`asked_only`). Else it reads every number.
        """
        numbers = tuple(j for j, column in enumerate(columns) if is_plain_number(column))
        if costs is None:
            return cls(numbers, any_column=not asked_only)
        known = np.flatnonzero(costs.bind(columns).known).tolist()
        return cls(numbers, frozenset(known), any_column=False)

    def below(self, asked: frozenset[int]) -> LeafReading:
        """The same for a part of a tree, whose path has asked for these columns."""
        return replace(self, free=self.free | asked)

    def allowed(self, core: _core.Tree) -> NDArray[np.uint8] | None:
        """Nodes x `columns`: which a node's model may read; None: all."""
        if self.any_column:
            return None
        place = {column: i for i, column in enumerate(self.columns)}
        allowed = np.zeros((core.n_nodes, len(self.columns)), dtype=np.uint8)
        allowed[0, [place[j] for j in sorted(self.free) if j in place]] = 1
        for node, (above, column) in enumerate(
            zip(core.parent.tolist(), core.column[core.parent].tolist(), strict=True)
        ):
            if above >= 0:
                allowed[node] = allowed[above]
                if column in place:
                    allowed[node, place[column]] = 1
        return allowed

    def values(self, rows: Sample) -> Floats:
        """Rows x `columns`: the numbers, NaN where they are missing."""
        matrix = np.empty((len(rows), len(self.columns)), dtype=np.float64)
        for i, column in enumerate(self.columns):
            matrix[:, i] = floats(rows.codes.column_values(column))
        return matrix


@dataclass(frozen=True, eq=False)
class NodeLosses:
    """Penalties x nodes: the squared error of each node as a leaf with a model, summed over its rows."""

    training: Floats  # of the rows that make the models
    held: Floats  # of other rows
    extra: NDArray[np.int64]  # by node: the columns that only its model asks for, a question more each


def node_losses(
    grown: Grown,
    training: Sample,
    held: Sample | None,
    reading: LeafReading,
    penalties: Sequence[float],
    limits: Limits,
) -> NodeLosses:
    """What the nodes of a tree lose. Raises TimeoutError or MemoryError at a limit."""
    others = training.take(np.zeros(0, dtype=np.intp)) if held is None else held
    core = grown.core
    found = _core.leaf_model_errors(
        core,
        *_as_models_read(grown, training, reading),
        *_as_models_read(grown, others, reading),
        allowed=reading.allowed(core),
        penalties=np.array(penalties, dtype=np.float64),
        n_threads=limits.n_threads,
        time_limit_s=limits.seconds_left,
        memory_limit_mb=limits.memory_limit_mb,
    )
    return NodeLosses(found["training"], found["held"], _extra_questions(core, reading, found["reads"]))


def models_of_leaves(
    grown: Grown, rows: Sample, reading: LeafReading, penalty: float
) -> dict[int, LeafModel]:
    """The models of the tree's leaves, by node."""
    if not reading.columns:
        return {}
    found = _core.leaf_models(
        grown.core,
        *_as_models_read(grown, rows, reading),
        allowed=reading.allowed(grown.core),
        penalty=float(penalty),
    )
    begin = found["begin"].tolist()
    models = {}
    for i, node in enumerate(found["node"].tolist()):
        own = slice(begin[i], begin[i + 1])
        models[node] = LeafModel(
            tuple(reading.columns[j] for j in found["column"][own].tolist()),
            tuple(found["coefficient"][own].tolist()),
            tuple(found["mean"][own].tolist()),
            float(found["lowest"][i]),
            float(found["highest"][i]),
        )
    return models


def _extra_questions(core: _core.Tree, reading: LeafReading, reads: NDArray[np.uint8]) -> NDArray[np.int64]:
    """Of what models read, by node, how many columns no test above asks for."""
    if not reading.any_column:
        return np.zeros(core.n_nodes, dtype=np.int64)
    asked = LeafReading(reading.columns, any_column=False).allowed(core)
    assert asked is not None
    return np.asarray(((reads == 1) & (asked == 0)).sum(axis=1), dtype=np.int64)


def _as_models_read(
    grown: Grown, rows: Sample, reading: LeafReading
) -> tuple[Floats, Floats, Floats, NDArray[np.int32]]:
    """Values, target, weight and leaf of each row, as the core takes them."""
    if not len(rows):
        empty = np.zeros(0, dtype=np.float64)
        return np.zeros((0, len(reading.columns))), empty, empty, np.zeros(0, dtype=np.int32)
    return reading.values(rows), rows.y, rows.weights, leaves(grown, rows, 1)
