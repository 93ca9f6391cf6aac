"""`python -m studies.which_tree --data FOLDER`: measure what is not yet measured, and print the tables.

`--quick` takes six small sets and two splits. What was measured stands in which_tree.jsonl of `--out`, a line
a run: a study that was interrupted goes on from there, and a version of a library that changed is measured
anew. `--publish` keeps the results for the page.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from studies.harness import program
from studies.harness.program import at_least
from studies.harness.tables import MOST_ROWS
from studies.which_tree import kept, markdown
from studies.which_tree.claims import claims
from studies.which_tree.measures import Part, learners_of, measure
from studies.which_tree.plan import PARTS, StudyPlan

LIMIT_S = 120.0
QUICK_LIMIT_S = 30.0
HOLDS = {True: "holds", False: "DOES NOT HOLD", None: "unknown"}


def main(arguments: list[str] | None = None) -> int:
    """0, or 1 if a learner of this library failed: what others cannot do, or takes too long, is a result."""
    parser = _parser()
    options = parser.parse_args(arguments)
    try:
        plan = _plan(options)
    except (FileNotFoundError, ValueError) as error:
        parser.error(str(error))
    runs = program.run(parser, options, measure, list(plan.runs()), "which_tree", _limit(options))
    study = kept.keep(plan, runs, quick=options.quick)
    if options.publish:
        kept.write(study, kept.FILE)
    print("\n".join([*report(study), f"Results: {options.out / 'which_tree.jsonl'}"]))
    return int(any(run.failed and run.limit_s is None and "thriftree" in run.key.versions for run in runs))


def _limit(options: argparse.Namespace) -> float | None:
    asked: float | None = options.limit
    if asked is None:
        return QUICK_LIMIT_S if options.quick else LIMIT_S
    return asked or None


def report(study: kept.KeptStudy) -> Iterable[str]:
    """The tables of the page, and what went wrong."""
    tables = {"classes": markdown.classes, "numbers": markdown.numbers, "prices": markdown.prices}
    for part in PARTS:
        if study.of(part):
            yield from (f"{part}:", "", *tables[part](study), "")
    for one in claims(study):
        yield f"{HOLDS[one.holds]}: {one.text}: {one.measured}"
    failed = list(markdown.failures(study))
    if failed:
        yield from ("", "Runs without a result:", *failed)
    for name, package in study.about["missing"].items():
        yield f"Left out, since {package} is not installed: {name}"


def _plan(options: argparse.Namespace) -> StudyPlan:
    folder: Path = options.data
    if not folder.is_dir():
        raise FileNotFoundError(f"{folder} is no folder: --data must name the one of the Parquet files")
    plan = (
        StudyPlan.quick(folder)
        if options.quick
        else StudyPlan.whole(folder, options.splits, options.max_rows)
    )
    if options.sets:
        of_part = {part: _asked(options.sets, part, plan) for part in PARTS}
        plan = replace(plan, of_part=of_part)
    if options.learners:
        known = {name for part in PARTS for name in learners_of(part)}
        unknown = [name for name in options.learners if name not in known]
        if unknown:
            raise ValueError(f"no learner {unknown[0]!r}: there are {', '.join(sorted(known))}")
        plan = replace(plan, learners=tuple(options.learners))
    return plan


def _asked(asked: list[str], part: Part, plan: StudyPlan) -> list[str]:
    """`SET` is one of classes, or whatever part of the study has it; `PART=SET` adds any table to a part."""
    found = []
    for text in asked:
        named, _, name = text.rpartition("=")
        every = [one for sets in plan.of_part.values() for one in sets]
        known = not named and name in plan.of_part[part]
        unknown = not named and name not in every and part == "classes"
        if named == part or known or unknown:
            found.append(name)
    return found


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m studies.which_tree", description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder of the Parquet files and costs/")
    parser.add_argument("--out", type=Path, default=Path("study-results"), help="folder of the record")
    parser.add_argument(
        "--sets",
        nargs="+",
        metavar="SET",
        help="of the study, or tables: a file, bundled:NAME, openml:NAME; numbers=TABLE: predict a number",
    )
    parser.add_argument(
        "--learners", nargs="+", metavar="LEARNER", help="by their names in the tables; default all"
    )
    parser.add_argument("--splits", type=at_least(1), default=5, help="of each set; default 5")
    parser.add_argument(
        "--max-rows", type=at_least(20), default=MOST_ROWS, help=f"of a set; default {MOST_ROWS:,}"
    )
    parser.add_argument(
        "--limit", type=float, metavar="SECONDS", help=f"for a run; default {LIMIT_S:g}, 0: none"
    )
    parser.add_argument(
        "--jobs", type=at_least(1), default=os.cpu_count() or 1, help="processes; default all cores"
    )
    parser.add_argument("--quick", action="store_true", help="six small sets, two splits")
    parser.add_argument("--retry-errors", action="store_true", help="do runs that failed again")
    parser.add_argument(
        "--publish", action="store_true", help=f"keep the results in {kept.FILE.name} for the page"
    )
    return parser


if __name__ == "__main__":
    sys.exit(main())
