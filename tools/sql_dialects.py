"""Print, for every dialect of SQL, whether sqlglot reads it as it was meant, and which engine ran it.

Random trees, and one of texts only, are written in each dialect. What sqlglot reads is evaluated on rows, and
queries are run where an engine is present: SQLite and DuckDB always; ClickHouse (chdb) and Spark (pyspark,
Java) if installed; PostgreSQL and MariaDB if their servers are, which are started in a folder of their own.
Every answer is compared with Tree.predict. Exit code 1 if one differs.
"""

from __future__ import annotations

import argparse
import importlib.util
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, closing
from glob import glob
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "export"))

from sql_comparison import compare_in, compare_read
from sql_engines import ClickHouse, DuckDB, MariaDB, PostgreSQL, Spark, SQLite, spark_session
from sql_servers import mariadb_server, postgres_server

from thriftree.export.sql_dialects import DIALECTS

#: Engines that stand in for another one, from which it comes or which took its SQL over.
STAND_INS = {("hive", "Spark"), ("databricks", "Spark"), ("redshift", "PostgreSQL")}


def engines(stack: ExitStack) -> Iterator[Any]:
    """Yield the engines that are present, each until the stack is closed."""
    yield stack.enter_context(closing(SQLite()))
    yield stack.enter_context(closing(DuckDB()))
    if importlib.util.find_spec("chdb"):
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        yield stack.enter_context(closing(ClickHouse(folder)))
    servers = sorted(glob("/usr/lib/postgresql/*/bin/postgres"))
    if servers and importlib.util.find_spec("psycopg"):
        socket_folder = stack.enter_context(postgres_server(Path(servers[-1])))
        yield stack.enter_context(closing(PostgreSQL(socket_folder)))
    mariadbd = shutil.which("mariadbd", path="/usr/sbin:/usr/local/sbin:/usr/bin")
    if mariadbd and importlib.util.find_spec("pymysql"):
        socket = stack.enter_context(mariadb_server(Path(mariadbd)))
        yield stack.enter_context(closing(MariaDB(socket)))
    if shutil.which("java") and importlib.util.find_spec("pyspark"):
        session = stack.enter_context(spark_session())
        yield Spark(session, ansi=True)
        yield Spark(session, ansi=False)


def main() -> int:
    """Compare, print the table, return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trees", type=int, default=10)
    parser.add_argument("--rows", type=int, default=1000)
    options = parser.parse_args()
    lines: list[tuple[str, str, int, list[str]]] = []
    for dialect in DIALECTS:
        read = compare_read(dialect, options.trees, options.rows)
        lines.append((dialect, "sqlglot, read", read.n_rows, read.disagreements))
    with ExitStack() as stack:
        for engine in engines(stack):
            for dialect in engine.dialects:
                run = compare_in(engine, dialect, options.trees, options.rows)
                stands_in = (dialect, engine.name.partition(",")[0]) in STAND_INS
                by = f"{engine.name}{' (stand-in)' if stands_in else ''}, run"
                lines.append((dialect, by, run.n_rows, run.disagreements))
    print(f"{'dialect':12} {'by':36} {'rows':>8} {'trees that differ':>18}")
    for dialect, by, n_rows, wrong in sorted(lines, key=lambda line: list(DIALECTS).index(line[0])):
        print(f"{dialect:12} {by:36} {n_rows:8} {len(wrong):18}")
    for dialect, by, _, wrong in lines:
        for message in wrong:
            print(f"{dialect}, {by}: {message}")
    return int(any(wrong for *_, wrong in lines))


if __name__ == "__main__":
    sys.exit(main())
