"""A soft tree as an expression of SQL, or as a query with one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from math import inf
from typing import Any

from thriftree.columns import Scalar
from thriftree.export.soft_form import SoftColumn, SoftForm, SoftGate
from thriftree.export.sql_conditions import SqlConditions, chain, database_names, label_kind
from thriftree.export.sql_dialects import Dialect, dialect_named
from thriftree.export.sql_query import query_of

_WHAT = ("label", "probability")
_FURTHEST = 36.0  # |x| in 1 / (1 + e^x): beyond it nothing changes by 1e-15, and no engine's exp overflows
_LEAST = 1e-200  # of a leaf's probability: less is 0, for engines that take an underflow for an error


def soft_sql_of(
    document: dict[str, Any],
    *,
    table: str | Sequence[str] | None = None,
    answer: str = "prediction",
    what: str = "label",
    of: Scalar | None = None,
    columns: Mapping[str, str] | None = None,
    dialect: str = "ansi",
    nan: bool = True,
) -> str:
    """An expression that answers as the soft tree does, to 1e-9; with `table`, a query of that table with the
    answer.

    NULL is missing, and a category that training did not see has no weight. A probability asks each gate
    twice, and the label compares every pair of classes: of many classes, ask for their probabilities.

    The first line is a comment that names the dialect: run the text in that engine only (see `to_sql` of a
    Tree). The dialects "ansi" and "sqlserver", which have no LEAST and GREATEST for certain, take longer
    texts. SQLite needs its mathematical functions (3.35, and built with them).

    Number columns must be DOUBLE, narrower floats, or integers up to 2^53, and not infinite. Dates must be
    DATE, in SQLite texts; there are none in "ansi". Datetimes, times and durations are refused. Texts must
    compare byte by byte, as they do in DuckDB, PostgreSQL and SQLite unless a collation was chosen; in
    "mysql", "sqlserver" and "redshift" they do as written.

    Parameters
    ----------
    table : name of the table, or its parts: ("schema", "table"). None: the expression only.
    answer : name of the added column.
    what : "label" (the most probable class, or the expected number), "probability" (of the class `of`, or of
        the predicted one).
    of : a class, for "probability".
    columns : names that columns have in the database, where they differ from those in training.
    dialect : as in `to_sql` of a Tree.
    nan : whether NaN counts as missing, as in `SoftTree.predict`. False, for tables without NaN, reads
        better.
    """
    name, writer = dialect_named(dialect)
    form = SoftForm(document)
    _check_what(form, what, of)
    names = database_names(document, columns)
    conditions = SqlConditions(document, form.positions, writer, names, nan)
    flow = _Flow(form, writer, conditions)
    lines = list(_answer(form, writer, flow, what, of))
    return query_of(lines, name, writer, table, answer, f"{form.summary}.")


def _check_what(form: SoftForm, what: str, of: Scalar | None) -> None:
    if what not in _WHAT:
        raise ValueError(f"what must be one of {', '.join(map(repr, _WHAT))}, not {what!r}")
    if of is not None and what != "probability":
        raise ValueError(f'of names the class of a probability; with what="{what}" leave it out')
    if what == "probability":
        if form.classes is None:
            raise ValueError('the target is a number, so it has no class probabilities: use what="label"')
        if of is not None and of not in form.classes:
            raise ValueError(f"of must be a class of the tree, not {of!r}; it has: {form.classes}")
    elif form.classes is not None and (
        label_kind(form.classes) is None or {bool} < {type(label) for label in form.classes}
    ):
        raise ValueError(
            f"the classes {form.classes} differ in type, and a column of a database has one: ask for "
            'what="probability"'
        )


def _answer(form: SoftForm, dialect: Dialect, flow: _Flow, what: str, of: Scalar | None) -> Iterator[str]:
    """The lines of the expression."""
    classes = form.classes
    if classes is None:
        yield f"{dialect.number(form.centre)} + {dialect.number(form.deviation)} *"
        yield from flow.number()
    elif of is not None:
        yield from flow.share(classes.index(of))
    elif what == "probability":
        yield from _most_probable(form, dialect, flow, lambda place: list(flow.share(place)))
    else:
        yield from _most_probable(form, dialect, flow, lambda place: [dialect.literal(classes[place])])


def _most_probable(
    form: SoftForm, dialect: Dialect, flow: _Flow, result: Callable[[int], list[str]]
) -> Iterator[str]:
    """The result of the first class that is as probable as all after it: then also as all before it."""
    n = form.n_outputs
    if n == 1:
        yield from result(0)
        return
    yield "CASE"
    for place in range(n - 1):
        for other in range(place + 1, n):
            yield f"  {'WHEN' if other == place + 1 else 'AND'}"
            yield from (f"    {line}" for line in flow.apart(place, other))
            yield f"    >= {dialect.number(0.0)}"
        yield "  THEN"
        yield from (f"    {line}" for line in result(place))
    yield "  ELSE"
    yield from (f"    {line}" for line in result(n - 1))
    yield "END"


class _Flow:
    """What leaves hold, mixed by the probability of reaching them: g · left + (1 - g) · right at each gate,
    with 1 - g = 1 / (1 + e^sum), so that each side is written once.
    """

    def __init__(self, form: SoftForm, dialect: Dialect, conditions: SqlConditions) -> None:
        self._form = form
        self._number = dialect.number
        self._clamp = dialect.clamp
        self._conditions = conditions
        # Of a soft gate the sum is multiplied by the sharpness here; of a hard one its sign must not change.
        factor = 1.0 if form.is_hard else form.sharpness
        self._sums = [self._sum(gate, factor) for gate in form.gates]

    def number(self) -> Iterator[str]:
        """The number of a row, in deviations from the centre, in parentheses."""
        form = self._form
        if form.is_linear:
            held = [self._linear(leaf, 0) for leaf in range(len(form.leaves))]
        else:
            held = [self._number(leaf[0]) for leaf in form.leaves]
        return self._mixed(held)

    def share(self, place: int) -> Iterator[str]:
        """The probability of a class."""
        return self._mixed([self._share_at(leaf, place) for leaf in range(len(self._form.leaves))])

    def apart(self, place: int, other: int) -> Iterator[str]:
        """By how much one class is more probable than another."""
        form = self._form
        if form.is_linear:
            both = [[self._share_at(leaf, k) for k in (place, other)] for leaf in range(len(form.leaves))]
            return self._mixed([f"{one} - {two}" for one, two in both])
        return self._mixed([self._small(leaf[place] - leaf[other]) for leaf in form.leaves])

    def _share_at(self, leaf: int, place: int) -> str:
        """The probability of a class at a leaf: of a linear one 1 / Σ e^(output - the class's output)."""
        form, one = self._form, self._number(1.0)
        if not form.is_linear:
            return self._small(form.leaves[leaf][place])
        powers = [
            f"EXP({self._within(self._linear(leaf, k, place))})" for k in range(form.n_outputs) if k != place
        ]
        return f"{one} / ({chain([one, *powers], ' + ')})"

    def _linear(self, leaf: int, place: int, less: int | None = None) -> str:
        """An output of a linear leaf, less another one."""
        offset, weights = self._form.leaves[leaf][place], self._form.leaf_weights[leaf][place]
        if less is not None:
            offset -= self._form.leaves[leaf][less]
            others = self._form.leaf_weights[leaf][less]
            weights = tuple(w - v for w, v in zip(weights, others, strict=True))
        return self._sum(SoftGate(-1, -1, 0, weights, offset), 1.0)

    def _sum(self, gate: SoftGate, factor: float) -> str:
        return chain(_parts(self._form, gate, factor, self._number, self._conditions), " + ")

    def _small(self, value: float) -> str:
        return self._number(0.0 if abs(value) < _LEAST else value)

    def _mixed(self, held: Sequence[str]) -> Iterator[str]:
        return self._below(0 if self._form.gates else -1, held)

    def _below(self, node: int, held: Sequence[str]) -> Iterator[str]:
        if node < 0:
            yield f"({held[-1 - node]})"
            return
        gate, total = self._form.gates[node], self._sums[node]
        yield "("
        yield f"  {self._way(total, left=True)} *"
        yield from (f"  {line}" for line in self._below(gate.left, held))
        yield f"  + {self._way(total, left=False)} *"
        yield from (f"  {line}" for line in self._below(gate.right, held))
        yield ")"

    def _way(self, total: str, *, left: bool) -> str:
        """The probability of going left, or right, by the gate's sum."""
        one, zero = self._number(1.0), self._number(0.0)
        if self._form.is_hard:
            yes, no = (one, zero) if left else (zero, one)
            return f"CASE WHEN {total} >= {zero} THEN {yes} ELSE {no} END"
        within = self._within(total)
        return f"{one} / ({one} + EXP({f'{zero} - {within}' if left else within}))"

    def _within(self, total: str) -> str:
        """A sum that EXP takes everywhere."""
        return self._clamp.format(x=f"({total})", low=self._number(-_FURTHEST), high=self._number(_FURTHEST))


def _parts(
    form: SoftForm, gate: SoftGate, factor: float, number: Callable[[float], str], conditions: SqlConditions
) -> list[str]:
    """The summands of a gate, in the order of the terms; those that are 0 for every row are left out."""
    parts = [number(gate.offset * factor)]
    for column in form.columns:
        begin = column.begin - gate.first
        if begin + column.width <= 0 or begin >= len(gate.weights):
            continue
        # A gate may end within a column.
        weights = [
            gate.weights[i] * factor if 0 <= i < len(gate.weights) else 0.0
            for i in range(begin, begin + column.width)
        ]
        if any(weights):
            parts.append(_part(column, weights, number, conditions))
    return parts


def _part(
    column: SoftColumn, weights: list[float], number: Callable[[float], str], conditions: SqlConditions
) -> str:
    """What a column adds to a gate's sum."""
    j = column.position
    missing = weights[-1] if column.has_missing else 0.0
    if column.is_number:
        known = conditions.number(j, ((-inf, inf),), False)
        away = f"({conditions.value(j)} - {number(column.centre)})"
        x = f"{away} * {number(column.scale)} * {number(weights[0])}"
        return f"CASE WHEN {known} THEN {x} ELSE {number(missing)} END"
    by_code = {
        code: weights[code] if column.is_category else column.known(float(code)) * weights[0]
        for code in column.codes
    }
    cases = [
        f"WHEN {conditions.category(j, (code,), False, True)} THEN {number(weight)}"
        for code, weight in by_code.items()
    ]
    if column.is_category and missing:
        cases.append(f"WHEN {conditions.category(j, (), True, True)} THEN {number(missing)}")
    other = 0.0 if column.is_category else missing
    return f"CASE {' '.join(cases)} ELSE {number(other)} END" if cases else number(other)
