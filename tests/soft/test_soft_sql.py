"""SQL of soft trees: run in SQLite and DuckDB, in the full run by other engines, and read by sqlglot."""

from __future__ import annotations

import math
import operator
import sqlite3
from typing import Any

import numpy as np
import pandas as pd
import pytest
from soft_documents import check_soft_agreement, random_soft_document, rows_for
from soft_tables import mixed
from sql_agreement import in_table, names_there, without_empty_texts
from sql_engines import NUMBER, TABLE, Engine, _plain, column_types, database_names
from sql_reading import NAN_ORDER, NAN_ORDERS, WITHOUT_NAN, Reading
from sqlglot import exp
from test_sql_engines import (  # noqa: F401  (fixtures)
    PAIRS,
    clickhouse,
    duckdb,
    mariadb,
    mariadb_socket,
    postgres,
    spark,
    spark_ansi,
    spark_not_ansi,
    sqlite,
)
from thoroughness import tries

from thriftree import SoftTree, SoftTreeClassifier
from thriftree.export.sql_dialects import DIALECTS
from thriftree.testing.random_documents import Columns

WITHIN = 1e-9


def soft_in(engine: Engine, document: dict[str, Any], rows: Columns, dialect: str) -> tuple[list[Any], Any]:
    """Labels by a whole query, probabilities by expressions."""
    columns = database_names(document, dialect)
    table: dict[str, Any] = {NUMBER: ("BIGINT", list(range(len(next(iter(rows.values()))))))}
    for (name, values), kind in zip(rows.items(), column_types(document), strict=True):
        if kind == "DOUBLE" and engine.has_nan:
            values = [math.nan if x is None and i % 2 else x for i, x in enumerate(values)]
        table[columns.get(name, name)] = (kind, values)
    engine.make(table)
    tree = SoftTree.from_dict(document)
    order = f"ORDER BY {engine.quote}{NUMBER}{engine.quote}"
    query = tree.to_sql(table=TABLE, answer='the "answer"', dialect=dialect, columns=columns)
    labels = [_plain(row[-1]) for row in engine.ask(f"{query}\n{order}")]
    if tree.classes is None:
        return labels, None
    shares = []
    for label in tree.classes:
        expression = tree.to_sql(what="probability", of=label, dialect=dialect, columns=columns)
        from_ = f"{engine.quote}{TABLE}{engine.quote}"
        shares.append([row[0] for row in engine.ask(f"SELECT {expression}\nAS answer FROM {from_} {order}")])
    return labels, np.array(shares, float).T


@pytest.mark.parametrize("hard", [False, True], ids=["soft", "hard"])
@pytest.mark.parametrize(("engine", "dialect"), PAIRS)
def test_the_engine_answers_as_the_soft_tree_does(request, engine, dialect, hard):
    for seed in range(tries(8, 3)):
        document = random_soft_document(seed, hard=hard, n_gates=1 + seed % 5)
        rows = rows_for(document, seed, 200)
        answers = soft_in(request.getfixturevalue(engine), document, rows, dialect)
        check_soft_agreement(document, rows, *answers, within=WITHIN)


@pytest.mark.parametrize("n_classes", [0, 3])
@pytest.mark.parametrize(("engine", "dialect"), PAIRS)
def test_linear_leaves_agree(request, engine, dialect, n_classes):
    document = random_soft_document(3, linear=True, n_gates=2, n_columns=3, n_classes=n_classes)
    rows = rows_for(document, 0, 100)
    for values in rows.values():
        values[:] = [min(x, 50.0) if isinstance(x, float) else x for x in values]
    answers = soft_in(request.getfixturevalue(engine), document, rows, dialect)
    check_soft_agreement(document, rows, *answers, within=WITHIN)


@pytest.mark.parametrize(("engine", "dialect"), PAIRS)
def test_sums_far_from_0_overflow_nowhere(request, engine, dialect):
    document = random_soft_document(2, n_gates=7, n_classes=3, axis=False, kinds=("number",))
    document["sharpness"] = 1e6
    document["leaves"][0] = [-900.0, 0.0, 3.0]
    rows = rows_for(document, 0, 100)
    answers = soft_in(request.getfixturevalue(engine), document, rows, dialect)
    check_soft_agreement(document, rows, *answers, within=WITHIN)


class SoftReading(Reading):
    """With the arithmetic that soft trees add. Every number is a DOUBLE."""

    def _add(self, node: exp.Add) -> Any:
        return self._arithmetic(node, operator.add) if self._is_sum(node) else super()._add(node)

    @staticmethod
    def _is_sum(node: exp.Expression) -> bool:
        inner = node
        while isinstance(inner, (exp.Add, exp.Mul, exp.Paren, exp.Neg)):
            inner = inner.this
        return not isinstance(inner, exp.National)

    def _mul(self, node: exp.Mul) -> Any:
        return self._arithmetic(node, operator.mul)

    def _div(self, node: exp.Div) -> Any:
        return self._arithmetic(node, operator.truediv)

    def _gte(self, node: exp.GTE) -> Any:
        return self._comparison(node, operator.ge)

    def _exp(self, node: exp.Exp) -> Any:
        of = self.compile(node.this)
        return lambda row: math.exp(of(row))

    def _least(self, node: exp.Least) -> Any:
        parts = [self.compile(part) for part in (node.this, *node.expressions)]
        return lambda row: min(part(row) for part in parts)

    def _greatest(self, node: exp.Greatest) -> Any:
        parts = [self.compile(part) for part in (node.this, *node.expressions)]
        return lambda row: max(part(row) for part in parts)

    _min, _max = _least, _greatest  # SQLite's, of two numbers


