"""Trees of dates in the databases that are there: columns of their own types, and their own comparisons."""

from contextlib import closing
from typing import Any

import pyarrow as pa
import pytest
from dated_trees import KINDS, dated_tree
from sql_engines import ClickHouse, MariaDB, PostgreSQL, Spark, spark_session
from sql_servers import mariadb_server, postgres_server

from thriftree.columns import Temporal
from thriftree.temporal import DAY
from thriftree.temporal.words import tick_words

pytestmark = pytest.mark.full

SEEDS = range(8)
TYPES = {
    "postgres": {"date": "DATE", "datetime": "TIMESTAMP", "zoned": "TIMESTAMPTZ", "time": "TIME"},
    "mariadb": {"date": "DATE", "datetime": "DATETIME(6)", "time": "TIME(6)"},
    "spark": {"date": "DATE", "datetime": "TIMESTAMP_NTZ", "zoned": "TIMESTAMP"},
    "clickhouse": {"date": "Nullable(Date32)"},
}
DIALECTS = {
    "postgres": ["postgres", "ansi", "redshift"],
    "mariadb": ["mysql"],
    "spark": ["spark", "databricks"],
    "clickhouse": ["clickhouse"],
}
CASES = [
    (engine, dialect, kind)
    for engine, types in TYPES.items()
    for dialect in DIALECTS[engine]
    for kind in types
]
DAYS = {"postgres": (-719_162, 2_932_896), "clickhouse": (-25_000, 100_000)}  # others: from the year 1600 on
ARROW = {
    "date": pa.date32(),
    "datetime": pa.timestamp("us"),
    "zoned": pa.timestamp("us", "UTC"),
    "time": pa.time64("us"),
}


@pytest.fixture(scope="module")
def postgres(require):
    with postgres_server(require("postgres")) as folder, closing(PostgreSQL(folder)) as engine:
        yield engine


@pytest.fixture(scope="module")
def mariadb(require):
    with mariadb_server(require("mariadb")) as socket, closing(MariaDB(socket)) as engine:
        yield engine


@pytest.fixture(scope="module")
def clickhouse(tmp_path_factory):
    with closing(ClickHouse(tmp_path_factory.mktemp("clickhouse"))) as engine:
        yield engine


@pytest.fixture(scope="module")
def spark(require):
    require("java")
    with spark_session() as session:
        yield Spark(session, ansi=True)


def ticks_near(engine: str, kind: str) -> tuple[int, int]:
    first, last = DAYS.get(engine, (-135_000, 2_932_896))
    if kind == "time":
        return 0, DAY - 1
    return (first, last) if kind == "date" else (first * DAY, (last + 1) * DAY - 1)


@pytest.mark.parametrize(("engine", "dialect", "kind"), CASES)
def test_the_database_answers_as_predict(request: Any, engine: str, dialect: str, kind: str) -> None:
    database = request.getfixturevalue(engine)
    in_utc = Temporal(KINDS[kind].what, "UTC" if kind == "zoned" else None)
    for seed in SEEDS:
        tree, values = dated_tree(kind, seed, near=ticks_near(engine, kind))
        cells = [*(f"'{tick_words(in_utc, value)}'" for value in values), "NULL"]
        cast = f"CAST({{}} AS {TYPES[engine][kind]})"
        rows = " UNION ALL ".join(
            f"SELECT {i} AS i, {cast.format(cell)} AS t" for i, cell in enumerate(cells)
        )
        query = f"SELECT i,\n{tree.to_sql(dialect=dialect)}\nAS said FROM ({rows}) AS given ORDER BY i"
        got = [int(row[1]) for row in database.ask(query)]
        width = pa.int32() if kind == "date" else pa.int64()
        X = pa.table({"t": pa.array([*values, None], width).cast(ARROW[kind])})
        assert got == tree.predict(X).tolist()
