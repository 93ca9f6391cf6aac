"""One fit of a table in Parquet files in its own process: CPU by role, rounds, bytes, memory.

Called as ``python -m benchmarks.distributed ENGINE FOLDER MAX_BINS [LIMIT_MB]``, ENGINE one of `PROBES`;
prints JSON. A limit holds for the memory that the process may write to (RLIMIT_DATA). It counts what is
reserved, used or not; Arrow's own allocator reserves a gigabyte at once, so that of the system takes its
place then.
"""

from __future__ import annotations

import hashlib
import json
import os
import resource
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

COLUMNS, LEAVES, PART_ROWS = 50, 150, 250_000
NAMES = [f"x{j}" for j in range(COLUMNS)]


def write_files(rows: int, folder: Path) -> None:
    """The table, a file at a time: float64 columns, and classes that depend on several of them."""
    import pyarrow as pa
    import pyarrow.parquet as parquet

    for number, start in enumerate(range(0, rows, PART_ROWS)):
        rng = np.random.default_rng([7, number])
        X = rng.normal(size=(min(PART_ROWS, rows - start), COLUMNS))
        signal = X[:, 0] + X[:, 1] * (X[:, 2] > 0) + np.sin(2 * X[:, 3]) + rng.normal(scale=0.7, size=len(X))
        columns = {name: X[:, j] for j, name in enumerate(NAMES)}
        table = pa.table({**columns, "label": (signal > 0.3).astype(np.int8)})
        parquet.write_table(table, folder / f"{number:05}.parquet", compression="none", use_dictionary=False)


def cpu_by_role() -> dict[str, float]:
    """Seconds of CPU of this process, of the Python processes below it, and of Java's."""
    tick = os.sysconf("SC_CLK_TCK")
    parents, used, names = {}, {}, {}
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            text = (entry / "stat").read_text()
        except OSError:  # it has ended
            continue
        name, fields = text[text.index("(") + 1 : text.rindex(")")], text[text.rindex(")") + 2 :].split()
        process = int(entry.name)
        parents[process], names[process] = int(fields[1]), name
        used[process] = sum(map(int, fields[11:15])) / tick  # with those of children that have ended
    roles = {"driver": 0.0, "workers": 0.0, "jvm": 0.0}
    for process, seconds in used.items():
        above = process
        while above in parents and above != os.getpid():
            above = parents[above]
        if above == os.getpid():
            role = "driver" if process == above else "jvm" if names[process] == "java" else "workers"
            roles[role] += seconds
    return roles


def peak_bytes() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def model(max_bins: int) -> Any:
    from thriftree import CARTClassifier

    return CARTClassifier(max_bins=max_bins or None, max_leaves=LEAVES)


@contextmanager
def given_by_local(folder: Path) -> Iterator[Any]:
    """A function that reads all files, as a local fit needs it."""
    import pyarrow.parquet as parquet

    def read() -> tuple[Any, Any]:
        table = parquet.read_table(folder, use_threads=False)
        return table.select(NAMES), table.column("label").to_numpy()

    yield read


@contextmanager
def given_by_files(folder: Path) -> Iterator[Any]:
    from thriftree import ParquetTable

    yield lambda: (ParquetTable(folder), "label")


@contextmanager
def given_by_dask(folder: Path) -> Iterator[Any]:
    import dask.dataframe as dd
    from distributed import Client

    with Client(n_workers=2, threads_per_worker=1, dashboard_address=":0") as client:
        client.run(lambda: __import__("thriftree.distributed.coded_part"))
        frame = dd.read_parquet(folder)
        yield lambda: (frame[NAMES], frame["label"])


@contextmanager
def given_by_spark(folder: Path) -> Iterator[Any]:
    os.environ["PYSPARK_PYTHON"] = sys.executable
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
    spark = builder.config("spark.ui.showConsoleProgress", "false").getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    # Of a folder Spark takes files of one size in any order; of a list, in that of the list.
    frame = spark.read.parquet(*map(str, sorted(folder.glob("*.parquet"))))
    frame.count()
    yield lambda: (frame, "label")
    spark.stop()


PROBES: dict[str, Callable[[Path], Any]] = {
    "local": given_by_local,
    "files": given_by_files,
    "dask": given_by_dask,
    "spark": given_by_spark,
}


@contextmanager
def watched_stores() -> Iterator[list[Any]]:
    """The stores of sums that are made inside."""
    from thriftree.distributed.sum_store import SumStore

    made: list[Any] = []
    real = SumStore.__init__

    def noting(self: Any, *arguments: Any, **more: Any) -> None:
        made.append(self)
        real(self, *arguments, **more)

    SumStore.__init__ = noting  # type: ignore[method-assign]
    try:
        yield made
    finally:
        SumStore.__init__ = real  # type: ignore[method-assign]


def probe(engine: str, folder: Path, max_bins: int) -> dict[str, Any]:
    with PROBES[engine](folder) as given, watched_stores() as stores:
        before, start = cpu_by_role(), time.perf_counter()
        learner = model(max_bins)
        learner.fit(*given())
        seconds, after = time.perf_counter() - start, cpu_by_role()
    document = learner.tree_.to_dict()
    document.pop("settings")
    tree = hashlib.sha256(json.dumps(document, sort_keys=True, default=str).encode()).hexdigest()
    return {
        "cpu": {role: after[role] - before[role] for role in after},
        "seconds": seconds,
        "rounds": sum(store.n_rounds for store in stores),
        "most_bytes": max((n for store in stores for n in store.n_bytes), default=0),
        "depth": learner.tree_.depth,
        "peak_bytes": peak_bytes(),
        "tree": tree,
    }


if __name__ == "__main__":
    if len(sys.argv) > 4:
        limit = int(sys.argv[4]) * 2**20
        os.environ["ARROW_DEFAULT_MEMORY_POOL"] = "system"  # read when pyarrow is imported
        resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))
    print(json.dumps(probe(sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]))))
