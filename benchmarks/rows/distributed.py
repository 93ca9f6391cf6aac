"""Tables in parts: the tree of a local fit, and what it costs to learn it from files, on Dask and on Spark.

The local fit reads the same files whole, once; its CPU counts that, since those in parts read them, too.
Every engine runs in a process of its own. THRIFTREE_BENCH_LARGE_GB=12 adds a table of so many gigabytes of
floats that a process of an eighth of that much memory learns from.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path
from shutil import which
from typing import Any

from benchmarks.answers import AnswerDiffersError
from benchmarks.distributed import COLUMNS, LEAVES, write_files
from benchmarks.measurement import Lines, Measurement, RatioTarget, as_much

TITLE = f"{{rows:,}} x {COLUMNS} in Parquet files, {LEAVES} leaves, 255 bins"
ROWS = 2_000_000
BINS = 255
# Of each engine: how many times the CPU of a local fit it may take, and what it needs.
ENGINES = {"files": (1.3, ()), "dask": (1.6, ("dask", "distributed")), "spark": (2.5, ("pyspark", "java"))}
MOST_BYTES = 4 * 2**20


def run(rows: int) -> Lines:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_files(rows, folder)
        local = probe("local", folder)
        for engine, (at_most, needs) in ENGINES.items():
            lacking = [one for one in needs if find_spec(one) is None and which(one) is None]
            if lacking:
                yield Measurement(engine, "local", remark=f"not run: no {', '.join(lacking)}")
                continue
            found = probe(engine, folder)
            check_same(engine, found, local)
            yield from lines(engine, found, local, at_most)
    if large := os.environ.get("THRIFTREE_BENCH_LARGE_GB"):
        yield from larger_than_memory(float(large))


def lines(engine: str, found: dict[str, Any], local: dict[str, Any], at_most: float) -> Lines:
    roles = ", ".join(f"{role} {seconds:.1f}" for role, seconds in found["cpu"].items() if seconds)
    peak = f"peak {found['peak_bytes'] / 2**20:.0f} MB, local {local['peak_bytes'] / 2**20:.0f} MB"
    yield as_much(f"{engine} ({roles} s; {peak})", "local", cpu(found), cpu(local), at_most)
    yield Measurement(
        f"{engine}: rounds",
        "depth + 2",
        found["rounds"],
        found["depth"] + 2,
        "",
        ratio=found["rounds"] / (found["depth"] + 2),
        target=RatioTarget(1, "at_most"),
    )
    yield Measurement(
        f"{engine}: bytes to the driver in a round",
        "4 MB",
        found["most_bytes"] / 2**20,
        MOST_BYTES / 2**20,
        "MB",
        ratio=found["most_bytes"] / MOST_BYTES,
        target=RatioTarget(1, "at_most"),
    )


def larger_than_memory(gigabytes: float) -> Lines:
    """The same tree from a table eight times as large as the memory."""
    rows, limit_mb = int(gigabytes * 1e9 / 8 / COLUMNS), int(gigabytes * 1e9 / 8 / 2**20)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_files(rows, folder)
        free, limited = probe("files", folder), probe("files", folder, limit_mb)
        check_same("files within a limit", limited, free)
        peak = limited["peak_bytes"] / 2**20
        yield Measurement(
            f"files: {rows:,} rows, {gigabytes:g} GB",
            f"{limit_mb} MB",
            peak,
            limit_mb,
            "MB",
            ratio=peak / limit_mb,
            target=RatioTarget(1, "at_most"),
        )


def cpu(found: dict[str, Any]) -> float:
    return float(sum(found["cpu"].values()))


def check_same(engine: str, found: dict[str, Any], local: dict[str, Any]) -> None:
    if found["tree"] != local["tree"]:
        raise AnswerDiffersError(f"the tree of {engine} is not the local one")


def probe(engine: str, folder: Path, limit_mb: int | None = None) -> dict[str, Any]:
    command = [sys.executable, "-m", "benchmarks.distributed", engine, str(folder), str(BINS)]
    more = [] if limit_mb is None else [str(limit_mb)]
    child = subprocess.run([*command, *more], capture_output=True, text=True, check=False)
    if child.returncode:
        raise RuntimeError(f"{engine}: {child.stderr[-2000:]}")
    found: dict[str, Any] = json.loads(child.stdout.strip().splitlines()[-1])
    return found
