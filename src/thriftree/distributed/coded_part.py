"""A part as codes: what whoever has it keeps, and the counter that stands on it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thriftree import _core
from thriftree.distributed.part_rows import PartReading, naming_the_part, rows_of
from thriftree.distributed.parts import TablePart
from thriftree.distributed.summaries import numbers_of
from thriftree.learning import targets
from thriftree.learning.targets import AnyArray, Floats
from thriftree.table.code_book import CodeBook
from thriftree.table.frame import Array

Split = tuple[int, _core.Partition, int]  # node, its test, number of the first child


@dataclass(frozen=True)
class TargetSpec:
    """All that makes a target of a part's rows, as all parts agreed."""

    n_classes: int  # 0: numbers
    class_weight: Floats | None = None
    priors: Floats | None = None
    bins: Floats | None = None  # of numbers, the last number of each
    n_bins: int = 0
    scale: Mapping[str, Any] | None = None  # fields of a TargetHeader; None: not agreed yet

    def target(self, y: AnyArray, weight: Floats | None) -> _core.Target:
        """The target of some rows."""
        agreed = None if self.scale is None else header_of(self.scale)
        if self.n_classes:
            return _core.Target.classes(
                y, self.n_classes, weight, self.class_weight, self.priors, agreed=agreed
            )
        if self.bins is None:
            return _core.Target.numbers(y, weight, agreed=agreed)
        bins = np.searchsorted(self.bins, y, side="left").astype(np.int32)
        return _core.Target.numbers(y, weight, bins, self.n_bins, agreed=agreed)


@dataclass(frozen=True)
class ObjectTarget:
    """The target of objects in fixed point, see Target in cpp/table/target.hpp."""

    header: Mapping[str, Any]  # fields of a TargetHeader
    arrays: tuple[NDArray[Any], ...]  # labels, growth, sample, multiplicity, moment, square, values

    def target(self) -> _core.Target:
        """As the core takes it."""
        return _core.object_target(header_of(self.header), *self.arrays)


def header_of(values: Mapping[str, Any]) -> _core.TargetHeader:
    """A header of these fields."""
    header = _core.TargetHeader()
    for name, value in values.items():
        setattr(header, name, value)
    return header


@dataclass(frozen=True)
class GrowthSpec:
    """What is counted in one growth."""

    key: str  # tells growths apart
    target: TargetSpec
    of_code: tuple[tuple[str, int], ...]
    of_node: tuple[tuple[str, int], ...]
    heavy_above: int


@dataclass(eq=False)
class CodedPart:
    """The rows of positive weight of a part, as codes under the book that all parts agreed on.

    The counter is a cache: where its rows are, follows from the codes and the splits so far.
    """

    index: int
    table: _core.Table | None  # None: no rows
    y: AnyArray  # class numbers, int32, or numbers
    weight: Floats | None
    behind: Mapping[tuple[str, int], NDArray[np.int64]] = field(default_factory=dict)
    objects: ObjectTarget | None = None  # where the rows are objects: their target
    values: Mapping[int, Array] = field(default_factory=dict)  # of columns of spans, by column
    _lock: Any = field(default_factory=Lock, repr=False)
    _growth: str | None = field(default=None, repr=False)
    _counter: _core.PartCounter | None = field(default=None, repr=False)
    _n_done: int = field(default=0, repr=False)  # splits

    def __len__(self) -> int:
        return len(self.y)

    def __getstate__(self) -> dict[str, Any]:
        kept = ("index", "table", "y", "weight", "behind", "objects", "values")
        return {name: getattr(self, name) for name in kept}

    def __setstate__(self, state: Mapping[str, Any]) -> None:
        self.__init__(**state)  # type: ignore[misc]

    def counter(self, growth: GrowthSpec, splits: Sequence[Split]) -> _core.PartCounter:
        """The counter of these rows after these splits, which are made again if it has not made them."""
        if self._counter is None or self._growth != growth.key or self._n_done > len(splits):
            if self.table is None:
                raise AssertionError("a part without rows is not counted")
            own = self.objects
            target = growth.target.target(self.y, self.weight) if own is None else own.target()
            self._counter = _core.PartCounter(
                self.table,
                target,
                list(growth.of_code),
                list(growth.of_node),
                growth.heavy_above,
                dict(self.behind),
                dict(self.values),
            )
            self._growth, self._n_done = growth.key, 0
        for node, partition, first_child in splits[self._n_done :]:
            self._counter.divide(node, partition, first_child)
        self._n_done = len(splits)
        return self._counter

    @property
    def lock(self) -> Any:
        """Held while the counter is asked: an engine may run a task twice at once."""
        return self._lock


def encode_with(part: TablePart, reading: PartReading, book: CodeBook, classes: AnyArray | None) -> CodedPart:
    """A part's rows under the book that all agreed on; its labels as numbers of ``classes``."""
    with naming_the_part(part):
        rows = rows_of(part, reading)
        if not len(rows):
            return CodedPart(part.index, None, np.empty(0, np.int32 if classes is not None else float), None)
        codes = book.code(rows.X)
        table = codes.table().core
        values = {
            j: np.ascontiguousarray(numbers_of(book.columns[j], codes.column_values(j)))
            for j, column in enumerate(book.codes)
            if column.spans
        }
        if classes is None:
            y: AnyArray = targets.numeric_target(rows.y)
        else:
            labels, own = targets.class_labels(rows.y)
            y = np.searchsorted(classes, own.astype(classes.dtype)).astype(np.int32)[labels]
        return CodedPart(part.index, table, y, rows.weight, values=values)


def taken(part: CodedPart, chosen: NDArray[np.uint8], first_rows: Sequence[int]) -> CodedPart:
    """Some rows of a part; ``chosen`` has a bit for every row of all parts."""
    first, n = first_rows[part.index], len(part)
    bits = np.unpackbits(chosen[first // 8 : (first + n + 7) // 8], count=first % 8 + n)[first % 8 :]
    rows = np.flatnonzero(bits)
    if not len(rows) or part.table is None:
        return CodedPart(part.index, None, part.y[:0], None)
    table = part.table.sample(rows.astype(np.uint32))
    weight = None if part.weight is None else part.weight[rows]
    values = {j: column[rows] for j, column in part.values.items()}
    return CodedPart(part.index, table, part.y[rows], weight, values=values)


def targets_of(part: CodedPart) -> tuple[AnyArray, Floats | None]:
    """The target and the weights of a part's rows."""
    return part.y, part.weight
