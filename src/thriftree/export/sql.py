"""The tree as a CASE expression of SQL, or as a query with one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from thriftree.columns import Scalar
from thriftree.document.follow import scalar
from thriftree.explain.words import Wording
from thriftree.export.decisions import Decisions
from thriftree.export.leaves import NO_COST, Leaf, has_models, leaves_of, summary_of
from thriftree.export.sql_blocks import SqlBlock, SqlBlocks
from thriftree.export.sql_conditions import SqlConditions, chain, database_names, label_kind
from thriftree.export.sql_dialects import Dialect, dialect_named
from thriftree.export.sql_query import query_of

_WHAT = ("label", "probability", "cost", "leaf")


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
    decisions = Decisions(document)
    names = database_names(document, columns)
    conditions = SqlConditions(document, decisions.read_columns(), writer, names, nan)
    result = _result(document, leaves, what, of, writer, conditions)
    wording = Wording(document) if comments else None
    block = SqlBlocks(document, _nesting_left(writer, leaves, what)).whole()
    lines = list(_case(block, decisions, conditions, result, leaves, wording))
    head = f"A decision tree: {summary_of(document)}." if comments else None
    return query_of(lines, name, writer, table, answer, head)


def _result(
    document: dict[str, Any],
    leaves: dict[int, Leaf],
    what: str,
    of: Scalar | None,
    dialect: Dialect,
    conditions: SqlConditions,
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
    if classes is not None and (label_kind(classes) is None or {bool} < {type(label) for label in classes}):
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
    conditions: SqlConditions,
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
        begins = "ELSE" if place == len(block.rules) - 1 else f"WHEN {chain(asked, ' AND ')} THEN"
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
