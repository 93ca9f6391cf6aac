"""Tables in parts: the tree of a local fit, and what it costs to learn it from files, on Dask and on Spark.

The local fit reads the same files whole, once; its CPU counts that, since those in parts read them, too.
Every engine runs in a process of its own. Two further parts take long, and run when they are asked for:
THRIFTREE_BENCH_LARGE_GB=12 adds a table of so many gigabytes of floats that a process of an eighth of that
much memory learns from; THRIFTREE_BENCH_MILLIONS=1,2,4,8 adds files of so many million rows, one after the
other.
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
from benchmarks.measurement import Lines, Measurement, RatioTarget, as_much, faster

TITLE = f"{{rows:,}} x {COLUMNS} in Parquet files, {LEAVES} leaves"
ROWS = 2_000_000
BINS = 255
EXACT = 0
CODINGS = {BINS: "255 bins", EXACT: "exact"}
# Of each engine: how many times the CPU of a local fit it may take, in bins and exactly; what it needs; and
# the peer on the same engine, of which it takes so many times less.
ENGINES: dict[str, tuple[dict[int, float], tuple[str, ...], tuple[str, str, float] | None]] = {
    "files": ({BINS: 1.3, EXACT: 1.6}, (), None),
    "dask": ({BINS: 1.6, EXACT: 1.6}, ("dask", "distributed"), ("xgboost.dask", "xgboost", 8)),
    "spark": ({BINS: 2.5, EXACT: 2.5}, ("pyspark", "java"), ("Spark MLlib", "pyspark", 20)),
}
MOST_BYTES = 4 * 2**20
LINEAR_WITHIN = 0.1


def run(rows: int) -> Lines:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_files(rows, folder)
        local = {bins: probe("local", folder, bins) for bins in CODINGS}
        for engine, (at_most, needs, peer) in ENGINES.items():
            lacking = [one for one in needs if find_spec(one) is None and which(one) is None]
            if lacking:
                yield Measurement(engine, "local", remark=f"not run: no {', '.join(lacking)}")
                continue
            found = {}
            for bins, coding in CODINGS.items():
                found[bins] = probe(engine, folder, bins)
                check_same(f"{engine}, {coding}", found[bins], local[bins])
                yield from lines(f"{engine}, {coding}", found[bins], local[bins], at_most[bins], bins)
            if peer is not None:
                yield beside(peer, engine, found[BINS], folder)
    if large := os.environ.get("THRIFTREE_BENCH_LARGE_GB"):
        yield from larger_than_memory(float(large))
    if millions := os.environ.get("THRIFTREE_BENCH_MILLIONS"):
        yield from by_rows([float(one) for one in millions.split(",")])


def lines(engine: str, found: dict[str, Any], local: dict[str, Any], at_most: float, bins: int) -> Lines:
    roles = ", ".join(f"{role} {seconds:.1f}" for role, seconds in found["cpu"].items() if seconds)
    peak = f"peak {found['peak_bytes'] / 2**20:.0f} MB, local {local['peak_bytes'] / 2**20:.0f} MB"
    yield as_much(f"{engine} ({roles} s; {peak})", "local", cpu(found), cpu(local), at_most)
    allowed, words = found["depth"] + 2, "depth + 2"
    if bins == EXACT:
        allowed, words = 2 * found["depth"] + 4, "2 depth + 4"
    yield Measurement(
        f"{engine}: rounds",
        words,
        found["rounds"],
        allowed,
        "",
        ratio=found["rounds"] / allowed,
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


def beside(peer: tuple[str, str, float], engine: str, found: dict[str, Any], folder: Path) -> Measurement:
    """A tree of another library on the same engine."""
    name, module, at_least = peer
    if find_spec(module) is None:
        return Measurement(f"{engine}, 255 bins", name, remark=f"not run: no {module}")
    theirs = child("benchmarks.distributed_peers", name, str(folder), str(found["depth"]))
    return faster(f"{engine}, 255 bins", name, cpu(found), cpu(theirs), at_least)


def larger_than_memory(gigabytes: float) -> Lines:
    """The same tree from a table eight times as large as the memory."""
    rows, limit_mb = int(gigabytes * 1e9 / 8 / COLUMNS), int(gigabytes * 1e9 / 8 / 2**20)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_files(rows, folder)
        free, limited = probe("files", folder, BINS), probe("files", folder, BINS, limit_mb)
        check_same("files within a limit", limited, free)
        peak = limited["peak_bytes"] / 2**20
        yield Measurement(
            f"files: {rows:,} rows, {gigabytes:g} GB; without the limit {free['peak_bytes'] / 2**20:.0f} MB",
            f"{limit_mb} MB",
            peak,
            limit_mb,
            "MB",
            ratio=peak / limit_mb,
            target=RatioTarget(1, "at_most"),
        )


def by_rows(millions: list[float]) -> Lines:
    """CPU a row of each size over that of the first."""
    first = None
    for size in millions:
        with tempfile.TemporaryDirectory() as name:
            write_files(int(size * 1e6), Path(name))
            found = probe("files", Path(name), BINS)
        a_row = cpu(found) / size
        first = a_row if first is None else first
        yield as_much(
            f"files: {size:g} million rows, CPU a million",
            f"{millions[0]:g} million",
            a_row,
            first,
            1 + LINEAR_WITHIN,
        )


def cpu(found: dict[str, Any]) -> float:
    return float(sum(found["cpu"].values()))


def check_same(engine: str, found: dict[str, Any], local: dict[str, Any]) -> None:
    if found["tree"] != local["tree"]:
        raise AnswerDiffersError(f"the tree of {engine} is not the local one")


def probe(engine: str, folder: Path, bins: int, limit_mb: int | None = None) -> dict[str, Any]:
    more = [] if limit_mb is None else [str(limit_mb)]
    return child("benchmarks.distributed", engine, str(folder), str(bins), *more)


def child(module: str, *arguments: str) -> dict[str, Any]:
    """What a process of its own prints."""
    command = [sys.executable, "-m", module, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{arguments[0]}: {done.stderr[-2000:]}")
    found: dict[str, Any] = json.loads(done.stdout.strip().splitlines()[-1])
    return found
