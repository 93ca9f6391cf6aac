"""`python -m studies.worst_case --data FOLDER`: error against the most tests that anyone takes.

The nine data sets of paper 001, its impurities, and whether its two findings hold. With `--certificates` also
how far trees with real prices can be from the best of their class.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from dataclasses import astuple, fields
from pathlib import Path

from studies import command, price_sets, worst_case_certificates, worst_case_report
from studies.price_plot import import_figure
from studies.price_sets import PricedSet
from studies.worst_case_certificates import Certified, certificates
from studies.worst_case_curves import curves
from studies.worst_case_findings import Point
from studies.worst_case_plot import plot
from studies.worst_case_sets import SOURCES, ObjectSet, load


def main(arguments: list[str] | None = None) -> int:
    """Run the study, print its report, and write its figures and its plot."""
    parser = _parser()
    options = parser.parse_args(arguments)
    try:  # what is missing is said before the work, not after
        import_figure()
        data = [load(options.data, name) for name in options.sets]
        priced = [price_sets.load(options.data, name) for name in options.priced if options.certificates]
    except (ImportError, FileNotFoundError) as error:
        parser.error(str(error))
    options.out.mkdir(parents=True, exist_ok=True)
    print("\n".join(_study(data, options.out)))
    if priced:
        print("\n".join(_certificates(priced, options.seconds, options.out)))
    return 0


def _study(data: Sequence[ObjectSet], folder: Path) -> list[str]:
    start = time.perf_counter()
    every = {one.source.file: curves(one) for one in data}
    seconds = time.perf_counter() - start
    points = (
        [name, impurity, *astuple(point)]
        for name, found in every.items()
        for impurity, of_impurity in found.items()
        for point in of_impurity
    )
    header = ["set", "impurity", *(field.name for field in fields(Point))]
    paths = [command.write_csv(folder / "worst_case.csv", header, points), *plot(every, folder)]
    lines = list(worst_case_report.about())
    for one in data:
        lines += ["", *worst_case_report.of_set(one, every[one.source.file])]
    lines += ["", *worst_case_report.summary(every), ""]
    lines += [f"{len(every)} data set{'s' * (len(every) > 1)} in {seconds:.0f} s on one thread."]
    return [*lines, f"Written: {', '.join(str(path) for path in paths)}"]


def _certificates(data: Sequence[PricedSet], seconds: float, folder: Path) -> list[str]:
    every = {one.name: list(certificates(one, seconds)) for one in data}
    lines = ["", *worst_case_certificates.about()]
    for one in data:
        lines += ["", *worst_case_certificates.of_set(one, every[one.name])]
    header = [field.name for field in fields(Certified)]
    rows = (astuple(one) for found in every.values() for one in found)
    path = command.write_csv(folder / "worst_case_certificates.csv", header, rows)
    return [*lines, "", f"Written: {path}"]


def _parser() -> argparse.ArgumentParser:
    arguments = command.parser(
        "worst_case",
        "Error against the most tests that anyone takes, on the data sets of paper 001.",
        SOURCES,
    )
    arguments.add_argument(
        "--certificates",
        action="store_true",
        help="how far trees for real prices can be from the best of their class",
    )
    command.add_choice(arguments, "--priced", price_sets.SOURCES, "sets for --certificates, ")
    arguments.add_argument(
        "--seconds", type=float, default=1.0, help="to search for a certificate; default 1"
    )
    return arguments


if __name__ == "__main__":
    sys.exit(main())
