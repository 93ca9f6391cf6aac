"""A tree's SQL in one dialect against `Tree.predict`, as sqlglot reads it: answers, names and literals."""

from __future__ import annotations

from typing import Any

import sqlglot
from agreement import Answers, check_agreement
from sql_reading import NAN_ORDER, NAN_ORDERS, PARSERS, WITHOUT_NAN, Reading
from sqlglot import exp

from thriftree.document.answers import node_numbers, node_shares
from thriftree.document.follow import scalar
from thriftree.export.sql_dialects import DIALECTS, Dialect
from thriftree.testing.random_documents import Columns
from thriftree.tree import Tree

#: What is written after both texts of a comparison.
ENDING = {"redshift": "."}


def names_there(document: dict[str, Any], dialect: Dialect) -> dict[str, str]:
    """New names for columns that the engine cannot have."""
    renamed = {}
    for j, column in enumerate(document["columns"]):
        try:
            dialect.quote_name(column["name"])
        except ValueError:
            renamed[column["name"]] = f"renamed {j}"
    return renamed


def without_empty_texts(document: dict[str, Any], rows: Columns) -> tuple[dict[str, Any], Columns]:
    """The same with another word for the empty text, as Oracle's users need it."""

    def filled(values: list[Any]) -> list[Any]:
        return ["(empty)" if value == "" else value for value in values]

    columns = [
        {**column, "categories": filled(column["categories"])} if "categories" in column else column
        for column in document["columns"]
    ]
    classes = document["classes"] and filled(document["classes"])
    renamed = {name: filled(values) for name, values in rows.items()}
    return {**document, "columns": columns, "classes": classes}, renamed


def read_and_compare(document: dict[str, Any], rows: Columns, dialect: str) -> int:
    """Fails where sqlglot reads something else than was meant; the number of answers compared."""
    writer = DIALECTS[dialect]
    if writer.empty_text_is_null:
        document, rows = without_empty_texts(document, rows)
    columns = names_there(document, writer)
    tree = Tree.from_dict(document)
    n_compared = 0
    for nan in NAN_ORDER.get(dialect, NAN_ORDERS):
        reading = Reading(dialect, nan)

        def asked(reading: Reading = reading, **what: Any) -> Any:
            return reading.expression(tree.to_sql(dialect=dialect, columns=columns, **what))

        label, leaf = asked(), asked(what="leaf")
        shares = [asked(what="probability", of=c) for c in tree.classes] if tree.classes is not None else []
        check_literals(document, reading, columns)
        given = in_table(document, rows, columns, has_nan=dialect not in WITHOUT_NAN)
        answers = Answers([label(row) for row in given], [leaf(row) for row in given])
        answers.shares = [[share(row) for share in shares] for row in given] if shares else []
        check_agreement(document, rows, answers)
        n_compared += (2 + len(shares)) * len(given)
    return n_compared


def in_table(
    document: dict[str, Any], rows: Columns, columns: dict[str, str], *, has_nan: bool
) -> list[dict[str, Any]]:
    """The rows as the database has them: every other missing number NaN, if it has such a thing."""
    held = {}
    for column in document["columns"]:
        values = rows[column["name"]]
        if column["kind"] == "number" and has_nan:
            values = [float("nan") if x is None and i % 2 else x for i, x in enumerate(values)]
        held[columns.get(column["name"], column["name"])] = values
    return [dict(zip(held, values, strict=True)) for values in zip(*held.values(), strict=True)]


def check_literals(document: dict[str, Any], reading: Reading, columns: dict[str, str]) -> None:
    """Columns are those of the tests, texts are categories and classes, numbers those of the tree."""
    tests = [node["test"] for node in document["nodes"] if "test" in node]
    used = {document["columns"][test["column"]]["name"] for test in tests}
    assert reading.columns <= {columns.get(name, name) for name in used}
    labels = [scalar(label) for column in document["columns"] for label in column.get("categories", ())]
    labels += [scalar(label) for label in document["classes"] or ()]
    texts = {label for label in labels if isinstance(label, str)}
    if ending := ENDING.get(reading.dialect):
        texts |= {ending} | {text + ending for text in texts}
    assert reading.texts <= texts
    cuts = {key for test in tests if test["kind"] == "ordered" for key in test["keys"]}
    numbers = cuts | {label for label in labels if isinstance(label, float)} | {0.0}
    answers = node_numbers(document) if document["classes"] is None else node_shares(document)
    numbers |= set(answers.ravel().tolist())
    assert reading.doubles <= {sign * number for number in numbers for sign in (1, -1)}


def query_of(sql: str, dialect: str) -> exp.Select:
    """A query as sqlglot reads it: one SELECT, and nothing after it."""
    (query,) = sqlglot.parse(sql, dialect=PARSERS.get(dialect, dialect))
    assert isinstance(query, exp.Select)
    return query
