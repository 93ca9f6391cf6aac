"""A table as the numbers that gates weigh: standardised columns, and a 0 or 1 a category and for missing."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from thriftree import _core
from thriftree.columns import ColumnSchema
from thriftree.table.inputs import Inputs, rows_of_inputs
from thriftree.table.sparse_matrix import SparseInputs

Floats = NDArray[np.float64]
_PIECE: Final = 2**18  # numbers that are made at a time: they stay in the cache, and take a millisecond or so
_LEAST_ROWS: Final = 256  # those of a block in the core


@dataclass(frozen=True, eq=False)
class Design:
    """What each column of a table becomes. Its terms lie side by side:

    - of numbers and ordered categories the number itself, in standard deviations from the mean;
    - of categories a 0 or 1 for each, so that an unseen one is all zeros;
    - if the column had missing values in training, a 0 or 1 for them. A missing number is 0, the mean.
    """

    columns: tuple[ColumnSchema, ...]
    has_missing: tuple[bool, ...]
    centres: Floats  # per term; 0 for those that are 0 or 1
    scales: Floats  # per term; 1 for those that are 0 or 1, 0 for numbers that are all equal

    @classmethod
    def of(cls, inputs: Inputs, columns: Sequence[ColumnSchema], weight: Floats | None) -> Design:
        """The design of training rows."""
        centres: list[float] = []
        scales: list[float] = []
        has_missing = []
        for j, schema in enumerate(columns):
            values = column_of_inputs(inputs, j)
            if schema.kind == "category":
                has_missing.append(bool((values < 0).any()))
                centres += [0.0] * len(schema.categories)
                scales += [1.0] * len(schema.categories)
            else:
                known = _numbers(values, schema)
                has_missing.append(bool(np.isnan(known).any()))
                centre, scale = _core.soft_spread(known, weight)
                centres.append(centre)
                scales.append(scale)
            if has_missing[-1]:
                centres.append(0.0)
                scales.append(1.0)
        return cls(tuple(columns), tuple(has_missing), np.array(centres), np.array(scales))

    @classmethod
    def blank(cls, columns: Sequence[ColumnSchema]) -> Design:
        """Of rows that nobody has looked at: for a tree without gates."""
        is_number = np.concatenate(
            [np.zeros(len(one.categories)) if one.kind == "category" else np.ones(1) for one in columns]
        )
        return cls(tuple(columns), (False,) * len(columns), np.zeros(len(is_number)), 1.0 - is_number)

    @property
    def n_terms(self) -> int:
        """Over all columns."""
        return len(self.centres)

    @cached_property
    def widths(self) -> list[int]:
        """Terms of each column."""
        return [
            (len(schema.categories) if schema.kind == "category" else 1) + missing
            for schema, missing in zip(self.columns, self.has_missing, strict=True)
        ]

    @cached_property
    def begins(self) -> list[int]:
        """The first term of each column."""
        return [0, *np.cumsum(self.widths).tolist()][:-1]

    def term_names(self) -> list[str]:
        """A name for each term: of numbers the column's, else "column=category" or "column is missing"."""
        names = []
        for schema, missing in zip(self.columns, self.has_missing, strict=True):
            if schema.kind == "category":
                names += [f"{schema.name}={category}" for category in schema.categories]
            else:
                names.append(schema.name)
            if missing:
                names.append(f"{schema.name} is missing")
        return names

    def rows(self, inputs: Inputs, look: Callable[[], None] = lambda: None) -> _core.SoftRows:
        """Rows as the core takes them, made some at a time; `look` is called before each time, and may
        raise.
        """
        rows = _core.SoftRows.blank(_n_rows(inputs), self.centres, self.scales)
        for first, some in self._pieces(inputs, look):
            rows.write(first, self._terms(some))
        return rows

    def terms(self, inputs: Inputs) -> Floats:
        """Terms × rows, as gates weigh them."""
        return (self._terms(inputs) - self.centres[:, np.newaxis]) * self.scales[:, np.newaxis]

    def matrix(self, inputs: Inputs, look: Callable[[], None] = lambda: None) -> Floats:
        """Rows × terms, as a network takes them; made as `rows` are."""
        made = np.empty((_n_rows(inputs), self.n_terms))
        for first, some in self._pieces(inputs, look):
            terms = self.terms(some)
            made[first : first + terms.shape[1]] = terms.T
        return made

    def _pieces(self, inputs: Inputs, look: Callable[[], None]) -> Iterator[tuple[int, Inputs]]:
        """The rows some at a time, each with the place of the first; `look` is called before each."""
        n_rows = _n_rows(inputs)
        step = max(_LEAST_ROWS, _PIECE // max(1, self.n_terms) // _LEAST_ROWS * _LEAST_ROWS)
        for first in range(0, n_rows, step):
            look()
            end = min(first + step, n_rows)
            yield first, inputs if step >= n_rows else rows_of_inputs(inputs, np.arange(first, end))

    def column_terms(self, values: NDArray[Any], j: int) -> Floats:
        """Terms of column j × rows, as gates weigh them, of its values in these rows."""
        of_column = slice(self.begins[j], self.begins[j] + self.widths[j])
        terms = np.zeros((self.widths[j], len(values)))
        self._write(values, j, terms)
        return (terms - self.centres[of_column, np.newaxis]) * self.scales[of_column, np.newaxis]

    def _terms(self, inputs: Inputs) -> Floats:
        terms = np.zeros((self.n_terms, _n_rows(inputs)))
        for j, begin in enumerate(self.begins):
            self._write(column_of_inputs(inputs, j), j, terms[begin:])
        return terms

    def _write(self, values: NDArray[Any], j: int, terms: Floats) -> None:
        """The terms of column j, into the first of these."""
        schema = self.columns[j]
        if schema.kind == "category":
            width = len(schema.categories)
            known = np.flatnonzero(values >= 0)
            terms[values[known], known] = 1.0
            missing = values == -1
        else:
            width = 1
            numbers = _numbers(values, schema)
            missing = np.isnan(numbers)
            terms[0] = np.where(missing, self.centres[self.begins[j]], numbers)
        if self.has_missing[j]:
            terms[width] = missing


def _n_rows(inputs: Inputs) -> int:
    return inputs.n_rows if isinstance(inputs, SparseInputs) else len(column_of_inputs(inputs, 0))


def column_of_inputs(inputs: Inputs, column: int) -> NDArray[Any]:
    """One column: floats, or positions of categories."""
    return inputs[:, column] if isinstance(inputs, np.ndarray) else inputs[column]


def _numbers(values: NDArray[Any], schema: ColumnSchema) -> Floats:
    """As float64; NaN is missing. Of ordered categories the position; one that was not seen is missing."""
    numbers = np.ascontiguousarray(values, dtype=np.float64)
    if schema.kind == "ordered":
        return np.where(numbers >= 0, numbers, np.nan)
    if np.isinf(numbers).any():
        raise ValueError(
            f"column {schema.name!r} holds infinity: replace infinite values by NaN (missing) or by a large "
            "number"
        )
    return numbers
