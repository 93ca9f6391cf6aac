"""An expression of SQL as it is given away: under a line that names its dialect, alone or in a query."""

from __future__ import annotations

from collections.abc import Sequence

from thriftree.export.sql_dialects import Dialect


def query_of(
    lines: Sequence[str],
    name: str,
    dialect: Dialect,
    table: str | Sequence[str] | None,
    answer: str,
    head: str | None,
) -> str:
    """The expression's lines or, with `table`, a query that adds them as the column `answer`. `name` is the
    dialect's, `head` what the query is, in a comment.
    """
    first = f"-- thriftree SQL, dialect {name}: for {dialect.engine}"
    if table is None:
        return "\n".join([first, *lines])
    parts = [table] if isinstance(table, str) else list(table) if isinstance(table, Sequence) else []
    if not parts or not all(isinstance(part, str) and part for part in parts):
        raise ValueError(f"table must be a name, or a sequence of names (schema, table), not {table!r}")
    if not isinstance(answer, str) or not answer:
        raise ValueError(f"answer must be the name of the added column, not {answer!r}")
    source = ".".join(dialect.quote_name(part, "table") for part in parts)
    comment = [] if head is None else [f"-- {head} Written by thriftree."]
    select = f"SELECT {dialect.all_columns.format(table=source)},"
    body = [f"  {line}" for line in lines]
    named = f"  AS {dialect.quote_name(answer, 'answer')}"
    return "\n".join([first, *comment, select, *body, named, f"FROM {source}"])
