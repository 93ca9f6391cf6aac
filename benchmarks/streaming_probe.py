"""One run in a process of its own: its seconds, and its peak memory above what it had at the start, as JSON.

Called as ``python -m benchmarks.streaming_probe pandas FEW_ROWS TABLE`` or ``… thriftree TREE FEW_ROWS TABLE
OUTPUT``. The few rows come first and are not counted: modules are imported by then, so that reading and
answering are timed. Memory counts from before the imports.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path


def run_pandas(few_rows: str, table: str) -> float:
    import pandas

    pandas.read_csv(few_rows)
    start = time.perf_counter()
    pandas.read_csv(table)
    return time.perf_counter() - start


def run_thriftree(tree: str, few_rows: str, table: str, output: str) -> float:
    from thriftree.cli import main

    codes = [main(["predict", tree, few_rows, "-o", output])]
    start = time.perf_counter()
    codes.append(main(["predict", tree, table, "-o", output]))
    seconds = time.perf_counter() - start
    if codes != [0, 0]:
        raise SystemExit("thriftree predict failed")
    return seconds


def _status_bytes(field: str) -> int:
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(field + ":"):
            return int(line.split()[1]) * 1024
    raise KeyError(f"/proc/self/status has no {field}")


if __name__ == "__main__":
    before = _status_bytes("VmRSS")
    seconds = {"pandas": run_pandas, "thriftree": run_thriftree}[sys.argv[1]](*sys.argv[2:])
    print(json.dumps({"seconds": seconds, "peak_bytes": _status_bytes("VmHWM") - before}))
