"""Engines that run exported SQL: a table is made from rows, the tree's queries are asked of it.

Tables are made by means of the driver, or with quoting that is written here, never with the exporter's.
"""

from __future__ import annotations

import math
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from decimal import Decimal
from pathlib import Path
from typing import Any, Protocol

import duckdb
import pyarrow as pa
from agreement import Answers
from sql_agreement import names_there

from thriftree.document.follow import scalar
from thriftree.export.sql_dialects import DIALECTS
from thriftree.testing.random_documents import Columns
from thriftree.tree import Tree

TABLE = "tree rows"
NUMBER = "row number"
TYPES = {str: "TEXT", bool: "BOOLEAN", int: "BIGINT", float: "DOUBLE"}
ARROW = {"TEXT": pa.string(), "BOOLEAN": pa.bool_(), "BIGINT": pa.int64(), "DOUBLE": pa.float64()}

Table = dict[str, tuple[str, list[Any]]]
"""By name, the type and the values of a column."""


class Engine(Protocol):
    """Something that runs SQL. `has_nan`: NaN is a value of its own; `has_infinity` likewise."""

    name: str
    dialects: tuple[str, ...]  # that it reads, its own first
    quote: str
    has_nan: bool
    has_infinity: bool

    def make(self, table: Table) -> None:
        """Replace the table of rows, TABLE."""

    def ask(self, query: str) -> list[tuple[Any, ...]]:
        """The rows of a query."""


def column_types(document: dict[str, Any]) -> list[str]:
    return [
        "DOUBLE" if column["kind"] == "number" else TYPES[type(scalar([*column["categories"], ""][0]))]
        for column in document["columns"]
    ]


def database_names(document: dict[str, Any], dialect: str) -> dict[str, str]:
    """New names for columns whose name is empty, impossible in the engine, or another's in other case."""
    taken: set[str] = set()
    renamed = names_there(document, DIALECTS[dialect])
    for j, name in enumerate(column["name"] for column in document["columns"]):
        if not name or name.lower() in taken:
            renamed[name] = f"renamed {j}"
        taken.add(name.lower())
    return renamed


def run_in(
    engine: Engine, document: dict[str, Any], rows: Columns, dialect: str = "ansi", **options: Any
) -> Answers:
    """What the engine says of the rows: the label by a whole query, all else by expressions in one of ours.

    Every other missing number is NaN, if the engine has it.
    """
    columns = database_names(document, dialect)
    options |= {"columns": columns, "dialect": dialect}
    table: Table = {NUMBER: ("BIGINT", list(range(len(next(iter(rows.values()))))))}
    for (name, values), kind in zip(rows.items(), column_types(document), strict=True):
        if kind == "DOUBLE" and engine.has_nan:
            values = [math.nan if x is None and i % 2 else x for i, x in enumerate(values)]
        table[columns.get(name, name)] = (kind, values)
    engine.make(table)
    tree = Tree.from_dict(document)
    order = f"ORDER BY {engine.quote}{NUMBER}{engine.quote}"
    query = tree.to_sql(table=TABLE, answer='the "answer"', **options)
    label = [_plain(row[-1]) for row in engine.ask(f"{query}\n{order}")]

    def column(**what: Any) -> list[Any]:
        expression = tree.to_sql(**options, **what)
        found = engine.ask(f"SELECT {expression}\nAS answer FROM {engine.quote}{TABLE}{engine.quote} {order}")
        return [_plain(value) for (value,) in found]

    answers = Answers(label, column(what="leaf"), column(what="cost"))
    if tree.classes is not None:
        shares = (column(what="probability", of=c) for c in tree.classes)
        answers.shares = [list(of_row) for of_row in zip(*shares, strict=True)]
    return answers


def _plain(value: Any) -> Any:
    """A DECIMAL as its number: PostgreSQL's for 0.5e0, Spark's and MariaDB's for integers from 2^63 on."""
    if isinstance(value, Decimal):
        return (
            int(value)
            if value == value.to_integral_value() and value.as_tuple().exponent == 0
            else float(value)
        )
    return value


