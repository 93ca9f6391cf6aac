"""Conditions on the columns of a database, in the dialect of an engine."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from math import inf
from typing import Any

from thriftree.columns import Scalar, Temporal
from thriftree.document.follow import scalar
from thriftree.explain.values import Interval
from thriftree.export.leaves import Leaf
from thriftree.export.sql_dialects import NO_NAN, Dialect
from thriftree.temporal.words import kind_words, temporal_of

MAX_CHAIN = 50  # parts joined in a row: SQLite and DuckDB limit the depth of an expression


class SqlConditions:
    """SQL's words for conditions. What is unknown, as all comparisons with NULL are, is false in a WHEN."""

    def __init__(
        self, document: dict[str, Any], used: Collection[int], dialect: Dialect, names: list[str], nan: bool
    ) -> None:
        self._columns = document["columns"]
        self._labels = [[scalar(label) for label in c.get("categories", ())] for c in self._columns]
        self._kinds = [label_kind(labels) for labels in self._labels]
        self._has_nan = [any(isinstance(label, float) for label in labels) for labels in self._labels]
        self._dialect = dialect
        self._names = [dialect.quote_name(names[j]) if j in used else "" for j in range(len(names))]
        self._nan = dialect.nan if nan else NO_NAN
        self._temporal = [temporal_of(column) for column in self._columns]

    def number(self, column: int, intervals: tuple[Interval, ...], missing: bool) -> str:
        """That a number is in one of the intervals, or missing."""
        x = self._names[column]
        if (temporal := self._temporal[column]) is not None:
            return self._moments(column, temporal, intervals, missing)
        if missing and intervals and intervals[-1][1] == inf:
            above = self._nan.above_or_nan
            return _any([*(self._interval(x, *interval, above) for interval in intervals), f"{x} IS NULL"])
        if intervals == ((-inf, inf),):
            return self._is_known(x)
        parts = [self._interval(x, *interval, self._nan.above) for interval in intervals]
        return _any([*parts, *self._is_missing(x)] if missing else parts)

    def value(self, column: int) -> str:
        """The number that a column of numbers or dates counts as. Raises ValueError where the dialect has
        none for certain.
        """
        if (temporal := self._temporal[column]) is None:
            return self._names[column]
        counted = self._dialect.dates.days(temporal, self._names[column])
        if counted is None:
            raise ValueError(
                f"column {self._columns[column]['name']!r} holds {kind_words(temporal)}, which "
                f"{self._dialect.engine} does not count for certain: make the column numbers before "
                "training, or choose another dialect"
            )
        return counted

    def _moments(
        self, column: int, temporal: Temporal, intervals: tuple[Interval, ...], missing: bool
    ) -> str:
        """Dates and the like, of which none is NaN."""
        name, moment = self._columns[column]["name"], self._dialect.moment
        x = self._dialect.dates.column(temporal, self._names[column])
        parts = []
        for low, high in intervals:
            above = [f"{x} > {moment(temporal, low, name)}"] if low != -inf else []
            below = [f"{x} <= {moment(temporal, high, name)}"] if high != inf else []
            parts.append(_all([*above, *below]) if above or below else f"{x} IS NOT NULL")
        return _any([*parts, f"{x} IS NULL"] if missing else parts)

    def category(self, column: int, codes: tuple[int, ...], missing: bool, inside: bool) -> str:
        """That a category is among those listed, or not."""
        x = self._names[column]
        compared = self._dialect.text_column.format(x=x) if self._kinds[column] == "text" else x
        listed = self._listed(column, codes)
        has_nan = self._has_nan[column]
        is_missing = self._is_missing(x) if has_nan else [f"{x} IS NULL"]
        if inside:
            return _any([*self._membership(compared, listed, "=", "IN"), *(is_missing if missing else [])])
        parts = self._membership(compared, listed, "<>", "NOT IN")
        if not missing:
            return _any([*([_all(parts)] if parts else []), *is_missing])
        if has_nan:
            parts.append(self._is_known(x))
        elif self._dialect.not_in_needs_guard and len(listed) > 1:
            parts.append(f"{x} IS NOT NULL")
        return chain(parts, " AND ") if parts else f"{x} IS NOT NULL"

    def model(self, leaf: Leaf) -> str:
        """What a linear leaf says: the sum of its terms, where a missing value adds nothing, kept in its
        range.
        """
        assert leaf.model is not None
        number, model = self._dialect.number, leaf.model
        terms = [number(float(leaf.answer))]
        for column, coefficient, mean in zip(model.columns, model.coefficients, model.means, strict=True):
            x = self._names[column]
            term = f"{number(coefficient)} * ({x} + {number(-mean)})"
            terms.append(f"CASE WHEN {self._is_known(x)} THEN {term} ELSE {number(0.0)} END")
        said, low, high = f"({' + '.join(terms)})", number(model.lowest), number(model.highest)
        return f"CASE WHEN {said} < {low} THEN {low} WHEN {said} > {high} THEN {high} ELSE {said} END"

    def _interval(self, x: str, low: float, high: float, above: str) -> str:
        number = self._dialect.number
        if low == -inf:
            return f"{x} <= {number(high)}"
        if high == inf:
            return above.format(x=x, t=number(low), minus_t=number(-low), zero=number(0.0))
        return f"({x} > {number(low)} AND {x} <= {number(high)})"

    def _membership(self, x: str, listed: list[str], one: str, several: str) -> list[str]:
        """Comparisons with one value, or with lists of as many as the engine takes."""
        if len(listed) == 1:
            return [f"{x} {one} {listed[0]}"]
        size = self._dialect.max_list or len(listed) or 1
        lists = [listed[i : i + size] for i in range(0, len(listed), size)]
        return [f"{x} {several} ({', '.join(values)})" for values in lists]

    def _is_missing(self, x: str) -> list[str]:
        return [f"{x} IS NULL", *([self._of(x, self._nan.holds)] if self._nan.holds else [])]

    def _is_known(self, x: str) -> str:
        return self._of(x, self._nan.known)

    def _of(self, x: str, condition: str) -> str:
        return condition.format(x=x, zero=self._dialect.number(0.0))

    def _listed(self, column: int, codes: tuple[int, ...]) -> list[str]:
        values = [self._labels[column][code] for code in codes]
        if self._kinds[column] is None:
            raise ValueError(
                f"column {self._columns[column]['name']!r} has texts and numbers among its categories, and a "
                "column of a database has one type: make them all texts before training"
            )
        if self._kinds[column] == "number":
            values = [int(value) if isinstance(value, bool) else value for value in values]
        return [self._dialect.compared(value) for value in values]


