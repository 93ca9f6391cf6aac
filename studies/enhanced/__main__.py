"""`python -m studies.enhanced --data FOLDER`: paper 000 measured again.

`--quick` takes four small sets and two splits. What was measured stands in enhanced.jsonl of `--out`, and the
study goes on from there; splits come one after the other. `--publish` keeps the results for
docs/results.md, `--no-runs` reports what was measured so far.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace

from studies.enhanced import report
from studies.enhanced.learners import LEARNERS, TIME_LIMIT_S
from studies.enhanced.measures import TABLE, measure
from studies.enhanced.plan import NAME, EnhancedPlan
from studies.enhanced.sets import TABLES
from studies.harness import kept, program
from studies.harness.kept import KeptStudy
from studies.harness.record import RunRecord, StudyRun
from studies.harness.tables import MOST_ROWS

LIMIT_S = 1200.0  # of a run, which may be a dozen fits
FILE = kept.FOLDER / f"{NAME}.jsonl"


def main(arguments: list[str] | None = None) -> int:
    """0, or 1 if a run failed."""
    parser = _parser()
    options = parser.parse_args(arguments)
    program.require_sets(parser, options.data, options.sets)
    plan = _plan(options)
    planned = list(plan.runs())
    if options.no_runs:
        record = RunRecord(options.out / f"{NAME}.jsonl")
        runs = [run for one in planned if (run := record.find(one.key)) is not None]
    else:
        runs = program.run(parser, options, measure, planned, NAME, options.limit or None)
    study = keep(plan, runs, len(planned), quick=options.quick)
    if options.publish:
        kept.write(study, FILE)
    print("\n".join(report.lines(study)))
    return int(any(run.failed and run.limit_s is None for run in runs))


def keep(plan: EnhancedPlan, runs: list[StudyRun], n_planned: int, *, quick: bool) -> KeptStudy:
    """The runs with what a page says of all of them."""
    facts = {run.key.data: run.measures for run in runs if run.key.learner == TABLE and run.measures}
    return kept.keep(
        {
            "study": NAME,
            "quick": quick,
            "splits": plan.splits,
            "max_rows": plan.max_rows,
            "planned": n_planned,
            "time_limit_s": TIME_LIMIT_S,
            "sets": {name: facts[name] for name in plan.sets if name in facts},
            "learners": {name: learner.summary for name, learner in LEARNERS.items()},
        },
        runs,
    )


def _plan(options: argparse.Namespace) -> EnhancedPlan:
    if options.quick:
        return EnhancedPlan.quick(options.data)
    plan = EnhancedPlan(options.data, options.sets, options.splits, options.max_rows or None)
    return plan if set(options.sets) == set(TABLES) else replace(plan, speed=False)


def _parser() -> argparse.ArgumentParser:
    parser = program.parser("enhanced", __doc__ or "", TABLES)
    parser.add_argument("--splits", type=program.at_least(1), default=5, help="of each set; default 5")
    parser.add_argument(
        "--max-rows",
        type=program.at_least(0),
        default=MOST_ROWS,
        help=f"of a set; default {MOST_ROWS:,}, 0: all",
    )
    parser.add_argument(
        "--limit", type=float, default=LIMIT_S, metavar="SECONDS", help=f"for a run; default {LIMIT_S:g}"
    )
    parser.add_argument("--quick", action="store_true", help="four small sets, two splits")
    parser.add_argument("--no-runs", action="store_true", help="measure nothing; report what there is")
    parser.add_argument(
        "--publish", action="store_true", help=f"keep the results in {FILE.name} for docs/results.md"
    )
    return parser


if __name__ == "__main__":
    sys.exit(main())