def _arrow(table: Table) -> pa.Table:
    return pa.table({name: pa.array(values, ARROW[kind]) for name, (kind, values) in table.items()})


class SQLite:
    name = "SQLite"
    dialects = ("sqlite", "ansi")
    quote = '"'
    has_nan = False
    has_infinity = True

    def __init__(self) -> None:
        self._connection = sqlite3.connect(":memory:")

    def make(self, table: Table) -> None:
        columns = [
            f'"{name}"'.replace('"', '""')[1:-1] + f" {kind.replace('DOUBLE', 'REAL')}"
            for name, (kind, _) in table.items()
        ]
        self._connection.execute(f'DROP TABLE IF EXISTS "{TABLE}"')
        self._connection.execute(f'CREATE TABLE "{TABLE}" ({", ".join(columns)})')
        values = zip(*(values for _, values in table.values()), strict=True)
        self._connection.executemany(f'INSERT INTO "{TABLE}" VALUES (?{", ?" * (len(columns) - 1)})', values)

    def ask(self, query: str) -> list[tuple[Any, ...]]:
        return self._connection.execute(query).fetchall()

    def close(self) -> None:
        self._connection.close()


class DuckDB:
    name = "DuckDB"
    dialects = ("duckdb", "ansi")
    quote = '"'
    has_nan = True
    has_infinity = True

    def __init__(self) -> None:
        self._connection = duckdb.connect()

    def make(self, table: Table) -> None:
        self._connection.register(TABLE, _arrow(table))

    def ask(self, query: str) -> list[tuple[Any, ...]]:
        return self._connection.execute(query).fetchall()

    def close(self) -> None:
        self._connection.close()


def run_sqlite(document: dict[str, Any], rows: Columns, **options: Any) -> Answers:
    with closing(SQLite()) as engine:
        return run_in(engine, document, rows, **options)


def run_duckdb(document: dict[str, Any], rows: Columns, **options: Any) -> Answers:
    with closing(DuckDB()) as engine:
        return run_in(engine, document, rows, **options)


def ask_duckdb(query: str) -> list[tuple[Any, ...]]:
    """The rows of a query that needs no table."""
    with closing(DuckDB()) as engine:
        return engine.ask(query)


class ClickHouse:
    """ClickHouse within the process, by chdb."""

    name = "ClickHouse"
    dialects = ("clickhouse",)
    quote = '"'
    has_nan = True
    has_infinity = True

    def __init__(self, folder: Path) -> None:
        from chdb.session import Session

        self._session = Session()
        self._file = folder / "rows.arrow"

    def make(self, table: Table) -> None:
        rows = _arrow(table)
        with pa.OSFile(str(self._file), "wb") as sink, pa.ipc.new_file(sink, rows.schema) as writer:
            writer.write_table(rows)
        self._session.query("CREATE DATABASE IF NOT EXISTS trees ENGINE = Atomic")
        self._session.query("USE trees")
        self._session.query(f'DROP TABLE IF EXISTS "{TABLE}"')
        self._session.query(
            f"CREATE TABLE \"{TABLE}\" ENGINE = Memory AS SELECT * FROM file('{self._file}', 'Arrow')"
        )

    def ask(self, query: str) -> list[tuple[Any, ...]]:
        answer = self._session.query(f"{query}\nSETTINGS output_format_arrow_string_as_string = 1", "Arrow")
        found = pa.ipc.open_file(pa.BufferReader(answer.bytes())).read_all()
        return list(zip(*(column.to_pylist() for column in found.columns), strict=True))

    def close(self) -> None:
        self._session.close()


