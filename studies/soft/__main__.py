"""`python -m studies.soft --data FOLDER`: measure what is not yet measured, and print the tables.

What was measured stands in soft.jsonl of `--out`, a line a run: a study that was interrupted goes on from
there. `--publish` keeps the results for the page.
"""

from __future__ import annotations

import signal
import sys

from studies.harness import program
from studies.harness.record import RunRecord
from studies.harness.runs import run_study
from studies.soft import soft_results
from studies.soft.page import claims, page
from studies.soft.soft_runs import MOST_ROWS, SETS, measure, missing_packages, planned_runs

LIMIT_S = 900.0  # on the clock


def main(arguments: list[str] | None = None) -> int:
    """0, or 1 if a learner of this library failed."""
    parser = program.parser("soft", __doc__.splitlines()[0], SETS)
    parser.add_argument("--learners", nargs="+", metavar="LEARNER", help="by their names in the tables")
    parser.add_argument("--repeats", type=program.at_least(1), default=2, help="of the five folds; default 2")
    parser.add_argument("--max-rows", type=program.at_least(50), default=MOST_ROWS, help="of a set")
    parser.add_argument("--publish", action="store_true", help="keep the results for the page")
    parser.add_argument("--no-run", action="store_true", help="report what is there")
    options = parser.parse_args(arguments)
    record = RunRecord(options.out / "soft.jsonl")
    planned = list(
        planned_runs(options.data, options.sets, options.learners, options.repeats, options.max_rows)
    )
    if options.no_run:
        runs = [run for one in planned if (run := record.find(one.key)) is not None]
    else:
        try:
            runs = run_study(
                measure,
                planned,
                record,
                jobs=options.jobs,
                limit_s=LIMIT_S,
                retry_errors=options.retry_errors,
            )
        except KeyboardInterrupt:
            done = sum(record.find(one.key) is not None for one in planned)
            sys.stdout.write(f"Interrupted with {done} of {len(planned)} runs done: run it again to go on.\n")
            return program.INTERRUPTED
    names = [name for name in options.sets if any(run.key.data == name for run in runs)]
    results = soft_results.results_of(runs, options.data, names, options.max_rows)
    if options.publish:
        soft_results.write(results)
    sys.stdout.write(page(results))
    for one in claims(results):
        sys.stdout.write(f"{'holds' if one.holds else 'DOES NOT HOLD'}: {one.text}: {one.measured}\n")
    for name, packages in missing_packages().items():
        sys.stdout.write(f"Left out, since {', '.join(packages)} is not installed: {name}\n")
    for run in runs:
        if run.failed:
            sys.stdout.write(f"failed: {run.key.data}, {run.key.learner}, {run.key.split}: {run.error}\n")
    return int(any(run.failed and "thriftree" in run.key.versions for run in runs))


def _interrupt(*_: object) -> None:
    raise KeyboardInterrupt


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, _interrupt)  # so that worker processes end with this one
    sys.exit(main())