@pytest.mark.parametrize("dialect", sorted(DIALECTS))
def test_another_parser_reads_every_dialect_as_it_is_meant(dialect):
    writer = DIALECTS[dialect]
    for seed in range(tries(12, 3)):
        document = random_soft_document(
            seed, hard=seed % 3 == 2, linear=seed % 3 == 1, n_columns=3, n_gates=1 + seed % 3
        )
        rows = rows_for(document, seed, 30)
        if writer.empty_text_is_null:
            document, rows = without_empty_texts(document, rows)
        columns = names_there(document, writer)
        tree = SoftTree.from_dict(document)
        given = in_table(document, rows, columns, has_nan=dialect not in WITHOUT_NAN)
        for nan in NAN_ORDER.get(dialect, NAN_ORDERS):
            label = SoftReading(dialect, nan).expression(tree.to_sql(dialect=dialect, columns=columns))
            shares = [
                SoftReading(dialect, nan).expression(
                    tree.to_sql(dialect=dialect, columns=columns, what="probability", of=one)
                )
                for one in tree.classes or ()
            ]
            answers = [[share(row) for share in shares] for row in given] if shares else None
            check_soft_agreement(document, rows, [label(row) for row in given], answers, within=WITHIN)


@pytest.mark.parametrize("dialect", ["sqlite", "ansi"])
def test_the_probability_of_the_predicted_class_is_the_largest(dialect):
    X, y = mixed(0)
    tree = SoftTreeClassifier(max_depth=2, max_iter=20).fit(X, y).soft_tree_
    connection = sqlite3.connect(":memory:")
    X.to_sql("t", connection, index=False)
    (found,) = zip(
        *connection.execute(f"SELECT {tree.to_sql(what='probability', dialect=dialect)} FROM t"), strict=True
    )
    connection.close()
    np.testing.assert_allclose(found, tree.predict_proba(X).max(axis=1), atol=WITHIN)


@pytest.mark.parametrize("dialect", ["duckdb", "sqlite"])
def test_dates_count_in_days(dialect):
    import datetime as dt

    import duckdb as engine
    import pyarrow as pa

    days = [dt.date(2020, 1, 1) + dt.timedelta(days=7 * i) for i in range(80)] + [dt.date(1960, 2, 29), None]
    table = pa.table({"day": pa.array(days, pa.date32()), "size": np.arange(82.0) % 5})
    y = (np.arange(82) // 20) % 2
    tree = SoftTreeClassifier(max_depth=2, max_iter=20).fit(table, y).soft_tree_
    expression = tree.to_sql(what="probability", of=1, dialect=dialect)
    if dialect == "duckdb":
        with engine.connect() as connection:
            connection.register("t", table)
            found = connection.execute(f"SELECT {expression} FROM t").fetchall()
    else:
        connection = sqlite3.connect(":memory:")
        texts = [None if day is None else day.isoformat() for day in days]
        pd.DataFrame({"day": texts, "size": np.arange(82.0) % 5}).to_sql("t", connection, index=False)
        found = connection.execute(f"SELECT {expression} FROM t").fetchall()
        connection.close()
    np.testing.assert_allclose(np.array(found)[:, 0], tree.predict_proba(table)[:, 1], atol=WITHIN)
    with pytest.raises(ValueError, match=r"'day' holds dates, which .* does not count for certain"):
        tree.to_sql(dialect="ansi")


def test_options_that_make_no_sense_are_refused():
    tree = SoftTree.from_dict(random_soft_document(0, n_classes=2, hostile=False))
    for options, message in (
        ({"what": "leaf"}, "what must be one of 'label', 'probability', not 'leaf'"),
        ({"of": 1}, "of names the class of a probability"),
        ({"what": "probability", "of": "nobody"}, "of must be a class of the tree"),
        ({"dialect": "foxpro"}, "dialect must be one of"),
        ({"columns": {"nobody": "x"}}, "columns renames 'nobody'"),
    ):
        with pytest.raises(ValueError, match=message):
            tree.to_sql(**options)
    numbers = SoftTree.from_dict(random_soft_document(0, n_classes=0))
    with pytest.raises(ValueError, match="no class probabilities"):
        numbers.to_sql(what="probability")
    several = random_soft_document(0, n_classes=2)
    several["classes"] = ["a", 1]
    with pytest.raises(ValueError, match="differ in type"):
        SoftTree.from_dict(several).to_sql()
