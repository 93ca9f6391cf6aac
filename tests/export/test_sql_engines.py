"""SQL run by the engines it is for: every answer is that of `Tree.predict`."""

from contextlib import closing

import pytest
from agreement import check_agreement, mushrooms
from sql_comparison import compare_in
from sql_engines import ClickHouse, DuckDB, MariaDB, PostgreSQL, Spark, SQLite, run_in, spark_session
from sql_servers import mariadb_server, postgres_server

from thriftree.export.sql_dialects import DIALECTS
from thriftree.testing.random_documents import HOSTILE_TEXTS
from thriftree.tree import Tree

FULL = [pytest.param(name, marks=pytest.mark.full) for name in ("postgres", "mariadb", "clickhouse", "spark", "hive")]


@pytest.fixture(scope="module")
def postgres(require):
    with postgres_server(require("postgres")) as folder, closing(PostgreSQL(folder)) as engine:
        yield engine


@pytest.fixture(scope="module")
def mariadb_socket(require):
    with mariadb_server(require("mariadb")) as socket:
        yield socket


@pytest.fixture(scope="module")
def spark(require):
    require("java")
    with spark_session() as session:
        yield session
