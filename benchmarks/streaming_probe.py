"""One run in a process of its own: its seconds, and its peak memory above what it had at the start, as JSON.

Called as ``python -m benchmarks.streaming_probe pandas TABLE`` or ``… thriftree TREE TABLE OUTPUT``. Imports
count as work for us, but not for pandas, so that pandas is timed just reading.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any


def main(what: str, *paths: str) -> dict[str, float]:
    if what == "pandas":
        import pandas

        read = pandas.read_parquet if paths[0].endswith(".parquet") else pandas.read_csv
        return measured(lambda: read(paths[0]))
    tree, table, output = paths

    def predict() -> None:
        from thriftree.cli import main as thriftree

        if thriftree(["predict", tree, table, "-o", output]) != 0:
            raise SystemExit("thriftree predict failed")

    return measured(predict)


def measured(work: Callable[[], Any]) -> dict[str, float]:
    before = _status_bytes("VmRSS")
    wall, cpu = time.perf_counter(), time.process_time()
    work()
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    return {"wall_s": wall, "cpu_s": cpu, "peak_bytes": _status_bytes("VmHWM") - before}


def _status_bytes(field: str) -> int:
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(field + ":"):
            return int(line.split()[1]) * 1024
    raise KeyError(f"/proc/self/status has no {field}")


if __name__ == "__main__":
    print(json.dumps(main(*sys.argv[1:])))