class Spark:
    """Spark in local mode. `ansi` is spark.sql.ansi.enabled."""

    dialects = ("spark", "databricks", "hive")
    quote = "`"
    has_nan = True
    has_infinity = True

    def __init__(self, session: Any, *, ansi: bool) -> None:
        self.name = f"Spark, ANSI {'on' if ansi else 'off'}"
        self._session = session
        self._ansi = ansi

    def make(self, table: Table) -> None:
        self._session.conf.set("spark.sql.ansi.enabled", str(self._ansi).lower())
        self._session.createDataFrame(_arrow(table)).createOrReplaceTempView(f"`{TABLE}`")

    def ask(self, query: str) -> list[tuple[Any, ...]]:
        return [tuple(row) for row in self._session.sql(query).collect()]


class PostgreSQL:
    name = "PostgreSQL"
    dialects = ("postgres", "ansi", "redshift")
    quote = '"'
    has_nan = True
    has_infinity = True

    def __init__(self, socket_folder: Path) -> None:
        import psycopg

        self._connection = psycopg.connect(
            host=str(socket_folder), user="postgres", dbname="postgres", autocommit=True
        )

    def make(self, table: Table) -> None:
        from psycopg import sql

        columns = [
            sql.SQL("{} {}").format(sql.Identifier(name), sql.SQL(kind.replace("DOUBLE", "DOUBLE PRECISION")))
            for name, (kind, _) in table.items()
        ]
        name = sql.Identifier(TABLE)
        self._connection.execute(sql.SQL("DROP TABLE IF EXISTS {}").format(name))
        self._connection.execute(sql.SQL("CREATE TABLE {} ({})").format(name, sql.SQL(", ").join(columns)))
        copy = sql.SQL("COPY {} FROM STDIN").format(name)
        with self._connection.cursor() as cursor, cursor.copy(copy) as rows:
            for row in zip(*(values for _, values in table.values()), strict=True):
                rows.write_row(row)

    def ask(self, query: str) -> list[tuple[Any, ...]]:
        return self._connection.execute(query.encode()).fetchall()

    def close(self) -> None:
        self._connection.close()


class MariaDB:
    """MariaDB with a collation that ignores case, accents and trailing blanks, as is its default."""

    name = "MariaDB"
    dialects = ("mysql",)
    quote = "`"
    has_nan = False
    has_infinity = False

    def __init__(self, socket: Path, *, charset: str = "utf8mb4", sql_mode: str = "") -> None:
        import pymysql

        self._connection = pymysql.connect(
            unix_socket=str(socket), user="root", charset=charset, sql_mode=sql_mode or None, autocommit=True
        )

    def make(self, table: Table) -> None:
        columns = [
            f"`{name.replace('`', '``')}` {kind.replace('TEXT', 'VARCHAR(200)')}"
            for name, (kind, _) in table.items()
        ]
        with self._connection.cursor() as cursor:
            cursor.execute("CREATE DATABASE IF NOT EXISTS trees CHARACTER SET utf8mb4")
            cursor.execute("USE trees")
            cursor.execute(f"DROP TABLE IF EXISTS `{TABLE}`")
            cursor.execute(f"CREATE TABLE `{TABLE}` ({', '.join(columns)})")
            values = list(zip(*(values for _, values in table.values()), strict=True))
            places = ", ".join(["%s"] * len(columns))
            cursor.executemany(f"INSERT INTO `{TABLE}` VALUES ({places})", values)

    def ask(self, query: str) -> list[tuple[Any, ...]]:
        with self._connection.cursor() as cursor:
            cursor.execute(query)
            return list(cursor.fetchall())

    def close(self) -> None:
        self._connection.close()


@contextmanager
def spark_session() -> Iterator[Any]:
    """A local Spark that talks to nobody."""
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.master("local[1]").appName("thriftree")
    settings = {
        "spark.ui.enabled": "false",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        "spark.sql.shuffle.partitions": "1",
        "spark.sql.execution.arrow.pyspark.enabled": "true",
        "spark.log.level": "OFF",
    }
    for name, value in settings.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    try:
        yield session
    finally:
        session.stop()
