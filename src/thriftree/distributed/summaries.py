"""What each part tells of its rows, so that all can agree on one code book and one target."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from thriftree import _core
from thriftree.columns import ColumnSchema
from thriftree.distributed.part_rows import (
    PartReading,
    PartRows,
    described_columns,
    names_of,
    naming_the_part,
    rows_of,
)
from thriftree.distributed.parts import TablePart
from thriftree.learning import targets
from thriftree.learning.targets import AnyArray, Floats
from thriftree.table.code_book import with_names
from thriftree.table.frame import Array

MOST_VALUES: Final = 65535  # of a column whose every value has a code


@dataclass(frozen=True)
class ColumnNews:
    """What a part knows of a column."""

    schema: ColumnSchema  # categories: those in use here; of an ordered column, those declared
    missing: bool
    # Of numbers, and of the positions of ordered categories; None: more than the limit.
    values: Floats | None = None
    low: float = np.inf
    high: float = -np.inf

    @property
    def says_nothing(self) -> bool:
        """Whether all values are missing, so that any kind is possible."""
        return not self.schema.categories if self.schema.kind == "category" else self.low > self.high


@dataclass(frozen=True)
class TargetNews:
    """What a part knows of its target."""

    classes: AnyArray | None  # that occur here; None: numbers, or no rows
    low: float = np.inf  # of numbers
    high: float = -np.inf
    lightest: float = np.inf  # weight of a row
    heaviest: float = -np.inf
    weighs_one: bool = True  # every row


@dataclass(frozen=True)
class PartSummary:
    """What a part tells of itself."""

    index: int
    n_rows: int  # of positive weight
    n_given: int
    names: list[str]
    has_names: bool
    columns: list[ColumnNews]  # none where there are no rows
    target: TargetNews


def summarise(part: TablePart, reading: PartReading, limit: int) -> PartSummary:
    """What a part tells of itself; of a column's numbers at most ``limit`` distinct ones."""
    with naming_the_part(part):
        rows = rows_of(part, reading)
        names, has_names = names_of(rows.X)
        columns = _column_news(rows, reading, limit) if len(rows) else []
        return PartSummary(
            part.index, len(rows), rows.n_given, names, has_names, columns, _target_news(rows, reading)
        )


def numbers_of(schema: ColumnSchema, values: Array) -> Array:
    """A column as the core reads its numbers: positions of ordered categories are numbers, too."""
    return np.where(values >= 0, values, np.nan) if schema.kind == "ordered" else values


def _column_news(rows: PartRows, reading: PartReading, limit: int) -> list[ColumnNews]:
    read = described_columns(rows.X, reading.categorical_features)
    numeric = [j for j, (schema, _) in enumerate(read) if schema.kind != "category"]
    arrays = [numbers_of(*read[j]) for j in numeric]
    try:
        found = dict(zip(numeric, _core.summarise_columns(arrays, len(rows), limit), strict=True))
    except ValueError as error:
        raise ValueError(with_names(str(error), [read[j][0].name for j in numeric])) from None
    news = []
    for j, (schema, values) in enumerate(read):
        if schema.kind == "category":
            news.append(ColumnNews(schema, bool((values < 0).any())))
        else:
            distinct, missing, low, high = found[j]
            news.append(ColumnNews(schema, missing, distinct, low, high))
    return news


def _target_news(rows: PartRows, reading: PartReading) -> TargetNews:
    if not len(rows):
        return TargetNews(None)
    weights: dict[str, Any] = {"lightest": 1.0, "heaviest": 1.0}
    if rows.weight is not None:
        least, most = float(rows.weight.min()), float(rows.weight.max())
        weights = {"lightest": least, "heaviest": most, "weighs_one": least == most == 1.0}
    if reading.of_classes:
        return TargetNews(targets.class_labels(rows.y)[1], **weights)
    numbers = targets.numeric_target(rows.y)
    return TargetNews(None, float(numbers.min()), float(numbers.max()), **weights)


@dataclass(frozen=True)
class SampledValues:
    """The values of some columns in some rows of a part, in order of rows."""

    values: list[Array]  # by column that was asked for
    weight: Floats
    first_look: list[Array]  # by column, in the rows that tell few-valued columns from others


def sampled_values(
    part: TablePart, reading: PartReading, columns: list[int], first_rows: list[int], n_rows: int
) -> SampledValues:
    """The numbers of these columns in the rows that edges of bins are made from: of all ``n_rows`` of the
    table, of which ``first_rows`` lie before each part.
    """
    rows = rows_of(part, reading)
    places = _own_places(_core.rows_for_edges(n_rows), first_rows[part.index], len(rows))
    look = _own_places(_core.rows_for_a_look(n_rows), first_rows[part.index], len(rows))
    if not len(rows):
        nothing: list[Array] = [np.empty(0, np.int8) for _ in columns]
        return SampledValues(nothing, np.empty(0), nothing)
    read = described_columns(rows.X, reading.categorical_features)
    numbers = [numbers_of(*read[j]) for j in columns]
    weight = np.ones(len(places)) if rows.weight is None else rows.weight[places]
    return SampledValues(
        [column[places] for column in numbers],
        weight,
        [column[look] for column in numbers],
    )


def _own_places(places: NDArray[np.int64], first: int, n: int) -> NDArray[np.int64]:
    begin, end = np.searchsorted(places, [first, first + n])
    return places[begin:end] - first


def spectrum(part: TablePart, reading: PartReading, columns: list[int]) -> list[tuple[Floats, Floats]]:
    """The distinct numbers of these columns, ascending, and the weight of each."""
    rows = rows_of(part, reading)
    if not len(rows):
        return [(np.empty(0), np.empty(0)) for _ in columns]
    read = described_columns(rows.X, reading.categorical_features)
    found = []
    for j in columns:
        numbers = numbers_of(*read[j]).astype(np.float64) + 0.0
        known = np.isfinite(numbers)
        weights = None if rows.weight is None else rows.weight[known]
        values, place = np.unique(numbers[known], return_inverse=True)
        found.append((values, np.bincount(place, weights, minlength=len(values)).astype(np.float64)))
    return found


def add_spectra(
    a: list[tuple[Floats, Floats]], b: list[tuple[Floats, Floats]]
) -> list[tuple[Floats, Floats]]:
    """Two lists of distinct numbers and their weights, column by column, as one."""
    merged = []
    for (x, x_weight), (y, y_weight) in zip(a, b, strict=True):
        values, place = np.unique(np.concatenate([x, y]), return_inverse=True)
        mass = np.bincount(place, np.concatenate([x_weight, y_weight])).astype(np.float64)
        merged.append((values, mass))
    return merged