def _any(parts: list[str]) -> str:
    return parts[0] if len(parts) == 1 else f"({chain(parts, ' OR ')})"


def _all(parts: list[str]) -> str:
    return parts[0] if len(parts) == 1 else f"({chain(parts, ' AND ')})"


def chain(parts: list[str], joint: str) -> str:
    """The parts joined; many of them in groups, so that the expression stays flat."""
    while len(parts) > MAX_CHAIN:
        groups = [parts[i : i + MAX_CHAIN] for i in range(0, len(parts), MAX_CHAIN)]
        parts = [f"({joint.join(group)})" for group in groups]
    return joint.join(parts)


def label_kind(labels: list[Scalar]) -> str | None:
    """ "text", "boolean" or "number" where the labels fit into one column of a database."""
    types = {type(label) for label in labels}
    if types == {str}:
        return "text"
    if types == {bool}:
        return "boolean"
    return None if str in types else "number"


def database_names(document: dict[str, Any], columns: Mapping[str, str] | None) -> list[str]:
    """By column, its name in the database."""
    if columns is not None and not isinstance(columns, Mapping):
        raise ValueError(f"columns must be a dict of new names by column, not {columns!r}")
    names = [column["name"] for column in document["columns"]]
    renamed = dict(columns or {})
    for name, new in renamed.items():
        if name not in names:
            raise ValueError(f"columns renames {name!r}, which the tree does not have; it has: {names}")
        if not isinstance(new, str):
            raise ValueError(f"columns must give column {name!r} a name, not {new!r}")
    return [renamed.get(name, name) for name in names]
