"""The command line: ``python -m benchmarks [--only NAME...] [--quick] [--json FILE]``."""

from __future__ import annotations

import argparse
import json
import sys
import textwrap
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from threadpoolctl import threadpool_limits

from benchmarks import machine, text
from benchmarks.answers import AnswerDiffersError
from benchmarks.rows import NAMES, load

QUICK = 10


def main(arguments: list[str] | None = None) -> int:
    """0 if every answer was right, whatever the speed; 1 otherwise."""
    options = _parser().parse_args(arguments)
    where = machine.facts()
    print(textwrap.fill(", ".join(f"{key} {value}" for key, value in where.items()), text.WIDTH))
    print(text.heading())
    lines = []
    with threadpool_limits(1):
        for name in options.only or NAMES:
            lines += list(_lines(name, quick=options.quick))
    if options.json:
        report = {"machine": where, "quick": options.quick, "lines": lines}
        options.json.write_text(json.dumps(report, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    return int(any("answer_differs" in line for line in lines))


def _lines(name: str, *, quick: bool) -> Iterator[dict[str, Any]]:
    """The facts of a row's lines, each printed as soon as it is there."""
    row = load(name)
    rows = row.ROWS // QUICK if quick else row.ROWS
    title = row.TITLE.format(rows=rows)
    print(f"{name}: {title}", flush=True)
    start = time.perf_counter()
    try:
        for measured in row.run(rows):
            print(text.line(measured, judged=not quick), flush=True)
            yield {"name": name, "title": title, **measured.facts(judged=not quick)}
    except AnswerDiffersError as difference:
        print(text.remark(f"ANSWER DIFFERS, no time reported: {difference}"), flush=True)
        yield {"name": name, "title": title, "answer_differs": str(difference)}
    print(text.remark(f"({time.perf_counter() - start:.0f} s)"), flush=True)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks", description="Speed and memory, beside others."
    )
    parser.add_argument("--only", nargs="+", choices=NAMES, metavar="NAME", help=f"of {', '.join(NAMES)}")
    parser.add_argument("--quick", action="store_true", help=f"{QUICK} times fewer rows; no target is judged")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the numbers there too")
    return parser


if __name__ == "__main__":
    sys.exit(main())
