"""`python -m thriftree.studies.worst_case --data FOLDER`: error against the most tests that anyone takes.

The nine data sets of paper 001, its impurities, and whether its two findings hold. With `--certificates` also
how far trees with real prices can be from the best of their class.
"""

from __future__ import annotations

import argparse
import csv
import sys
import time
from collections.abc import Mapping
from dataclasses import astuple, fields
from pathlib import Path

from thriftree.studies import worst_case_report
from thriftree.studies.price_plot import import_figure
from thriftree.studies.worst_case_curves import curves
from thriftree.studies.worst_case_findings import Curves, Point
from thriftree.studies.worst_case_plot import plot
from thriftree.studies.worst_case_sets import SOURCES, load


def main(arguments: list[str] | None = None) -> int:
    """Run the study, print its report, and write its figures and its plot."""
    parser = _parser()
    options = parser.parse_args(arguments)
    try:  # what is missing is said before the work, not after
        import_figure()
        data = {name: load(options.data, name) for name in options.sets}
    except (ImportError, FileNotFoundError) as error:
        parser.error(str(error))
    start = time.perf_counter()
    every = {name: curves(data[name]) for name in options.sets}
    seconds = time.perf_counter() - start

    options.out.mkdir(parents=True, exist_ok=True)
    paths = [_write_csv(every, options.out / "worst_case.csv"), *plot(every, options.out)]
    lines = list(worst_case_report.about())
    for name, found in every.items():
        lines += ["", *worst_case_report.of_set(data[name], found)]
    lines += ["", *worst_case_report.summary(every), ""]
    lines += [f"{len(every)} data sets in {seconds:.0f} s on one thread."]
    lines += [f"Written: {', '.join(str(path) for path in paths)}"]
    print("\n".join(lines))
    return 0


def _write_csv(every: Mapping[str, Curves], path: Path) -> Path:
    """Every tree, for whoever wants to compare otherwise."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["set", "impurity", *(field.name for field in fields(Point))])
        for name, found in every.items():
            for impurity, points in found.items():
                writer.writerows([name, impurity, *astuple(point)] for point in points)
    return path


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m thriftree.studies.worst_case",
        description="Error against the most tests that anyone takes, on the data sets of paper 001.",
    )
    parser.add_argument("--data", type=Path, required=True, help="folder of the Parquet files and costs/")
    parser.add_argument("--out", type=Path, default=Path("study-results"), help="folder for figures and plot")
    parser.add_argument(
        "--sets",
        nargs="+",
        choices=SOURCES,
        default=list(SOURCES),
        metavar="SET",
        help=f"of {', '.join(SOURCES)}",
    )
    return parser


if __name__ == "__main__":
    sys.exit(main())
