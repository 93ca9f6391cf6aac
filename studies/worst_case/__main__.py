"""`python -m studies.worst_case --data FOLDER`: error against the most tests that anyone takes.

The nine data sets of paper 001, its impurities, and whether its two findings hold. With `--certificates` also
how far trees with real prices can be from the best of their class.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import astuple, fields

from studies import price_sets
from studies.harness import kept, program
from studies.harness.figures import import_figure
from studies.harness.record import StudyRun
from studies.worst_case import certificates, report
from studies.worst_case.certificates import Certified
from studies.worst_case.findings import Curves, Point
from studies.worst_case.plot import plot
from studies.worst_case.runs import NAME, certified_of, curves_of, measure, planned
from studies.worst_case.sets import SOURCES, load

FILE = kept.FOLDER / "worst_case.jsonl"


def main(arguments: list[str] | None = None) -> int:
    """Run the study, print its report, and write its figures and its plot."""
    parser = _parser()
    options = parser.parse_args(arguments)
    priced = options.priced if options.certificates else []
    try:  # what is missing is said before the work, not after
        import_figure()
        data = [load(options.data, name) for name in options.sets]
        priced_sets = {name: price_sets.load(options.data, name) for name in priced}
    except (ImportError, FileNotFoundError) as error:
        parser.error(str(error))
    plan = list(planned(options.data, options.sets, priced, options.seconds))
    runs = program.run(parser, options, measure, plan, "worst_case")
    program.all_measures(runs)
    if options.publish:
        kept.write(kept.keep({"study": NAME}, runs), FILE)
    every, certified = curves_of(runs), certified_of(runs)
    paths = [
        program.write_csv(options.out / "worst_case.csv", _header(Point, "set", "impurity"), _points(every)),
        *plot(every, options.out),
    ]
    lines = list(report.about())
    for one in data:
        lines += ["", *report.of_set(one, every[one.source.file])]
    lines += ["", *report.summary(every), "", _time(runs)]
    if certified:
        lines += ["", *certificates.about()]
        for name, one_set in priced_sets.items():
            lines += ["", *certificates.of_set(one_set, certified[name])]
        rows = (astuple(one) for found in certified.values() for one in found)
        path = options.out / "worst_case_certificates.csv"
        paths.append(program.write_csv(path, _header(Certified), rows))
    print("\n".join([*lines, "", f"Written: {', '.join(str(path) for path in paths)}"]))
    return 0


def _header(of: type, *names: str) -> list[str]:
    return [*names, *(field.name for field in fields(of))]


def _points(every: Mapping[str, Curves]) -> Iterator[Sequence[object]]:
    for name, curves in every.items():
        for impurity, points in curves.items():
            for point in points:
                yield [name, impurity, *astuple(point)]


def _time(runs: Sequence[StudyRun]) -> str:
    seconds = sum(run.seconds for run in runs)
    return f"{len(runs)} run{'s' * (len(runs) > 1)} took {seconds:.0f} s of one process."


def _parser() -> argparse.ArgumentParser:
    parser = program.parser(
        "worst_case",
        "Error against the most tests that anyone takes, on the data sets of paper 001.",
        SOURCES,
    )
    parser.add_argument(
        "--certificates",
        action="store_true",
        help="how far trees for real prices can be from the best of their class",
    )
    program.add_choice(parser, "--priced", price_sets.SOURCES, "sets for --certificates, ")
    parser.add_argument("--seconds", type=float, default=1.0, help="to search for a certificate; default 1")
    parser.add_argument(
        "--publish", action="store_true", help=f"keep the results in {FILE.name} for docs/results.md"
    )
    return parser


if __name__ == "__main__":
    sys.exit(main())
