"""`make bench-optimal`: every solver on every cell, and the table of targets.

`python -m benchmarks.optimal [--quick] [--only WORD] [--tables NAME ...] [--cap SECONDS] [--json FILE]`;
THRIFTREE_DATA names the folder of the shared tables.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from pathlib import Path

from benchmarks import machine
from benchmarks.optimal import report
from benchmarks.optimal.cells import CAP_S, FIRST_TREE, PRICED, QUICK_CAP_S, QUICK_TABLES, WORK, Work
from benchmarks.optimal.comparing import Cell, compared, first_tree, two_threads, with_prices
from benchmarks.optimal.near import near_line
from benchmarks.optimal.running import installed
from benchmarks.optimal.tables import TABLES


def main(arguments: list[str] | None = None) -> int:
    """0 if all objectives agree, whatever the speed; 1 otherwise."""
    options = _parser().parse_args(arguments)
    data = os.environ.get("THRIFTREE_DATA")
    if data is None:
        sys.exit("set THRIFTREE_DATA to the folder of the shared tables")
    print(", ".join(f"{key} {value}" for key, value in machine.facts().items()))
    print("peers:", ", ".join(f"{name} {version}" for name, version in installed().items()) or "none")
    cap_s = options.cap or (QUICK_CAP_S if options.quick else CAP_S)
    cells: list[Cell] = []
    with tempfile.TemporaryDirectory() as folder:
        files = Path(folder)
        for work in _chosen(WORK, options):
            print(report.heading(work), flush=True)
            for name in work.tables:
                cell = compared(work, name, Path(data), files, cap_s)
                cells.append(cell)
                print(report.line(cell), flush=True)
            print(report.summary(work, [cell for cell in cells if cell.work == work]), flush=True)
        for work in _chosen(FIRST_TREE, options):
            print(report.heading(work), flush=True)
            for name in work.tables:
                print(report.first_line(first_tree(work, name, Path(data), files, cap_s)), flush=True)
        for work in _chosen(PRICED, options):
            print(report.heading(work), flush=True)
            for name in work.tables:
                print(report.priced_line(with_prices(work, name, Path(data), files, cap_s)), flush=True)
        if options.only is None or options.only in "threads":
            print(report.threads_line(two_threads(Path(data), files, cap_s)), flush=True)
        if options.only is None or options.only in "near":
            print(near_line(), flush=True)
    print(report.verdicts(cells))
    if options.json:
        options.json.write_text(
            json.dumps([cell.facts() for cell in cells], indent=2) + "\n", encoding="utf-8"
        )
    return int(any(cell.differs for cell in cells))


def _chosen(works: tuple[Work, ...], options: argparse.Namespace) -> list[Work]:
    found = []
    for work in works:
        if options.only is not None and options.only not in work.name:
            continue
        names = options.tables or (QUICK_TABLES if options.quick else work.tables)
        found.append(work.on(name for name in work.tables if name in names))
    return [work for work in found if work.tables]


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.optimal", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="few tables, and little time for peers")
    parser.add_argument("--only", metavar="WORD", help="work whose name has this in it")
    parser.add_argument("--tables", nargs="+", choices=TABLES, metavar="NAME")
    parser.add_argument("--cap", type=float, metavar="SECONDS", help="time for each fit")
    parser.add_argument("--json", type=Path, metavar="FILE")
    return parser


if __name__ == "__main__":
    sys.exit(main())
