"""The tree as a CASE expression of SQL, or as a query with one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from math import inf
from typing import Any

from thriftree.columns import Scalar, Temporal
from thriftree.document.follow import scalar
from thriftree.explain.values import Interval
from thriftree.explain.words import Wording
from thriftree.export.decisions import Decisions
from thriftree.export.leaves import NO_COST, Leaf, has_models, leaves_of, summary_of
from thriftree.export.sql_blocks import SqlBlock, SqlBlocks
from thriftree.export.sql_dialects import NO_NAN, Dialect, dialect_named
from thriftree.temporal.words import temporal_of

_WHAT = ("label", "probability", "cost", "leaf")
_MAX_CHAIN = 50  # conditions joined in a row: SQLite and DuckDB limit the depth of an expression


def sql_of(
    document: dict[str, Any],
    *,
    table: str | Sequence[str] | None = None,
    answer: str = "prediction",
    what: str = "label",
    of: Scalar | None = None,
    columns: Mapping[str, str] | None = None,
    dialect: str = "ansi",
    nan: bool = True,
    comments: bool = True,
    smoothing: float = 0.0,
) -> str:
    """A CASE expression that answers as the tree does; with `table`, a query of that table with the answer.

    NULL is missing, and a category that training did not see goes where `Tree.predict` sends it. Trees of
    up to eight levels are nested CASEs; deeper ones are lists of rules, large ones in blocks.

    The first line is a comment that names the dialect: run the text in that engine only. BigQuery, Spark,
    Databricks, Hive and MySQL read "age" as a text, so that SQL of another dialect answers wrongly there,
    and without an error.

    Number columns must be DOUBLE, narrower floats, or integers up to 2^53. Columns of dates must be DATE,
    datetimes TIMESTAMP, those with a time zone TIMESTAMP WITH TIME ZONE, times TIME, or what the engine calls
    them; in SQLite dates are texts. Durations are refused, and so is what an engine has no type for. Texts
    must compare byte by byte, as they do in DuckDB, PostgreSQL and SQLite unless a collation was chosen; in
    "mysql", "sqlserver" and "redshift" they do as written.

    Parameters
    ----------
    table : name of the table, or its parts: ("schema", "table"). None: the expression only.
    answer : name of the added column.
    what : "label" (the class, or the mean), "probability" (of the class `of`, or of the predicted one),
        "cost" (what the row pays for tests), "leaf" (the node's number, as `Tree.apply`).
    of : a class, for "probability".
    columns : names that columns have in the database, where they differ from those in training.
    dialect : "ansi" (also "standard": DuckDB, PostgreSQL, SQLite), "postgres", "duckdb", "sqlite",
        "snowflake", "redshift", "trino", "oracle", "clickhouse", "mysql" (also "mariadb"), "sqlserver",
        "bigquery", "spark", "databricks" or "hive".
    nan : whether NaN counts as missing, as in `Tree.predict`. Where NaN is above every number, as in DuckDB
        and PostgreSQL, "x > t" is then written "0e0 - x < -t", which NaN does not fulfil. False, for tables
        without NaN, reads better.
    comments : whether to say at each leaf what training saw there.
    smoothing : added to every class's weight in a probability, as in `Tree.predict_proba`.
    """
    name, writer = dialect_named(dialect)
    leaves = leaves_of(document, smoothing)
    conditions = _Conditions(document, writer, _names(document, columns), nan)
    result = _result(document, leaves, what, of, writer, conditions)
    wording = Wording(document) if comments else None
    block = SqlBlocks(document, _nesting_left(writer, leaves, what)).whole()
    lines = list(_case(block, Decisions(document), conditions, result, leaves, wording))
    first = f"-- thriftree SQL, dialect {name}: for {writer.engine}"
    if table is None:
        return "\n".join([first, *lines])
    parts = [table] if isinstance(table, str) else list(table) if isinstance(table, Sequence) else []
    if not parts or not all(isinstance(part, str) and part for part in parts):
        raise ValueError(f"table must be a name, or a sequence of names (schema, table), not {table!r}")
    if not isinstance(answer, str) or not answer:
        raise ValueError(f"answer must be the name of the added column, not {answer!r}")
    source = ".".join(writer.quote_name(part, "table") for part in parts)
    head = [f"-- A decision tree: {summary_of(document)}. Written by thriftree."] if comments else []
    select = f"SELECT {writer.all_columns.format(table=source)},"
    body = [f"  {line}" for line in lines]
    named = f"  AS {writer.quote_name(answer, 'answer')}"
    return "\n".join([first, *head, select, *body, named, f"FROM {source}"])


class _Conditions:
    """SQL's words for conditions. What is unknown, as all comparisons with NULL are, is false in a WHEN."""

    def __init__(self, document: dict[str, Any], dialect: Dialect, names: list[str], nan: bool) -> None:
        self._columns = document["columns"]
        used = set(Decisions(document).read_columns())
        self._labels = [[scalar(label) for label in c.get("categories", ())] for c in self._columns]
        self._kinds = [_kind(labels) for labels in self._labels]
        self._has_nan = [any(isinstance(label, float) for label in labels) for labels in self._labels]
        self._dialect = dialect
        self._names = [dialect.quote_name(names[j]) if j in used else "" for j in range(len(names))]
        self._nan = dialect.nan if nan else NO_NAN
        self._temporal = [temporal_of(column) for column in self._columns]

    def number(self, column: int, intervals: tuple[Interval, ...], missing: bool) -> str:
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
        return _chain(parts, " AND ") if parts else f"{x} IS NOT NULL"

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
    return parts[0] if len(parts) == 1 else f"({_chain(parts, ' OR ')})"


def _all(parts: list[str]) -> str:
    return parts[0] if len(parts) == 1 else f"({_chain(parts, ' AND ')})"


def _chain(parts: list[str], joint: str) -> str:
    """The parts joined; many of them in groups, so that the expression stays flat."""
    while len(parts) > _MAX_CHAIN:
        groups = [parts[i : i + _MAX_CHAIN] for i in range(0, len(parts), _MAX_CHAIN)]
        parts = [f"({joint.join(group)})" for group in groups]
    return joint.join(parts)


def _kind(labels: list[Scalar]) -> str | None:
    """ "text", "boolean" or "number" where the labels fit into one column of a database."""
    types = {type(label) for label in labels}
    if types == {str}:
        return "text"
    if types == {bool}:
        return "boolean"
    return None if str in types else "number"


def _names(document: dict[str, Any], columns: Mapping[str, str] | None) -> list[str]:
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


def _result(
    document: dict[str, Any],
    leaves: dict[int, Leaf],
    what: str,
    of: Scalar | None,
    dialect: Dialect,
    conditions: _Conditions,
) -> Callable[[Leaf], str]:
    """What a leaf answers, as text."""
    if what not in _WHAT:
        raise ValueError(f"what must be one of {', '.join(map(repr, _WHAT))}, not {what!r}")
    if of is not None and what != "probability":
        raise ValueError(f'of names the class of a probability; with what="{what}" leave it out')
    classes = None if document["classes"] is None else [scalar(label) for label in document["classes"]]
    if what == "leaf":
        return lambda leaf: str(leaf.node)
    if what == "cost":
        if any(leaf.cost is None for leaf in leaves.values()):
            raise ValueError(NO_COST)
        return lambda leaf: dialect.number(leaf.cost or 0.0)
    if what == "probability":
        if classes is None:
            raise ValueError('the target is a number, so it has no class probabilities: use what="label"')
        if of is None:
            return lambda leaf: dialect.number(leaf.shares[leaf.label or 0])
        if of not in classes:
            raise ValueError(f"of must be a class of the tree, not {of!r}; it has: {classes}")
        place = classes.index(of)
        return lambda leaf: dialect.number(leaf.shares[place])
    if classes is not None and (_kind(classes) is None or {bool} < {type(label) for label in classes}):
        raise ValueError(
            f'the classes {classes} differ in type, and a column of a database has one: use what="leaf"'
        )
    return lambda leaf: dialect.literal(leaf.answer) if leaf.model is None else conditions.model(leaf)


def _nesting_left(dialect: Dialect, leaves: dict[int, Leaf], what: str) -> int | None:
    """How deep CASEs may nest above the leaves: the answer of a linear leaf is CASEs in a CASE."""
    inside = 2 if what == "label" and has_models(leaves) else 0
    return None if dialect.max_nesting is None else dialect.max_nesting - inside


def _case(
    block: SqlBlock,
    decisions: Decisions,
    conditions: _Conditions,
    result: Callable[[Leaf], str],
    leaves: dict[int, Leaf],
    wording: Wording | None,
) -> Iterator[str]:
    """The lines of a block: a CASE, or the answer alone where there is nothing to ask. With comments if there
    is a wording.
    """
    if len(block.rules) == 1:
        (rule,) = block.rules
        if rule.block is None:
            yield result(leaves[rule.node])
        else:
            yield from _case(rule.block, decisions, conditions, result, leaves, wording)
        return
    yield "CASE"
    for place, rule in enumerate(block.rules):
        asked = [
            decisions.condition(conditions, column, values) for column, values in rule.conditions.items()
        ]
        begins = "ELSE" if place == len(block.rules) - 1 else f"WHEN {_chain(asked, ' AND ')} THEN"
        if rule.block is None:
            leaf = leaves[rule.node]
            yield f"  {begins} {result(leaf)}" + (_comment(leaf) if wording else "")
        else:
            words = (
                " and ".join(wording.condition(*asked) for asked in rule.conditions.items())
                if wording
                else ""
            )
            yield f"  {begins}" + (f" -- {words}" if words and begins == "ELSE" else "")
            inside = _case(rule.block, decisions, conditions, result, leaves, wording)
            yield from (f"    {line}" for line in inside)
    yield "END"


def _comment(leaf: Leaf) -> str:
    """What training saw at a leaf, without "%", which many drivers take for the place of a parameter."""
    return f" -- {leaf.said}, {leaf.seen.replace('%', ' percent')}"
