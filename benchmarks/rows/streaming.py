"""`thriftree predict` on a table that streams by: against pandas just reading it, and its peak memory."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.answers import AnswerDiffersError
from benchmarks.measurement import Lines, Measurement, RatioTarget, faster
from thriftree import CARTClassifier, Tree

TITLE = "thriftree predict, {rows:,} × 20 columns in a file, wall time, best of 3 in turns"
ROWS = 2_000_000
ALLOWED_MB = 500
_COLOURS = ("red", "green", "blue", "yellow")
_LEARNT_ROWS = 50_000
_REPEATS = 3


def run(rows: int) -> Lines:
    try:
        import pandas  # noqa: F401
        import pyarrow  # noqa: F401
    except ImportError as error:
        yield Measurement("predict", "pandas", remark=f"not measured: {error.name} is not installed")
        return
    if not Path("/proc/self/status").exists():
        yield Measurement("predict", "pandas", remark="not measured: needs Linux's /proc")
        return
    with tempfile.TemporaryDirectory() as folder:
        yield from _lines(Path(folder), rows)


def _lines(folder: Path, rows: int) -> Iterator[Measurement]:
    frame, y = _table(rows)
    learnt = min(rows, _LEARNT_ROWS)
    tree = CARTClassifier(max_leaves=100, max_bins=255).fit(frame[:learnt], y[:learnt]).tree_
    tree.save(folder / "tree.json")
    frame.to_csv(folder / "table.csv", index=False)
    frame.to_parquet(folder / "table.parquet", row_group_size=1 << 17)
    expected = tree.predict(frame)
    del frame
    few = {form: _few_rows(folder, form) for form in ("csv", "parquet")}
    peaks = {}
    for form in ("csv", "parquet"):
        ours: list[dict[str, float]] = []
        theirs: list[dict[str, float]] = []
        for _ in range(_REPEATS):
            # pandas reads the CSV in both lines: that is the bound that both have to keep.
            theirs.append(_probe("pandas", few["csv"], folder / "table.csv"))
            files = (folder / "tree.json", few[form], folder / f"table.{form}", folder / "out.csv")
            ours.append(_probe("thriftree", *files))
        _check(folder / "out.csv", tree, expected)
        peaks[form] = max(one["peak_bytes"] for one in ours) / 1e6
        for key, words in (("seconds", ""), ("process_s", ", imports and all")):
            ours_s, theirs_s = (min(one[key] for one in runs) for runs in (ours, theirs))
            yield faster(f"{form}{words}", "pandas.read_csv", ours_s, theirs_s, at_least=1.0)
    for form, peak in peaks.items():
        yield Measurement(
            f"{form}, peak memory",
            f"{ALLOWED_MB} MB above the start",
            peak,
            ALLOWED_MB,
            unit="MB",
            ratio=peak / ALLOWED_MB,
            target=RatioTarget(1, "at_most"),
        )


def _table(rows: int) -> tuple[Any, Any]:
    """15 columns of floats, some missing, 3 of colours, 2 of whole numbers; ten of them matter."""
    import pandas

    random = np.random.default_rng(0)
    columns: dict[str, Any] = {f"x{j}": random.normal(size=rows).round(4) for j in range(15)}
    columns["x0"][::97] = np.nan
    columns |= {f"colour{j}": random.choice(_COLOURS, rows) for j in range(3)}
    columns |= {f"count{j}": random.integers(0, 1000, rows) for j in range(2)}
    signal = sum(np.nan_to_num(columns[f"x{j}"]) / (j + 1) for j in range(8))
    signal = signal + (columns["colour0"] == "red") + columns["count0"] / 500 + random.normal(size=rows) / 2
    return pandas.DataFrame(columns), np.where(signal > np.median(signal), "yes", "no")


def _few_rows(folder: Path, form: str) -> Path:
    """The first rows of the table in this form."""
    import pandas

    path = folder / f"few.{form}"
    rows = pandas.read_csv(folder / "table.csv", nrows=100)
    if form == "csv":
        rows.to_csv(path, index=False)
    else:
        rows.to_parquet(path)
    return path


def _probe(*arguments: str | Path) -> dict[str, float]:
    start = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.streaming_probe", *map(str, arguments)],
        cwd=Path(__file__).parents[2],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        check=True,
    )
    return {**json.loads(done.stdout), "process_s": time.perf_counter() - start}


def _check(output: Path, tree: Tree, expected: Any) -> None:
    """The file has the answers of the library, row by row."""
    said = np.array(output.read_text().splitlines()[1:])
    if len(said) != len(expected) or not (said == expected).all():
        raise AnswerDiffersError(f"{len(said)} rows answered by {tree!r}, not as Tree.predict does")
